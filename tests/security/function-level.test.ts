// Every operation with every kind of caller. The expectations follow from the list of operations, so a new operation is covered at once.
import { beforeAll, describe, expect, test } from 'vitest'
import { accountOperations, operatorOperations, restOperations } from '../../src/features.ts'
import type { Access } from '../../src/kernel/caller.ts'
import type { RoutedOperation } from '../../src/kernel/operation.ts'
import { type Browser, formIn, signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { call, rpc } from '../harness/mcp.ts'
import { type ServedRoute, servedRoutes } from '../harness/routes.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

interface Kind {
  /** Every header that can carry the key. */
  headers: Record<string, string>[]
  rest: Access[]
  operator: 'allowed' | 403 | 401
}

let person: Browser & { email: string }
let kinds: Record<string, Kind>
let served: ServedRoute[]

const bothWays = (key: string): Record<string, string>[] => [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }]
const cookie = (browser: Browser) => ({ cookie: browser.cookieHeader(), origin: service.origin })

const service = useService()
beforeAll(async () => {
  await service.load(FIXTURE)
  person = await signedUp(service)
  const administrator = await signedUpAdmin(service)
  const { key } = await service.newKey('premium', person.email)
  const partner = await service.newPartner()
  const supported = await service.newPartner({ support: 'human' })
  await service.admin('PATCH', `/users/${(await userNamed(service, person.email)).id}`, { partner: partner.id })
  kinds = {
    'a client without credentials': { headers: [{}], rest: [], operator: 401 },
    'a made-up key': { headers: bothWays(`${key.slice(0, -1)}~`), rest: [], operator: 401 },
    'a catalog key': { headers: bothWays(key), rest: ['catalog'], operator: 403 },
    'a partner key': { headers: bothWays(partner.key), rest: ['catalog', 'partner'], operator: 403 },
    'a partner key with support': {
      headers: bothWays(supported.key),
      rest: ['catalog', 'partner', 'support'],
      operator: 403,
    },
    "a partner user's session": { headers: [cookie(person)], rest: [], operator: 403 },
    "an administrator's session": { headers: [cookie(administrator)], rest: [], operator: 'allowed' },
    'the operator token': { headers: bothWays(ADMIN_TOKEN), rest: [], operator: 'allowed' },
  }
  served = await servedRoutes()
})

const NAMES = [
  ...['a client without credentials', 'a made-up key', 'a catalog key', 'a partner key', 'a partner key with support'],
  ...["a partner user's session", "an administrator's session", 'the operator token'],
]

const addressOf = (base: string, { path }: RoutedOperation) => base + path.replace(/:\w+/g, 'no-such-thing')

/** Sends a body that no operation accepts, so that nothing happens where the caller is allowed. */
const ask = async (path: string, method: string, headers: Record<string, string>) =>
  (
    await service.fetch(path, {
      method,
      headers,
      ...(method === 'GET' || method === 'HEAD' ? {} : { body: '[]' }),
    })
  ).status

/** What an attacker could have changed. */
const state = async () =>
  JSON.stringify([
    (await service.admin('GET', '/export')).text,
    (await service.admin('GET', '/users?limit=1000')).body.data,
    (await service.admin('GET', '/partners?limit=1000')).body.data,
    (await service.admin('GET', '/keys?limit=1000')).body.data.map(({ lastUsedAt, ...key }: any) => key),
    (await service.admin('GET', '/audit?limit=1000')).body.data,
  ])

describe('every operation for every kind of caller', () => {
  test.each(NAMES)('the REST API opens to %s exactly the operations of its access', async (name) => {
    const { headers, rest } = kinds[name]!
    for (const operation of restOperations)
      for (const sent of headers) {
        const status = await ask(addressOf('/api/v1', operation), operation.method, sent)
        const at = `${operation.name} for ${name} with ${Object.keys(sent)}`
        if (rest.includes(operation.access)) expect([401, 403], `${at}: ${status}`).not.toContain(status)
        else expect([at, status]).toEqual([at, rest.length > 0 ? 403 : 401])
      }
  })

  test.each(NAMES)('the operator API opens to %s completely or not at all', async (name) => {
    const { headers, operator } = kinds[name]!
    const before = await state()
    for (const operation of operatorOperations)
      for (const sent of headers) {
        // An export or a backup needs no body and would really run.
        if (operator === 'allowed' && operation.method !== 'GET' && !operation.body && !operation.path.includes(':'))
          continue
        const status = await ask(addressOf('/api/admin', operation), operation.method, sent)
        const at = `${operation.name} for ${name} with ${Object.keys(sent)}`
        if (operator === 'allowed') expect([401, 403], `${at}: ${status}`).not.toContain(status)
        else expect([at, status]).toEqual([at, operator])
      }
    if (operator !== 'allowed') expect(await state()).toBe(before)
  })

  test('operations of signed-in users have no address in the REST API', () => {
    for (const operation of accountOperations)
      for (const part of ['method', 'path']) expect(operation).not.toHaveProperty(part)
  })
})

