// Bodies that are larger, deeper or more tightly compressed than any client needs: each is refused or answered soon, and the service goes
// on as before.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { formIn, signedUpAdmin } from '../harness/browser.ts'
import { call, rpc } from '../harness/mcp.ts'
import { exchange, request, sendRaw, statusesIn } from '../harness/raw.ts'
import { ADMIN_TOKEN, type RequestOptions } from '../harness/service.ts'
import { newTool, SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'
import { newSupportPartner } from '../harness/support.ts'
import { useService } from '../harness/use.ts'
import { withDuration } from '../harness/with-duration.ts'

let key: string
let partner: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
  partner = (await newSupportPartner(service, 'hybrid')).key
  await service.load(SUBMISSION_CATALOG)
})

const DEPTH = 100_000
const LIMIT = 256 * 1024

/** Decompressed, it would be a thousand times as large. */
const BOMB = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '))
const SMALL = { br: brotliCompressSync(Buffer.alloc(1024, ' ')), deflate: deflateSync(Buffer.alloc(1024, ' ')) }

/** Every place that reads a body, with a caller who may send one there. */
const PLACES: [name: string, path: string, ask: () => RequestOptions][] = [
  [
    'a form that any visitor may send',
    '/sign-in',
    () => ({ type: 'application/x-www-form-urlencoded', headers: { origin: service.origin } }),
  ],
  ['MCP', '/mcp', () => ({ key })],
  ['a submission', '/api/v1/submit-ai-tool', () => ({ key: partner })],
  ['a question', '/api/v1/support/ask', () => ({ key: partner })],
  ['the operator API', '/api/admin/partners', () => ({ key: ADMIN_TOKEN })],
]

describe.each(PLACES)('%s', (_name, path, ask) => {
  const send = (body: string, more: RequestOptions = {}) =>
    service.fetch(path, { method: 'POST', ...ask(), ...more, body })

  test.each([
    ['arrays', '['.repeat(DEPTH)],
    ['arrays that are closed', '['.repeat(DEPTH) + ']'.repeat(DEPTH)],
    ['objects', '{"a":'.repeat(40_000)],
    ['objects that are closed', `${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}`],
    [
      'arguments',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tags","arguments":{"q":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}}}`,
    ],
    ['metadata', `{"question":"How?","metadata":{"a":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}}`],
    ['an undeclared field', `{"name":"x","undeclared":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`],
  ])('a hundred thousand levels of %s are refused within a second, or ignored', async (_case, body) => {
    const [reply, ms] = await withDuration(() => send(body))
    expect(reply.status, reply.text.slice(0, 200)).toBeLessThan(500)
    expect(ms).toBeLessThan(2_000)
  })

  test('one byte more than 256 KiB is a 413, with a Content-Length and in chunks', async () => {
    expect((await send('a'.repeat(LIMIT + 1))).status).toBe(413)
    const { key: held, type = 'application/json', headers = {} } = ask()
    const sent = [
      `Content-Type: ${type}`,
      ...(held ? [`X-API-Key: ${held}`] : []),
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ]
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${sent.map((line) => `${line}\r\n`).join('')}Transfer-Encoding: chunked\r\n\r\n`
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`
    const [status] = statusesIn(await exchange(service.origin, head + chunk.repeat(5), 500))
    expect(status).toBe(413)
  })

  test('a declared length far beyond the limit is refused before a byte of the body is sent', async () => {
    const { key: held, type = 'application/json', headers = {} } = ask()
    const sent = [
      `Content-Type: ${type}`,
      'Content-Length: 999999999999',
      ...(held ? [`X-API-Key: ${held}`] : []),
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ]
    expect((await sendRaw(service.origin, request('POST', path, sent))).status).toBe(413)
  })

  test.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip', 'x-unknown'])(
    'a body compressed with %s is not decompressed, however small',
    async (coding) => {
      const packed = coding === 'br' ? SMALL.br : coding === 'deflate' ? SMALL.deflate : BOMB
      expect(packed.length).toBeLessThan(LIMIT)
      const { key: held, type = 'application/json', headers = {} } = ask()
      const before = process.memoryUsage().rss
      const response = await fetch(service.origin + path, {
        method: 'POST',
        body: new Uint8Array(packed),
        redirect: 'manual',
        headers: {
          ...headers,
          'content-type': type,
          'content-encoding': coding,
          ...(held ? { 'x-api-key': held } : {}),
        },
      })
      await response.text()
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(response.status).toBeLessThan(500)
      expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
    },
  )
})

