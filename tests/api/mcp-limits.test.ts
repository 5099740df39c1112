// @module-tag once
import { describe, expect, test } from 'vitest'
import { call, message, modern, rpc } from '../harness/mcp.ts'
import type { Reply } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const service = useService({ RATE_LIMIT_SCALE: '1' })

const standard = async () => (await service.newKey('standard')).key
const remaining = ({ headers }: Reply) => Number(headers.get('x-ratelimit-remaining'))
const calls = (count: number) => Array.from({ length: count }, () => call('list_tags'))
/** Sends the calls in batches of ten, the largest that is allowed. */
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

describe('the budget of a key', () => {
  test('is not charged for initialize, notifications/initialized, ping and tools/list, which carry the three headers', async () => {
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

  test('is charged for each tools/call, whatever its answer', async () => {
    const key = await standard()
    expect(remaining(await rpc(service, key, call('list_tags')))).toBe(29)
    expect(remaining(await rpc(service, key, call('get_tool', { slug: 'no-such' })))).toBe(28)
    expect(remaining(await rpc(service, key, call('search_tools', { pricing: 'x' })))).toBe(27)
    expect(remaining(await modern(service, key, 'tools/call', { name: 'list_tags', arguments: {} }))).toBe(26)
    expect(remaining(await rpc(service, key, message('ping')))).toBe(26)
  })

  test('is not charged for a malformed request body', async () => {
    const key = await standard()
    const malformed = ['{', '', '5', '[]', '{"jsonrpc":"2.0"}', JSON.stringify(message('tools/call', { name: 5 }))]
    for (const body of malformed) expect(remaining(await rpc(service, key, body))).toBe(30)
    expect(remaining(await rpc(service, key, 'a'.repeat(300_000)))).toBe(30)
    expect(remaining(await rpc(service, key, '{}', {}, 'text/plain'))).toBe(30)
    const mismatch = await modern(service, key, 'tools/call', { name: 'list_tags' }, { 'mcp-name': 'other' })
    expect([mismatch.status, remaining(mismatch)]).toEqual([400, 30])
  })
})

describe('a call past the budget', () => {
  test('gets a 429 with Retry-After and a JSON-RPC error with code 429, while free methods still answer', async () => {
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

  test('gets the same at the newest revision', async () => {
    const key = await standard()
    await spend(key, 30)
    const reply = await modern(service, key, 'tools/call', { name: 'list_tags', arguments: {} })
    expectTooMany(reply)
    expect(reply.body.error.code).toBe(429)
  })

  test('gets a 429 before any 400 or 404, also for an unknown tool', async () => {
    const key = await standard()
    await spend(key, 30)
    for (const body of [call('search_tools', { pricing: 'x' }), call('get_tool', { slug: 'no' }), call('no_such')])
      expectTooMany(await rpc(service, key, body))
  })
})

describe('a batch', () => {
  test('is charged for each call in it', async () => {
    const key = await standard()
    const reply = await rpc(service, key, [message('ping'), ...calls(3), message('tools/list')])
    expect(reply.status).toBe(200)
    expect(reply.body).toHaveLength(5)
    expect(remaining(await rpc(service, key, message('ping')))).toBe(27)
  })

  test('has the error in the result of each call past the budget, and is a 429 only when no call was served', async () => {
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

  test('a batch of more than ten messages gets −32600, and nothing of it is done or charged', async () => {
    const key = await standard()
    expect((await rpc(service, key, calls(10))).body).toHaveLength(10)
    for (const batch of [calls(11), [...calls(1), ...Array.from({ length: 49 }, () => message('ping'))]]) {
      const reply = await rpc(service, key, batch)
      expect([reply.status, reply.body.error.code, reply.body.id]).toEqual([400, -32600, null])
      expect(reply.body.error.message).toContain('at most 10 messages')
      expect(remaining(reply)).toBe(20)
    }
  })

  test('a batch with more than one tools/list gets −32600, and nothing of it is done or charged', async () => {
    const key = await standard()
    const one = await rpc(service, key, [message('tools/list'), message('ping'), call('list_tags')])
    expect([one.status, one.body.length]).toEqual([200, 3])
    const two = await rpc(service, key, [message('tools/list'), call('list_tags'), message('tools/list')])
    expect([two.status, two.body.error.code]).toEqual([400, -32600])
    expect(two.body.error.message).toContain('at most one tools/list')
    expect(remaining(two)).toBe(29)
  })

  test('gets an answer for each of its requests', async () => {
    const key = await standard()
    const batch = [call('list_tags'), message('ping'), call('no_such'), call('get_tool', { slug: 'no' })]
    const { body } = await rpc(service, key, batch)
    expect(body.map(({ id }: { id: number }) => id).sort()).toEqual(batch.map(({ id }) => id).sort())
  })
})

describe('messages that are not charged have a limit of ten times the budget a minute', () => {
  /** Makes this many free messages, to be sent one by one or as a batch. */
  const pings = (count: number) => Array.from({ length: count }, () => message('ping'))

  function expectFreeLimit(reply: Reply, limit: number) {
    expect(reply.status).toBe(429)
    const wait = Number(reply.headers.get('retry-after'))
    expect(Number.isInteger(wait) && wait >= 1 && wait <= 60).toBe(true)
    expect(reply.headers.get('x-ratelimit-limit')).toBe(String(limit))
    expect(reply.headers.get('x-ratelimit-reset')).toMatch(/^\d+$/)
    expect(
      Math.abs(Number(reply.headers.get('x-ratelimit-reset')) - Date.parse(reply.headers.get('date')!) / 1000 - wait),
    ).toBeLessThan(3)
  }

  test.each([
    ['standard', 300],
    ['premium', 1200],
  ] as const)(
    'a %s key may send %i messages in batches, then gets a 429 with Retry-After and the headers of this limit',
    async (plan, limit) => {
      const { key } = await service.newKey(plan)
      for (let i = 0; i < limit / 10; i++) expect((await rpc(service, key, pings(10))).status).toBe(200)
      const ping = message('ping')
      const reply = await rpc(service, key, ping)
      expectFreeLimit(reply, limit)
      expect(remaining(reply)).toBe(0)
      expect(reply.body).toMatchObject({
        jsonrpc: '2.0',
        id: ping.id,
        error: { code: 429, message: expect.any(String) },
      })
    },
  )

  test('every free message counts: notifications, tools/list, initialize, unknown or unreadable messages, GET', async () => {
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
      expectFreeLimit(reply, 300)
    }
  })

  test('an unreadable body counts by its length', async () => {
    const key = await standard()
    const long = `[${'1,'.repeat(100_000)}`
    let answered = 0
    while ((await rpc(service, key, long)).status === 400) answered++
    expect(answered).toBeGreaterThan(10)
    expect(answered).toBeLessThan(30)
    // The service refuses it before reading the body, and answers with the envelope.
    const reply = await rpc(service, key, long)
    expectFreeLimit(reply, 300)
    expect(reply.body).toEqual({
      success: false,
      error: expect.stringContaining('Rate limit exceeded'),
      code: 'rate_limited',
    })
  })

  test('a client that sends its bodies in chunks can use its whole budget', async () => {
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

  test('calls are still answered past this limit, and a batch of calls and free messages is refused whole and not charged', async () => {
    const key = await standard()
    for (let i = 0; i < 30; i++) await rpc(service, key, pings(10))
    expect((await rpc(service, key, call('list_tags'))).status).toBe(200)
    const mixed = [...calls(2), message('ping')]
    const reply = await rpc(service, key, mixed)
    expectFreeLimit(reply, 300)
    expect(reply.body.map(({ id }: { id: number }) => id)).toEqual(mixed.map(({ id }) => id))
    expect(remaining(await rpc(service, key, call('list_tags')))).toBe(28)
  })

  test('each key has its own limit, and REST and calls are not charged to it', async () => {
    const [spent, fresh] = [await standard(), await standard()]
    for (let i = 0; i < 30; i++) await rpc(service, spent, pings(10))
    expect((await rpc(service, spent, message('ping'))).status).toBe(429)
    expect((await rpc(service, fresh, message('ping'))).status).toBe(200)
    expect((await service.rest('/tags', { key: spent })).headers.get('x-ratelimit-remaining')).toBe('9')
    expect(remaining(await rpc(service, spent, call('list_tags')))).toBe(29)
  })
})

test('every answer with the list of tools holds the same list', async () => {
  const key = await standard()
  const { tools } = (await rpc(service, key, message('tools/list'))).body.result
  expect(tools.map(({ name }: { name: string }) => name)).toContain('search_tools')
  const [, inBatch] = (await rpc(service, key, [message('ping'), message('tools/list')])).body
  expect(inBatch.result.tools).toEqual(tools)
  expect((await modern(service, key, 'tools/list')).body.result.tools).toEqual(tools)
})
