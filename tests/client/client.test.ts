// The typed client against the running service, and against a server that fails as services do.
// @module-tag once
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { CatalogError, createClient, verifyWebhook } from '../../packages/client/index.js'
import { eventHeaders } from '../../src/features/webhooks/delivery/signature.rules.ts'
import { DIRECTORIES, FIXTURE, TOOLS } from '../harness/fixture.ts'
import { useService } from '../harness/use.ts'

let key: string
let partnerKey: string
const service = useService()
beforeAll(async () => {
  await service.load(FIXTURE)
  key = (await service.newKey()).key
  partnerKey = (await service.newPartner({ support: 'human' })).key
})

const client = (options: object = {}) => createClient({ baseUrl: service.origin, key, ...options })
const failureOf = async (call: Promise<unknown>): Promise<CatalogError> => {
  const error = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(CatalogError)
  return error as CatalogError
}

const TOOL = {
  name: 'Acme Writer',
  website: 'https://acme-writer.example.com',
  tagline: 'Drafts your mail',
  description: 'Learns from your sent mail.',
  category: 'writing',
  pricing: 'FREEMIUM',
  founderName: 'Ada Example',
  founderEmail: 'ada@example.com',
  tags: ['api'],
} as const

describe('against the service', () => {
  test('every read of the catalog gives what REST gives', async () => {
    const catalog = client()
    const same = async (answer: Promise<{ data: unknown }>, path: string) =>
      expect((await answer).data, path).toEqual((await service.rest(path)).body.data)
    await same(catalog.searchTools({ q: 'wombat', pricing: 'FREE' }), '/tools?q=wombat&pricing=FREE')
    await same(catalog.getTopTools({ limit: 3, fields: ['name', 'opens'] }), '/tools/top?limit=3&fields=name,opens')
    await same(catalog.getTool({ slug: TOOLS[0]!.slug }), `/tools/${TOOLS[0]!.slug}`)
    await same(catalog.listCategories(), '/categories')
    await same(catalog.listTags({ q: 'open source' }), '/tags?q=open%20source')
    await same(catalog.searchDirectories({ cost: 'Free' }), '/directories?cost=Free')
    await same(catalog.getDirectory({ slug: DIRECTORIES[0]!.slug }), `/directories/${DIRECTORIES[0]!.slug}`)
    await same(catalog.listDirectoryCategories(), '/directory-categories')
    await same(createClient({ baseUrl: `${service.origin}/api/v1/` }).discover(), '/')
  })

  test('all walks through every page once, pages through the pages', async () => {
    const { total } = (await service.rest('/tools')).body.pagination
    const slugs: string[] = []
    for await (const { slug } of client().searchTools.all({ limit: 3, page: 0 })) slugs.push(slug)
    expect([slugs.length, new Set(slugs).size]).toEqual([total, total])
    const pages: number[] = []
    for await (const { pagination } of client().searchTools.pages({ limit: 3, page: 2 })) pages.push(pagination.page)
    expect(pages).toEqual(Array.from({ length: Math.ceil(total / 3) - 1 }, (_, at) => at + 2))
    for await (const _ of client().searchTools.all({ q: 'nothing like it at all', match: 'full' })) expect.unreachable()
  })

  test('partners submit, list and follow, and a list without a pagination object ends', async () => {
    const partner = client({ key: partnerKey })
    const first = await partner.submitAiTool(TOOL, { idempotencyKey: 'order-1' })
    expect([first.status, first.data.created]).toEqual([201, true])
    const again = await partner.submitAiTool(TOOL, { idempotencyKey: 'order-1' })
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    await partner.submitAiTool({ ...TOOL, website: 'https://second.example.com' })
    const names: string[] = []
    for await (const { website } of partner.listSubmittedTools.all({ limit: 1 })) names.push(website)
    expect(names).toEqual(['https://second.example.com', TOOL.website])
    expect((await partner.getToolStatus({ id: first.data.id })).data.summary.isComplete).toBe(false)
    const asked = await partner.askSupport({ question: 'How long do refunds take?' })
    expect(asked.data.status).toBe('pending')
    expect((await partner.getConversation({ id: asked.data.id })).data).toEqual(asked.data)
    expect((await partner.listConversations({ status: 'pending' })).data.map(({ id }) => id)).toEqual([asked.data.id])
  })

  test('a failure has status, message and request id; result returns it', async () => {
    const error = await failureOf(client().getTool({ slug: 'none' }))
    expect([error.kind, error.status, error.message]).toEqual(['http', 404, 'Tool not found.'])
    expect(error.requestId).toMatch(/^[\w-]{8,}$/)
    const result = await client().getTool.result({ slug: 'none' })
    expect(result.ok ? null : result.error.status).toBe(404)
    expect((await failureOf(client({ key: 'aid_wrong' }).listTags())).status).toBe(401)
    expect((await failureOf(client().submitAiTool(TOOL))).status).toBe(403)
  })

  test.each(['', '.', '..'])('the slug %j would be another address and is refused', async (slug) => {
    expect((await failureOf(client().getTool({ slug }))).kind).toBe('input')
  })

  test.each(['a/b', '../tools', 'x?fields=name', 'ü ß', '%2e%2e', '#'])('the slug %j stays one', async (slug) => {
    expect((await failureOf(client().getTool({ slug }))).message).toBe('Tool not found.')
  })

  test('a key that no header may have is in no error', async () => {
    const secret = 'aid_secret\nx: y'
    expect(() => client({ key: secret })).toThrowError(/^key must be printable ASCII characters/)
    const { fetch: _, ...unreachable } = { fetch: 0, baseUrl: 'http://127.0.0.1:1', retries: 0 }
    const error = await failureOf(client({ ...unreachable, key: 'aid_secret' }).listTags())
    expect([error.kind, error.status]).toEqual(['network', 0])
    expect(JSON.stringify([error, error.stack, String(error.cause)])).not.toContain('aid_secret')
  })
})

