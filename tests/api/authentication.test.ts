// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { generateKey } from '../../src/features/keys/rules.ts'
import { call, rpc } from '../harness/mcp.ts'
import { exchange, request, sendRaw, statusesIn } from '../harness/raw.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { expectFailure } from '../harness/shapes.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
})

const tools = (headers: Record<string, string>) => service.rest('/tools', { key: null, headers })
const status = async (headers: Record<string, string>) => (await tools(headers)).status

describe('a valid key', () => {
  test.each([
    ['Authorization: Bearer', (value: string) => ({ authorization: `Bearer ${value}` })],
    ['X-API-Key', (value: string) => ({ 'x-api-key': value })],
    ['the scheme in lower case', (value: string) => ({ authorization: `bearer ${value}` })],
    ['the scheme in upper case', (value: string) => ({ authorization: `BEARER ${value}` })],
    ['both headers with the same key', (value: string) => ({ authorization: `Bearer ${value}`, 'x-api-key': value })],
  ])('is accepted in either header: %s', async (_case, headers) => {
    expect(await status(headers(key))).toBe(200)
    expect((await rpc(service, null, call('list_tags'), headers(key))).body.result.isError).toBeUndefined()
  })

  test('of the operator is accepted in X-API-Key at the operator API', async () => {
    expect((await service.fetch('/api/admin/keys', { headers: { 'x-api-key': ADMIN_TOKEN } })).status).toBe(200)
  })

  test('starts with aid_, and a partner key with aid_p_', async () => {
    expect(key).toMatch(/^aid_[0-9A-Za-z]+$/)
    expect((await service.newPartner()).key).toMatch(/^aid_p_[0-9A-Za-z]+$/)
  })

  test('of a partner reads the catalog, over REST and MCP', async () => {
    const partner = await service.newPartner()
    expect((await service.rest('/tools', { key: partner.key })).status).toBe(200)
    expect((await service.tool('list_tags', {}, partner.key)).envelope.success).toBe(true)
  })
})

