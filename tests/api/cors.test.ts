// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { call, rpc } from '../harness/mcp.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
})

const ORIGIN = { origin: 'https://page.example' }
const EXPOSED = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after', 'etag']
const listed = (headers: Headers, name: string) =>
  (headers.get(name) ?? '').split(',').map((item) => item.trim().toLowerCase())
const CATALOG = [
  '/',
  '/openapi.json',
  '/tools',
  '/tools/top',
  '/tools/x',
  '/categories',
  '/tags',
  '/directories',
  '/directories/x',
  '/directory-categories',
]

describe('catalog reads and MCP may be called from the page of any site', () => {
  test.each(CATALOG)('GET %s carries the CORS headers, also when it fails', async (path) => {
    for (const held of [key, null]) {
      const { headers } = await service.rest(path, { key: held, headers: ORIGIN })
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(listed(headers, 'access-control-expose-headers')).toEqual(expect.arrayContaining(EXPOSED))
      expect(headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  test.each(CATALOG)('a preflight of %s is answered 204', async (path) => {
    const reply = await service.rest(path, {
      key: null,
      method: 'OPTIONS',
      headers: { ...ORIGIN, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
    })
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    expect(listed(reply.headers, 'access-control-allow-methods')).toContain('get')
    expect(listed(reply.headers, 'access-control-allow-headers')).toEqual(
      expect.arrayContaining(['authorization', 'x-api-key', 'if-none-match']),
    )
  })

  test('preflights need no key and are not charged', async () => {
    const remaining = async () => (await service.rest('/', { key: null })).headers.get('x-ratelimit-remaining')
    const before = Number(await remaining())
    for (let i = 0; i < 3; i++) await service.rest('/tools', { key: null, method: 'OPTIONS', headers: ORIGIN })
    expect(Number(await remaining())).toBe(before - 1)
  })

  test('a POST to the MCP address carries the CORS headers, and its preflight is answered 204', async () => {
    for (const held of [key, null]) {
      const { headers } = await rpc(service, held, call('list_tags'), ORIGIN)
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(listed(headers, 'access-control-expose-headers')).toEqual(expect.arrayContaining(EXPOSED))
    }
    const reply = await service.fetch('/mcp', { method: 'OPTIONS', headers: ORIGIN })
    expect(reply.status).toBe(204)
    expect(listed(reply.headers, 'access-control-allow-methods')).toContain('post')
    expect(listed(reply.headers, 'access-control-allow-headers')).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']),
    )
  })
})

describe('operator endpoints may not be called from the page of another site', () => {
  test.each(['/keys', '/partners', '/users', '/audit', '/export'])(
    '%s has no CORS header and no preflight',
    async (path) => {
      const get = await service.fetch(`/api/admin${path}`, { key: ADMIN_TOKEN, headers: ORIGIN })
      const preflight = await service.fetch(`/api/admin${path}`, { method: 'OPTIONS', headers: ORIGIN })
      expect(get.status).toBe(200)
      expect(preflight.status).toBe(405)
      for (const { headers } of [get, preflight])
        expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    },
  )
})