describe('an argument that cannot be right is a CatalogError, and nothing is sent', () => {
  const circle: any = { question: 'Why?' }
  circle.metadata = circle
  test.each<[string, () => unknown]>([
    ['no options', () => createClient(undefined as never)],
    ['a key that is null', () => client({ key: null })],
    ['a key that is a number', () => client({ key: 5 })],
    ['a slug that no address may have', () => client().getTool({ slug: '\ud800' })],
    ['a body that JSON cannot hold', () => client().askSupport(circle)],
  ])('%s', async (_, call) => {
    expect((await failureOf(Promise.try(call))).kind).toBe('input')
  })

  test('no parameters as null are none', async () => {
    expect((await client().listTags(null as never, null as never)).status).toBe(200)
  })
})

describe('against a server that fails', () => {
  let server: ReturnType<typeof createServer> | undefined
  afterEach(() => server?.close())
  type Handle = (response: ServerResponse, attempt: number, request: IncomingMessage) => void

  async function failing(handle: Handle) {
    const requests: IncomingMessage[] = []
    server = createServer((request, response) => {
      requests.push(request)
      handle(response, requests.length, request)
    })
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return { requests, catalog: (options: object = {}) => createClient({ baseUrl, key, ...options }) }
  }
  const answer = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  const GOOD = { success: true, data: [] }

  test('a 429 is waited out as long as Retry-After says', async () => {
    const { requests, catalog } = await failing((response, attempt) =>
      attempt === 1
        ? answer(response, 429, { success: false, error: 'Rate limit exceeded.' }, { 'retry-after': '1' })
        : answer(response, 200, GOOD),
    )
    const start = performance.now()
    expect((await catalog().listTags()).data).toEqual([])
    expect(performance.now() - start).toBeGreaterThan(950)
    expect(requests).toHaveLength(2)
  })

  test('a wait that is longer than maxWaitMs is an error that says how long it is', async () => {
    const { requests, catalog } = await failing((response) =>
      answer(response, 429, { success: false, error: 'Rate limit exceeded.' }, { 'retry-after': '3600' }),
    )
    const error = await failureOf(catalog().listTags())
    expect([error.status, error.retryAfter, requests.length]).toEqual([429, 3600, 1])
  })

  test('a passing 5xx and a lost connection are tried again, writes with the same Idempotency-Key', async () => {
    const { requests, catalog } = await failing((response, attempt) => {
      if (attempt === 1) answer(response, 503, { success: false, error: 'Starting.' }, { 'retry-after': '0' })
      else if (attempt === 2) response.destroy()
      else answer(response, 201, { success: true, data: { created: true } })
    })
    expect((await catalog().submitAiTool(TOOL)).data.created).toBe(true)
    const keys = requests.map(({ headers }) => headers['idempotency-key'])
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/)
  })

  test('a refusal is not tried again, and neither is anything when retries is 0', async () => {
    const { requests, catalog } = await failing((response) => answer(response, 400, { success: false, error: 'No.' }))
    expect((await failureOf(catalog().listTags())).message).toBe('No.')
    expect(requests).toHaveLength(1)
    server?.close()
    const down = await failing((response) => answer(response, 503, { success: false, error: 'Down.' }))
    expect((await failureOf(down.catalog({ retries: 0 }).listTags())).status).toBe(503)
    expect(down.requests).toHaveLength(1)
  })

  test('an answer that stops in the middle ends with the timeout', async () => {
    const { requests, catalog } = await failing((response) => void response.writeHead(200).write('{"success":'))
    const error = await failureOf(catalog({ timeoutMs: 60, retries: 1 }).listTags())
    expect([error.kind, error.message, requests.length]).toEqual(['timeout', 'No answer within 60 ms.', 2])
  })

  test('an abort ends a call and a wait at once', async () => {
    const { catalog } = await failing((response) => answer(response, 503, 'down', { 'retry-after': '30' }))
    const reason = new Error('The user left.')
    const controller = new AbortController()
    const call = failureOf(catalog().listTags({}, { signal: controller.signal }))
    setTimeout(() => controller.abort(reason), 60)
    const error = await call
    expect([error.kind, error.cause]).toEqual(['aborted', reason])
    expect((await failureOf(catalog().listTags({}, { signal: AbortSignal.abort(reason) }))).kind).toBe('aborted')
  })

  test('the page of a proxy is an error with its status', async () => {
    const { catalog } = await failing((response) => answer(response, 403, '<h1>Forbidden</h1>'))
    const error = await failureOf(catalog().listTags())
    expect([error.status, error.message]).toEqual([403, 'The service answered 403 without an explanation.'])
  })

  test('a redirect is not followed, so the key stays with the service', async () => {
    const { requests, catalog } = await failing((response) => answer(response, 302, '', { location: '/elsewhere' }))
    expect((await failureOf(catalog({ retries: 0 }).listTags())).kind).toBe('network')
    expect(requests.map(({ url }) => url)).toEqual(['/api/v1/tags'])
  })
})

