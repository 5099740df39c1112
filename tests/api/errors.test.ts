// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { call, rpc } from '../harness/mcp.ts'
import { request, sendRaw } from '../harness/raw.ts'
import { ADMIN_TOKEN, type Reply } from '../harness/service.ts'
import { expectFailure } from '../harness/shapes.ts'
import { STUB_KEY, startStub } from '../harness/stub.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
  await service.load([{ kind: 'tool', slug: 'one', name: 'One' }])
})

const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
const expectRateHeaders = (reply: Pick<Reply, 'headers'>) => {
  for (const name of RATE_HEADERS) expect(reply.headers.get(name), name).toMatch(/^\d+$/)
}
const put = (body: unknown, type?: string) =>
  service.fetch('/api/admin/tools/errors', { method: 'PUT', key: ADMIN_TOKEN, body, type })

describe('304', () => {
  test('is the answer to a read with a matching If-None-Match, without a body', async () => {
    for (const path of ['/tools', '/tools/top', '/tools/one', '/categories', '/tags', '/directories', '/']) {
      const etag = (await service.rest(path)).headers.get('etag')!
      expect(etag).toMatch(/^(W\/)?"[^"]+"$/)
      for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const reply = await service.rest(path, { headers: { 'if-none-match': sent } })
        expect([path, sent, reply.status, reply.text]).toEqual([path, sent, 304, ''])
        expect(reply.headers.get('etag')).toBe(etag)
        expectRateHeaders(reply)
      }
      expect((await service.rest(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    }
  })

  test('is not the answer when the catalog has changed: the ETag is another', async () => {
    const before = (await service.rest('/tools')).headers.get('etag')!
    await service.load([{ kind: 'tool', slug: 'two', name: 'Two' }])
    const after = await service.rest('/tools', { headers: { 'if-none-match': before } })
    expect(after.status).toBe(200)
    expect(after.headers.get('etag')).not.toBe(before)
  })
})

describe('HEAD', () => {
  test('answers like GET without the body', async () => {
    const get = await service.rest('/tools')
    const head = await service.rest('/tools', { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['etag', 'content-type', 'content-length', 'access-control-allow-origin'])
      expect(head.headers.get(name)).toBe(get.headers.get(name))
    expect((await service.rest('/tools/no-such', { method: 'HEAD' })).status).toBe(404)
    expect((await service.rest('/tools', { method: 'HEAD', key: null })).status).toBe(401)
  })
})

describe('400', () => {
  test.each([
    ['cut off', '{"name":'],
    ['no JSON', 'name=x'],
    ['empty', ''],
    ['with __proto__', '{"name":"x","__proto__":{"admin":true}}'],
    ['with constructor.prototype', '{"name":"x","constructor":{"prototype":{"admin":true}}}'],
  ])('is the answer to an unreadable body: %s', async (_case, body) => {
    const reply = await put(body)
    expect(reply.status).toBe(400)
    expectFailure(reply.body)
  })

  test('is the answer to a body that is not UTF-8', async () => {
    const bytes = Buffer.from('{"name":"Caf\xe9 \xff"}', 'latin1')
    const headers = ['Content-Type: application/json', `Authorization: Bearer ${ADMIN_TOKEN}`]
    const reply = await sendRaw(service.origin, request('PUT', '/api/admin/tools/errors', headers, bytes))
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('UTF-8')])
    const mcp = [`Authorization: Bearer ${(await service.newKey()).key}`, 'Content-Type: application/json']
    const answer = await sendRaw(service.origin, request('POST', '/mcp', mcp, bytes))
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([400, -32700])
  })

  test.each(['[]', '"text"', '5', 'null', 'true'])(
    'is the answer to a body that is not an object: %s',
    async (body) => {
      expect((await put(body)).status).toBe(400)
    },
  )

  test('is not the answer to a content type without a body where no body is needed', async () => {
    const { id } = await service.newKey()
    const partner = await service.newPartner()
    for (const [method, path] of [
      ['DELETE', `/keys/${id}`],
      ['POST', `/partners/${partner.id}/rotate-secret`],
    ] as const) {
      const options = { method, key: ADMIN_TOKEN, headers: { 'content-type': 'application/json' } }
      expect([path, (await service.fetch(`/api/admin${path}`, options)).status]).toEqual([path, 200])
    }
  })

  test('is the answer to a missing body', async () => {
    expect((await service.fetch('/api/admin/tools/errors', { method: 'PUT', key: ADMIN_TOKEN })).status).toBe(400)
    const nothing = await service.fetch('/api/admin/import', { method: 'POST', key: ADMIN_TOKEN })
    expect([400, 415]).toContain(nothing.status)
  })

  test('for an address that cannot be decoded has the envelope and the three headers', async () => {
    for (const path of ['/tools/%', '/tools/%ZZ', '/tools/%E0%A4%A', '/directories/%C0%80']) {
      const reply = await service.rest(path)
      expect([path, reply.status]).toEqual([path, 400])
      expectFailure(reply.body)
      expectRateHeaders(reply)
    }
  })

  test('for a request that is no HTTP has the envelope', async () => {
    const reply = await sendRaw(service.origin, 'NONSENSE\r\n\r\n')
    expect(reply.status).toBe(400)
    expectFailure(JSON.parse(reply.text))
  })
})

describe('404', () => {
  test.each([
    '/api/v1/no-such',
    '/api/v1/tools/one/two',
    '/api/v2/tools',
    '/api/admin/no-such',
    '/api/v1//tools',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server/mcp',
    '/mcp/no-such',
  ])('an unknown path gets a 404: %s', async (path) => {
    for (const method of ['GET', 'POST']) {
      const reply = await service.fetch(path, { method, key })
      expect(reply.status).toBe(404)
      expectRateHeaders(reply)
      if (path.startsWith('/api')) expectFailure(reply.body)
    }
  })
})

describe('405', () => {
  test.each([
    ['/api/v1/tools', 'POST', 'GET, HEAD'],
    ['/api/v1/tools', 'DELETE', 'GET, HEAD'],
    ['/api/v1/tools/one', 'PUT', 'GET, HEAD'],
    ['/api/v1/', 'PATCH', 'GET, HEAD'],
    ['/api/v1/openapi.json', 'POST', 'GET, HEAD'],
    ['/api/v1/tools', 'PROPFIND', 'GET, HEAD'],
    ['/api/v1/tools', 'PURGE', 'GET, HEAD'],
    ['/mcp', 'GET', 'POST'],
    ['/mcp', 'DELETE', 'POST'],
    ['/mcp', 'PUT', 'POST'],
    ['/api/admin/keys', 'PUT', 'POST, GET, HEAD'],
    ['/api/admin/tools/one', 'POST', 'GET, HEAD, PUT, PATCH, DELETE'],
  ])('is the answer to a wrong method on a known path: %s %s', async (path, method, allow) => {
    const reply = await service.fetch(path, { method, key })
    expect(reply.status).toBe(405)
    const methods = (text: string | null) => text?.split(', ').sort()
    expect(methods(reply.headers.get('allow'))).toEqual(methods(allow))
    expectFailure(reply.body)
    expectRateHeaders(reply)
  })

  test('is sent before the body is read', async () => {
    expect((await service.fetch('/api/v1/tools', { method: 'POST', key, body: '{', type: 'text/x' })).status).toBe(405)
  })
})

describe('413', () => {
  const large = JSON.stringify({ name: 'x', description: 'a'.repeat(256 * 1024) })
  test('is the answer to a body over 256 KiB', async () => {
    for (const reply of [await put(large), await rpc(service, key, large)]) {
      expect(reply.status).toBe(413)
      expectFailure(reply.body)
    }
  })

  test('is not the answer to a body of exactly 256 KiB', async () => {
    const body = JSON.stringify({ name: 5, padding: '' })
    const whole = body.replace('""', `"${'a'.repeat(256 * 1024 - body.length)}"`)
    expect(whole.length).toBe(256 * 1024)
    expect((await put(whole)).body.error).toContain('name')
  })
})

describe('415', () => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'multipart/form-data; boundary=x'])(
    'is the answer to a wrong media type: %s',
    async (type) => {
      for (const reply of [
        await put('{"name":"x"}', type),
        await rpc(service, key, JSON.stringify(call('list_tags')), {}, type),
      ]) {
        expect(reply.status).toBe(415)
        expectFailure(reply.body)
      }
    },
  )

  test('is the answer to JSON where lines are expected', async () => {
    const reply = await service.fetch('/api/admin/import', { method: 'POST', key: ADMIN_TOKEN, body: {} })
    expect(reply.status).toBe(415)
    expect(reply.body.error).toContain('ndjson')
  })

  test('is not the answer to a parameter after the right media type', async () => {
    expect((await put({ name: 'x' }, 'application/json; charset=utf-8')).status).toBe(200)
  })
})

