import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, message, modern, rpc } from '../harness/mcp.ts'
import { type Reply, startService, type TestService } from '../harness/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_SCALE: '1' })
})
afterAll(() => service.close())

const standard = async () => (await service.newKey('standard')).key
const remaining = ({ headers }: Reply) => Number(headers.get('x-ratelimit-remaining'))
const calls = (count: number) => Array.from({ length: count }, () => call('list_tags'))
/** In batches of ten, the most there may be in one. */
const spend = async (key: string, count: number) => {
  for (let left = count; left > 0; left -= 10) await rpc(service, key, calls(Math.min(10, left)))
}

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
    await spend(key, 30)
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
    await spend(key, 30)
    const reply = await modern(service, key, 'tools/call', { name: 'list_tags', arguments: {} })
    expectTooMany(reply)
    expect(reply.body.error.code).toBe(429)
  })

  test('429 before 400 and 404, also for an unknown tool', async () => {
    const key = await standard()
    await spend(key, 30)
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
    await spend(key, 28)
    const partly = await rpc(service, key, calls(5))
    expect(partly.status).toBe(200)
    expect(partly.body.filter(({ result }: { result?: unknown }) => result)).toHaveLength(2)
    expect(partly.body.flatMap(({ error }: { error?: { code: number } }) => error?.code ?? [])).toEqual([429, 429, 429])
    const none = await rpc(service, key, calls(2))
    expectTooMany(none)
    expect(none.body.map(({ error }: { error: { code: number } }) => error.code)).toEqual([429, 429])
  })

  test('holds at most ten messages: −32600 otherwise, and nothing of it is done or charged', async () => {
    const key = await standard()
    expect((await rpc(service, key, calls(10))).body).toHaveLength(10)
    for (const batch of [calls(11), [...calls(1), ...Array.from({ length: 49 }, () => message('ping'))]]) {
      const reply = await rpc(service, key, batch)
      expect([reply.status, reply.body.error.code, reply.body.id]).toEqual([400, -32600, null])
      expect(reply.body.error.message).toContain('at most 10 messages')
      expect(remaining(reply)).toBe(20)
    }
  })

  test('holds at most one tools/list: −32600 otherwise, and nothing of it is done or charged', async () => {
    const key = await standard()
    const one = await rpc(service, key, [message('tools/list'), message('ping'), call('list_tags')])
    expect([one.status, one.body.length]).toEqual([200, 3])
    const two = await rpc(service, key, [message('tools/list'), call('list_tags'), message('tools/list')])
    expect([two.status, two.body.error.code]).toEqual([400, -32600])
    expect(two.body.error.message).toContain('at most one tools/list')
    expect(remaining(two)).toBe(29)
  })

  test('every answer belongs to its question', async () => {
    const key = await standard()
    const batch = [call('list_tags'), message('ping'), call('no_such'), call('get_tool', { slug: 'no' })]
    const { body } = await rpc(service, key, batch)
    expect(body.map(({ id }: { id: number }) => id).sort()).toEqual(batch.map(({ id }) => id).sort())
  })
})