describe('verifyWebhook', () => {
  const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const OLD = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
  const BODY = JSON.stringify({ event: 'test.ping', occurredAt: '2026-03-01T09:30:00.000Z', message: 'Grüße 世界' })
  const at = (ms: number) => new Date(Date.now() + ms)
  const signed = (more: object = {}) =>
    eventHeaders({ id: 'msg_1', event: 'test.ping', body: BODY, secret: SECRET, at: at(0), test: false, ...more })

  test('accepts what the service signs, in every form that servers give it', async () => {
    const verified = await verifyWebhook(BODY, signed({ test: true }), SECRET)
    expect([verified.id, verified.isTest, verified.event]).toEqual(['msg_1', true, JSON.parse(BODY)])
    expect(Math.abs(verified.sentAt.getTime() - Date.now())).toBeLessThan(10_000)
    for (const [body, headers, secret] of [
      [Buffer.from(BODY), new Headers(signed()), SECRET],
      [new Uint8Array(Buffer.from(BODY)).buffer, signed({ previousSecret: OLD }), OLD],
      [
        BODY,
        Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value])),
        [OLD, SECRET],
      ],
    ] as const)
      expect((await verifyWebhook(body, headers, secret)).id).toBe('msg_1')
  })

  test.each<[string, () => Record<string, string>, string?]>([
    ['another body', () => signed(), `${BODY} `],
    ['another secret', () => signed({ secret: OLD })],
    ['an old call', () => signed({ at: at(-400_000) })],
    ['a call from the future', () => signed({ at: at(400_000) })],
    ['another id', () => ({ ...signed(), 'webhook-id': 'msg_2' })],
    ['no timestamp', () => ({ ...signed(), 'webhook-timestamp': '' })],
    ['a timestamp of words', () => ({ ...signed(), 'webhook-timestamp': 'now' })],
    ['no signature', () => ({ ...signed(), 'webhook-signature': '' })],
    ['a signature that is no base64', () => ({ ...signed(), 'webhook-signature': 'v1,***' })],
    [
      'a signature of another version',
      () => ({ ...signed(), 'webhook-signature': signed()['webhook-signature']!.replace('v1,', 'v2,') }),
    ],
    ['no headers', () => ({})],
  ])('refuses %s', async (_, headers, body = BODY) => {
    expect((await failureOf(verifyWebhook(body, headers(), SECRET))).kind).toBe('signature')
  })

  test('says when the body has the right signature and is no JSON, as its own class', async () => {
    for (const body of ['{"event":', '', 'hello', '\u0000']) {
      const error = await failureOf(verifyWebhook(body, signed({ body }), SECRET))
      expect([error instanceof CatalogError, error.kind]).toEqual([true, 'signature'])
      expect(error.message).toContain('not JSON')
    }
  })

  test.each<[string, any]>([
    ['', signed()],
    [undefined as never, signed()],
    [null as never, signed()],
    [[] as never, signed()],
    [SECRET, undefined],
  ])('the secret %j with headers, or no headers, is an argument that cannot be right', async (secret, headers) => {
    expect((await failureOf(verifyWebhook(BODY, headers, secret))).kind).toBe('input')
  })

  test('a list of secrets of which one is not set accepts what the other one signed', async () => {
    expect((await verifyWebhook(BODY, signed(), [SECRET, undefined as never])).id).toBe('msg_1')
  })
})
