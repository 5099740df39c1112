import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, message, modern, rpc } from '../support/mcp.ts'
import { type Reply, startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_SCALE: '1' })
})
afterAll(() => service.close())

const standard = async () => (await service.newKey('standard')).key
const remaining = ({ headers }: Reply) => Number(headers.get('x-ratelimit-remaining'))
const calls = (count: number) => Array.from({ length: count }, () => call('list_tags'))

function expectTooMany(reply: Reply) {
  expect(reply.status).toBe(429)
  const wait = Number(reply.headers.get('retry-after'))
  expect(Number.isInteger(wait) && wait >= 1 && wait <= 60).toBe(true)
  expect(reply.headers.get('x-ratelimit-limit')).toBe('30')
  expect(remaining(reply)).toBe(0)
  expect(reply.headers.get('x-ratelimit-reset')).toMatch(/^\d+$/)
}

describe('what is charged', () => {
  test('initialize, notifications/initialized, ping and tools/list are free and carry the three headers', async () => {
    const key = await standard()
    const clientInfo = { name: 'test', version: '1' }
    const free = [
      message('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      message('ping'),
      message('tools/list'),
      message('no/such'),
    ]
    for (let round = 0; round < 8; round++)
      for (const body of free) {
        const reply = await rpc(service, key, body)
        expect(reply.headers.get('x-ratelimit-limit')).toBe('30')
        expect(remaining(reply)).toBe(30)
        expect(reply.headers.get('x-ratelimit-reset')).toMatch(/^\d+$/)
      }
    for (const method of ['tools/list', 'server/discover'])
      expect(remaining(await modern(service, key, method))).toBe(30)
  })

  test('only tools/call is charged, whatever its answer', async () => {
    const key = await standard()
    expect(remaining(await rpc(service, key, call('list_tags')))).toBe(29)
    expect(remaining(await rpc(service, key, call('get_tool', { slug: 'no-such' })))).toBe(28)
    expect(remaining(await rpc(service, key, call('search_tools', { pricing: 'x' })))).toBe(27)
    expect(remaining(await modern(service, key, 'tools/call', { name: 'list_tags', arguments: {} }))).toBe(26)
    expect(remaining(await rpc(service, key, message('ping')))).toBe(26)
  })

  test('a malformed request body is not charged', async () => {
    const key = await standard()
    const malformed = ['{', '', '5', '[]', '{"jsonrpc":"2.0"}', JSON.stringify(message('tools/call', { name: 5 }))]
    for (const body of malformed) expect(remaining(await rpc(service, key, body))).toBe(30)
    expect(remaining(await rpc(service, key, 'a'.repeat(300_000)))).toBe(30)
    expect(remaining(await rpc(service, key, '{}', {}, 'text/plain'))).toBe(30)
    const mismatch = await modern(service, key, 'tools/call', { name: 'list_tags' }, { 'mcp-name': 'other' })
    expect([mismatch.status, remaining(mismatch)]).toEqual([400, 30])
  })
})

describe('429', () => {
  test('over quota: HTTP 429 with Retry-After and a JSON-RPC error whose code is 429; free methods go on', async () => {
    const key = await standard()
    await rpc(service, key, calls(30))
    const body = call('list_tags')
    const reply = await rpc(service, key, body)
    expectTooMany(reply)
    expect(reply.body).toMatchObject({ jsonrpc: '2.0', id: body.id, error: { code: 429, message: expect.any(String) } })
    expect(reply.body).not.toHaveProperty('result')
    expect((await rpc(service, key, message('ping'))).status).toBe(200)
    expect((await rpc(service, key, message('tools/list'))).status).toBe(200)
  })

  test('the same at the newest revision', async () => {
    const key = await standard()
    await rpc(service, key, calls(30))
    const reply = await modern(service, key, 'tools/call', { name: 'list_tags', arguments: {} })
    expectTooMany(reply)
    expect(reply.body.error.code).toBe(429)
  })

  test('429 before 400 and 404, also for an unknown tool', async () => {
    const key = await standard()
    await rpc(service, key, calls(30))
    for (const body of [call('search_tools', { pricing: 'x' }), call('get_tool', { slug: 'no' }), call('no_such')])
      expectTooMany(await rpc(service, key, body))
  })
})

describe('a batch', () => {
  test('is charged per call', async () => {
    const key = await standard()
    const reply = await rpc(service, key, [message('ping'), ...calls(3), message('tools/list')])
    expect(reply.status).toBe(200)
    expect(reply.body).toHaveLength(5)
    expect(remaining(await rpc(service, key, message('ping')))).toBe(27)
  })

  test('calls past the quota get the error in-band; 429 only when none was served', async () => {
    const key = await standard()
    await rpc(service, key, calls(28))
    const partly = await rpc(service, key, calls(5))
    expect(partly.status).toBe(200)
    expect(partly.body.filter(({ result }: { result?: unknown }) => result)).toHaveLength(2)
    expect(partly.body.flatMap(({ error }: { error?: { code: number } }) => error?.code ?? [])).toEqual([429, 429, 429])
    const none = await rpc(service, key, calls(2))
    expectTooMany(none)
    expect(none.body.map(({ error }: { error: { code: number } }) => error.code)).toEqual([429, 429])
  })

  test('every answer belongs to its question', async () => {
    const key = await standard()
    const batch = [call('list_tags'), message('ping'), call('no_such'), call('get_tool', { slug: 'no' })]
    const { body } = await rpc(service, key, batch)
    expect(body.map(({ id }: { id: number }) => id).sort()).toEqual(batch.map(({ id }) => id).sort())
  })
})