describe('large numbers of values', () => {
  test('a thousand parameters, pages far beyond the last and lists of a hundred thousand are answered', async () => {
    const many = Array.from({ length: 1_000 }, (_, i) => `p${i}=1`).join('&')
    for (const query of [
      many,
      'page=9007199254740993&limit=100',
      `page=${'9'.repeat(400)}`,
      'page=1e308&limit=1e308',
      'limit=-1&page=-1',
    ]) {
      const [reply, ms] = await withDuration(() => service.rest(`/tools?${query}`, { key }))
      expect(reply.status).toBe(200)
      expect(reply.body.data.length).toBeLessThanOrEqual(100)
      expect(ms).toBeLessThan(1_000)
    }
    const tags = Array.from({ length: 30_000 }, (_, i) => i.toString(36))
    for (const [more, expected] of [
      [{ tags }, 400],
      [{ screenshots: tags }, 400],
      [{ faq: tags }, 400],
      [{ socials: Object.fromEntries(tags.slice(0, 15_000).map((tag) => [tag, 'x'])) }, 400],
      [{ features: Object.fromEntries(tags.slice(0, 501).map((tag) => [tag, 'x'])) }, 400],
      [{ features: Object.fromEntries(tags.slice(0, 500).map((tag) => [tag, 'x'])) }, 201],
    ] as const) {
      const [reply, ms] = await withDuration(() =>
        service.rest('/submit-ai-tool', { method: 'POST', key: partner, body: newTool(more) }),
      )
      expect([Object.keys(more), reply.status]).toEqual([Object.keys(more), expected])
      expect(ms, String(Object.keys(more))).toBeLessThan(1_000)
    }
  })

  test('a batch of more calls than any client sends is refused', async () => {
    const batch = Array.from({ length: 11 }, () => call('list_tags'))
    const reply = await rpc(service, key, batch)
    expect([reply.status, reply.body.error.code]).toEqual([400, -32600])
  })

  test('a form of thousands of parts is refused, or only its first parts are read', async () => {
    const admin = await signedUpAdmin(service)
    const { id } = await submitted(service, partner, { paymentType: 'starter' })
    const [submission] = (await service.admin('GET', '/submissions')).body.data
    expect(id).toBeDefined()
    const part = (name: string, value: string) =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const pages = ['/admin/import', `/admin/submissions/${submission.id}`]
    const token = formIn((await admin.open(pages[0]!)).text, pages[0]!)!.token!
    for (const path of ['/admin/import', `/admin/submissions/${submission.id}/directories/peak`])
      for (const body of [
        part('token', token) + part('a', 'b').repeat(20_000),
        part('a', 'b').repeat(20_000) + part('token', token),
        part('a'.repeat(100_000), 'b').repeat(3) + part('token', token),
        `--x\r\n${'X-A: b\r\n'.repeat(20_000)}\r\n\r\n`,
      ]) {
        const [reply, ms] = await withDuration(() =>
          service.fetch(path, {
            method: 'POST',
            type: 'multipart/form-data; boundary=x',
            body: `${body}--x--\r\n`,
            headers: { cookie: admin.cookieHeader(), origin: service.origin, accept: 'text/html' },
          }),
        )
        expect(reply.status, `${path}: ${reply.text.slice(0, 200)}`).toBeLessThan(500)
        expect(ms).toBeLessThan(3_000)
      }
  })
})

test('afterwards the service answers as before and has logged no error of its own', async () => {
  expect((await service.rest('/tags', { key })).body.data.map(({ slug }: { slug: string }) => slug)).toContain('api')
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([])
})