describe('what costs nothing has a ceiling of ten times the budget a minute', () => {
  /** The number of free messages that are answered, sent one after the other or in batches. */
  const pings = (count: number) => Array.from({ length: count }, () => message('ping'))

  function expectCeiling(reply: Reply, limit: number) {
    expect(reply.status).toBe(429)
    const wait = Number(reply.headers.get('retry-after'))
    expect(Number.isInteger(wait) && wait >= 1 && wait <= 60).toBe(true)
    expect(reply.headers.get('x-ratelimit-limit')).toBe(String(limit))
    expect(reply.headers.get('x-ratelimit-reset')).toMatch(/^\d+$/)
    expect(Math.abs(Number(reply.headers.get('x-ratelimit-reset')) - Date.now() / 1000 - wait)).toBeLessThan(3)
  }

  test.each([
    ['standard', 300],
    ['premium', 1200],
  ] as const)(
    '%s: %i messages, in batches, then 429 with Retry-After and the headers of the ceiling',
    async (plan, limit) => {
      const { key } = await service.newKey(plan)
      for (let i = 0; i < limit / 10; i++) expect((await rpc(service, key, pings(10))).status).toBe(200)
      const ping = message('ping')
      const reply = await rpc(service, key, ping)
      expectCeiling(reply, limit)
      expect(remaining(reply)).toBe(0)
      expect(reply.body).toMatchObject({
        jsonrpc: '2.0',
        id: ping.id,
        error: { code: 429, message: expect.any(String) },
      })
    },
  )

  test('every kind of it counts: notifications, tools/list, initialize, what is unknown or cannot be read, GET', async () => {
    const key = await standard()
    const clientInfo = { name: 'test', version: '1' }
    const free: (() => Promise<Reply>)[] = [
      () => rpc(service, key, message('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })),
      () => rpc(service, key, { jsonrpc: '2.0', method: 'notifications/initialized' }),
      () => rpc(service, key, message('tools/list')),
      () => rpc(service, key, message('no/such')),
      () => rpc(service, key, '{'),
      () => rpc(service, key, { nothing: true }),
      () => rpc(service, key, calls(11)),
      () => rpc(service, key, message('tools/call', { name: 5 })),
      () => rpc(service, key, message('tools/call', { name: 'list_tags', arguments: 'x' })),
      () => rpc(service, key, { jsonrpc: '2.0', id: 1, result: {} }),
      () => modern(service, key, 'server/discover'),
      () => modern(service, key, 'tools/list'),
      () => modern(service, key, 'tools/call', { name: 'list_tags' }, { 'mcp-name': 'other' }),
      () => service.fetch('/mcp', { key }),
    ]
    for (let i = 0; i < 28; i++) await rpc(service, key, pings(10))
    await rpc(service, key, pings(20 - free.length))
    for (const [i, ask] of free.entries()) {
      const reply = await ask()
      expect([i, reply.status === 429, remaining(reply)]).toEqual([i, false, 30])
    }
    for (const [i, ask] of free.entries()) {
      const reply = await ask()
      expect([i, reply.status]).toEqual([i, 429])
      expectCeiling(reply, 300)
    }
  })

  test('what cannot be read counts by its length', async () => {
    const key = await standard()
    const long = `[${'1,'.repeat(100_000)}`
    let answered = 0
    while ((await rpc(service, key, long)).status === 400) answered++
    expect(answered).toBeGreaterThan(10)
    expect(answered).toBeLessThan(30)
    // Refused before it is read, and said in the envelope.
    const reply = await rpc(service, key, long)
    expectCeiling(reply, 300)
    expect(reply.body).toEqual({ success: false, error: expect.stringContaining('Rate limit exceeded') })
  })

  test('a client that sends its bodies in chunks has every call of its budget', async () => {
    const key = await standard()
    const send = () =>
      fetch(`${service.origin}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: new Blob([JSON.stringify(call('list_tags'))]).stream(),
        duplex: 'half',
      } as RequestInit)
    const statuses: number[] = []
    for (let i = 0; i < 31; i++) statuses.push((await send()).status)
    expect(statuses).toEqual([...Array(30).fill(200), 429])
  })

  test('calls go on past it, and a batch that mixes them with what is free is refused whole and charged nothing', async () => {
    const key = await standard()
    for (let i = 0; i < 30; i++) await rpc(service, key, pings(10))
    expect((await rpc(service, key, call('list_tags'))).status).toBe(200)
    const mixed = [...calls(2), message('ping')]
    const reply = await rpc(service, key, mixed)
    expectCeiling(reply, 300)
    expect(reply.body.map(({ id }: { id: number }) => id)).toEqual(mixed.map(({ id }) => id))
    expect(remaining(await rpc(service, key, call('list_tags')))).toBe(28)
  })

  test('it is one of the key: another key has its own, and REST and calls are not charged', async () => {
    const [spent, fresh] = [await standard(), await standard()]
    for (let i = 0; i < 30; i++) await rpc(service, spent, pings(10))
    expect((await rpc(service, spent, message('ping'))).status).toBe(429)
    expect((await rpc(service, fresh, message('ping'))).status).toBe(200)
    expect((await service.rest('/tags', { key: spent })).headers.get('x-ratelimit-remaining')).toBe('9')
    expect(remaining(await rpc(service, spent, call('list_tags')))).toBe(29)
  })
})

test('the list of tools is the same in every answer that holds it', async () => {
  const key = await standard()
  const { tools } = (await rpc(service, key, message('tools/list'))).body.result
  expect(tools.map(({ name }: { name: string }) => name)).toContain('search_tools')
  const [, inBatch] = (await rpc(service, key, [message('ping'), message('tools/list')])).body
  expect(inBatch.result.tools).toEqual(tools)
  expect((await modern(service, key, 'tools/list')).body.result.tools).toEqual(tools)
})