describe('401', () => {
  const wrong: [string, Record<string, string>][] = [
    ['no key', {}],
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['an empty X-API-Key', { 'x-api-key': '' }],
    ['another scheme', { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` }],
    ['no scheme', { authorization: 'aid_x' }],
    ['a word', { authorization: 'Bearer nonsense' }],
    ['a key that was never issued', { authorization: `Bearer ${generateKey('catalog')}` }],
    ['a partner key that was never issued', { 'x-api-key': generateKey('partner') }],
    ['the operator token', { authorization: `Bearer ${ADMIN_TOKEN}` }],
    ['text of another script', { 'x-api-key': 'aid_\u00e9\u00e8' }],
    ['10,000 characters', { 'x-api-key': `aid_${'a'.repeat(10_000)}` }],
  ]

  test.each(wrong)('a request whose key is missing or invalid gets a 401: %s', async (_case, headers) => {
    const reply = await tools(headers)
    expect(reply.status).toBe(401)
    expectFailure(reply.body)
    expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="catalog", error="invalid_token"')
  })

  test.each(wrong)('the same request over MCP gets a 401 too: %s', async (_case, headers) => {
    const reply = await rpc(service, null, call('list_tags'), headers)
    expect(reply.status).toBe(401)
    expect(reply.headers.get('www-authenticate')).toMatch(
      /^Bearer resource_metadata="[^"]+\/\.well-known\/oauth-protected-resource", realm="catalog"/,
    )
  })

  test('a key with one character changed, at either end, gets a 401', async () => {
    const other = (letter: string) => (letter === 'x' ? 'y' : 'x')
    expect(await status({ 'x-api-key': key.slice(0, -1) + other(key.at(-1)!) })).toBe(401)
    expect(await status({ 'x-api-key': `aid_${other(key[4]!)}${key.slice(5)}` })).toBe(401)
    expect(await status({ 'x-api-key': key.toUpperCase() })).toBe(401)
  })

  test('a request whose two headers differ gets a 401, whichever of them holds the valid key', async () => {
    const { key: second } = await service.newKey()
    expect(await status({ authorization: `Bearer ${key}`, 'x-api-key': second })).toBe(401)
    expect(await status({ authorization: `Bearer ${key}`, 'x-api-key': 'aid_x' })).toBe(401)
    expect(await status({ authorization: 'Bearer aid_x', 'x-api-key': key })).toBe(401)
  })

  test('a request with two Authorization headers gets a 401, even if the first holds a valid key', async () => {
    const twice = [`Authorization: Bearer ${key}`, 'Authorization: Bearer aid_x']
    expect((await sendRaw(service.origin, request('GET', '/api/v1/tools', twice))).status).toBe(401)
  })

  test.each(['key', 'api_key', 'apiKey', 'x-api-key', 'authorization', 'access_token', 'token'])(
    'a key in the query string is ignored: %s',
    async (name) => {
      const query = `${name}=${encodeURIComponent(key)}`
      expect((await service.rest(`/tools?${query}`, { key: null })).status).toBe(401)
      expect((await service.rest(`/tools?${query}`, { key })).status).toBe(200)
    },
  )

  test('requests on one connection are each checked by their own key', async () => {
    const { key: standard } = await service.newKey('standard')
    const { id, key: revoked } = await service.newKey()
    await service.admin('DELETE', `/keys/${id}`)
    const keys = [key, standard, revoked, key, 'aid_x', standard, revoked]
    const sent = keys.map((each) => request('GET', '/api/v1/tools?limit=1', [`X-API-Key: ${each}`]))
    const received = await exchange(service.origin, Buffer.concat(sent))
    expect(statusesIn(received)).toEqual([200, 200, 401, 200, 401, 200, 401])
    const limits = [...received.matchAll(/x-ratelimit-limit: (\d+)/g)].map(([, limit]) => Number(limit))
    expect(limits[5]).toBe(limits[1])
    expect([limits[0], limits[3]]).toEqual([6 * limits[1]!, 6 * limits[1]!])
  })

  test('a revoked key fails on the next request, over REST and MCP', async () => {
    const { id, key: revoked } = await service.newKey()
    expect((await service.tool('list_tags', {}, revoked)).status).toBe(200)
    await service.admin('DELETE', `/keys/${id}`)
    expect((await service.rest('/tools', { key: revoked })).status).toBe(401)
    expect((await service.tool('list_tags', {}, revoked)).status).toBe(401)
  })

  test('the keys of a banned user or partner fail, and work again when the ban is lifted', async () => {
    const { key: users } = await service.newKey('standard', 'banned@example.com')
    const partner = await service.newPartner()
    const { data } = (await service.admin('GET', '/users')).body
    const user = data.find(({ email }: { email: string }) => email === 'banned@example.com')
    for (const [path, held] of [
      [`/users/${user.id}`, users],
      [`/partners/${partner.id}`, partner.key],
    ] as const) {
      expect((await service.admin('PATCH', path, { banned: true })).status).toBe(200)
      expect((await service.rest('/tools', { key: held })).status).toBe(401)
      expect((await service.tool('list_tags', {}, held)).status).toBe(401)
      await service.admin('PATCH', path, { banned: false })
      expect((await service.rest('/tools', { key: held })).status).toBe(200)
    }
  })
})

describe('403', () => {
  test.each(['catalog', 'partner'] as const)(
    'a %s key at operator endpoints gets a 403, in either header',
    async (kind) => {
      const held = kind === 'catalog' ? key : (await service.newPartner()).key
      for (const headers of [{ authorization: `Bearer ${held}` }, { 'x-api-key': held }] as Record<string, string>[]) {
        const reply = await service.fetch('/api/admin/keys', { headers })
        expect(reply.status).toBe(403)
        expectFailure(reply.body)
      }
    },
  )
})

describe('the order of checks', () => {
  test('is 401 before 400 and 404', async () => {
    expect((await service.rest('/tools?pricing=x', { key: null })).status).toBe(401)
    expect((await service.rest('/tools/no-such', { key: null })).status).toBe(401)
  })

  test('is 401 before 400 at an address that cannot be decoded', async () => {
    expect((await service.rest('/tools/%ZZ', { key: null })).status).toBe(401)
  })

  test('is 401 and 403 before the body is read', async () => {
    for (const [held, expected] of [
      [null, 401],
      [key, 403],
    ] as const) {
      const ask = { method: 'POST', key: held, body: '{not json' }
      expect((await service.fetch('/api/admin/keys', ask)).status).toBe(expected)
      expect((await service.fetch('/api/admin/import', { ...ask, type: 'text/plain' })).status).toBe(expected)
      expect((await service.fetch('/api/admin/keys', { ...ask, body: 'x'.repeat(300_000) })).status).toBe(expected)
    }
  })
})