describe('methods', () => {
  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

  test('a catalog key does nothing with any method at any partner or operator address', async () => {
    const before = await state()
    const guarded = [
      ...restOperations.filter(({ access }) => access !== 'catalog').map((one) => ['/api/v1', one] as const),
      ...operatorOperations.map((one) => ['/api/admin', one] as const),
    ]
    const [headers] = kinds['a catalog key']!.headers
    for (const [base, operation] of guarded)
      for (const method of METHODS) {
        const path = addressOf(base, operation)
        expect([403, 405], `${method} ${path}`).toContain(await ask(path, method, headers!))
      }
    expect(await state()).toBe(before)
  })

  test.each(['x-http-method-override', 'x-http-method', 'x-method-override'])(
    'a header cannot turn one method into another: %s',
    async (name) => {
      const path = '/api/admin/tools/full-house'
      const headers = { [name]: 'DELETE' }
      expect((await service.fetch(path, { key: ADMIN_TOKEN, headers })).body.data.slug).toBe('full-house')
      expect((await service.fetch(`${path}?_method=DELETE`, { key: ADMIN_TOKEN, headers })).status).toBe(200)
      expect((await service.fetch(path, { method: 'POST', key: ADMIN_TOKEN, headers })).status).toBe(405)
      expect((await service.admin('GET', '/tools/full-house')).status).toBe(200)
    },
  )

  test.each(['x-original-url', 'x-rewrite-url', 'x-forwarded-uri', 'x-forwarded-path'])(
    'a header cannot turn one address into another: %s',
    async (name) => {
      const { key } = await service.newKey()
      const plain = await service.fetch('/api/v1/tags', { key })
      const sent = await service.fetch('/api/v1/tags', { key, headers: { [name]: '/api/admin/keys' } })
      expect([sent.status, sent.text]).toEqual([plain.status, plain.text])
      expect((await service.fetch('/api/admin/keys', { key, headers: { [name]: '/api/v1/tags' } })).status).toBe(403)
    },
  )
})

describe('pages', () => {
  const pages = (prefix: string) => served.filter(({ path }) => path.startsWith(prefix))
  const filled = ({ path }: ServedRoute) => path.replace(/:\w+/g, 'x')

  test('no page of the console opens to a user who is no administrator, and no form of it does anything', async () => {
    const before = await state()
    const { token } = formIn((await person.open('/dashboard')).text, '/dashboard/keys')!
    expect(pages('/admin').length).toBeGreaterThan(50)
    for (const page of pages('/admin')) {
      const reply =
        page.method === 'GET'
          ? await person.open(filled(page))
          : await person.post(filled(page), { token: token!, role: 'admin', plan: 'premium', name: 'x' })
      expect([page.method, page.path, reply.status]).toEqual([page.method, page.path, 403])
    }
    expect(await state()).toBe(before)
  })

  test('keys and the operator token open no page: they are not sessions', async () => {
    for (const page of [...pages('/admin'), ...pages('/dashboard')])
      for (const name of ['a catalog key', 'a partner key with support', 'the operator token']) {
        const reply = await service.fetch(filled(page), {
          method: page.method,
          headers: { ...kinds[name]!.headers[0]!, origin: service.origin },
        })
        expect([page.path, reply.status, reply.headers.get('location')?.split('?')[0]]).toEqual([
          page.path,
          303,
          '/sign-in',
        ])
      }
  })

  test('a user of a partner cannot choose another partner, role or plan in any form of the dashboard', async () => {
    const other = await service.newPartner()
    const before = await userNamed(service, person.email)
    const { token } = formIn((await person.open('/dashboard')).text, '/dashboard/keys')!
    const wish = { role: 'admin', plan: 'premium', banned: 'false', partner: other.id, partnerId: other.id }
    const forms = pages('/dashboard').filter(({ method, path }) => method === 'POST' && !path.includes('delete'))
    expect(forms.length).toBeGreaterThan(2)
    for (const form of forms)
      await person.post(`${filled(form)}?${new URLSearchParams(wish)}`, { token: token!, ...wish, agree: 'true' })
    const { updatedAt, ...after } = await userNamed(service, person.email)
    expect(before).toMatchObject(after)
    expect((await person.open('/admin')).status).toBe(403)
  })
})

test('over MCP every caller can call only reads of the catalog', async () => {
  for (const name of ['a catalog key', 'a partner key with support'])
    for (const { name: tool } of [...restOperations, ...operatorOperations, ...accountOperations]) {
      const isRead = restOperations.some((operation) => operation.name === tool && operation.tool)
      const { body } = await rpc(service, null, call(tool, {}), kinds[name]!.headers[0])
      expect([tool, body.error?.code]).toEqual([tool, isRead ? undefined : -32602])
    }
})