describe('431', () => {
  test('for headers that are too long has the envelope', async () => {
    const reply = await sendRaw(service.origin, request('GET', '/api/v1/tools', [`X-Large: ${'a'.repeat(20_000)}`]))
    expect(reply.status).toBe(431)
    expectFailure(JSON.parse(reply.text))
  })

  test("for a request line that is too long is charged to the client's address and carries its rate headers", async () => {
    const send = async () => {
      const reply = await sendRaw(service.origin, request('GET', `/api/v1/tools?q=${'a'.repeat(20_000)}`))
      expect(reply.status).toBe(431)
      for (const name of ['limit', 'remaining', 'reset'])
        expect(reply.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/)
      return Number(reply.headers.get('x-ratelimit-remaining'))
    }
    const first = await send()
    expect(await send()).toBeLessThan(first)
  })
})

describe('500', () => {
  test('is a fixed sentence; the log has the cause, once', async () => {
    const stub = await startStub({ error: new Error('inner detail') })
    const headers = { authorization: `Bearer ${STUB_KEY}` }
    const reply = await fetch(`${stub.origin}/api/v1/breaks`, { headers })
    const text = await reply.text()
    expect(reply.status).toBe(500)
    expectFailure(JSON.parse(text))
    expect(text).not.toContain('inner')
    expectRateHeaders(reply)
    const errors = stub.logged.filter(({ level }) => level === 'error')
    expect(errors).toHaveLength(1)
    expect(String(errors[0]!.err)).toContain('inner detail')
    await stub.close()
  })
})

describe('503', () => {
  test('with Retry-After is the answer while the database is away', async () => {
    const stub = await startStub({ error: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) })
    const reply = await fetch(`${stub.origin}/api/v1/breaks`, { headers: { 'x-api-key': STUB_KEY } })
    expect(reply.status).toBe(503)
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expectFailure(await reply.json())
    await stub.close()
  })
})
