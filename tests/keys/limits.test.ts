import { describe, expect, test } from 'vitest'
import { call, rpc } from '../harness/mcp.ts'
import type { Reply } from '../harness/service.ts'
import { expectFailure } from '../harness/shapes.ts'
import { useService } from '../harness/use.ts'

const service = useService({ RATE_LIMIT_SCALE: '1' })

const rate = ({ headers }: Pick<Reply, 'headers'>) => ({
  limit: Number(headers.get('x-ratelimit-limit') ?? Number.NaN),
  remaining: Number(headers.get('x-ratelimit-remaining') ?? Number.NaN),
  reset: Number(headers.get('x-ratelimit-reset') ?? Number.NaN),
})
const read = (key: string, path = '/tags') => service.rest(path, { key })
const times = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))
const standard = async () => (await service.newKey('standard')).key
const spend = async (key: string) => times(10, () => read(key))
const seconds = () => Date.now() / 1000

function expectTooMany(reply: Reply, limit: number) {
  expect(reply.status).toBe(429)
  expectFailure(reply.body)
  expect(rate(reply)).toMatchObject({ limit, remaining: 0 })
  const wait = Number(reply.headers.get('retry-after'))
  expect(Number.isInteger(wait)).toBe(true)
  expect(wait).toBeGreaterThanOrEqual(1)
  expect(wait).toBeLessThanOrEqual(60)
  // After the wait the window has ended.
  expect(Math.abs(rate(reply).reset - Date.parse(reply.headers.get('date')!) / 1000 - wait)).toBeLessThan(3)
}

describe('a key has a budget of REST requests per minute', () => {
  test.each([
    ['a standard key', 10, standard],
    ['a premium key', 60, async () => (await service.newKey('premium')).key],
    ['a partner key, like a premium key,', 60, async () => (await service.newPartner()).key],
  ])('%s has %i requests per minute', async (_kind, limit, make) => {
    const key = await make()
    const first = await read(key)
    expect(rate(first)).toMatchObject({ limit, remaining: limit - 1 })
    const replies = await times(limit + 4, () => read(key))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(limit - 1)
    for (const reply of replies.filter(({ status }) => status !== 200)) expectTooMany(reply, limit)
  })

  test('forty calls at once with a new standard key: exactly ten succeed', async () => {
    const key = await standard()
    const replies = await times(40, (i) => read(key, ['/tools', '/tags', '/directories', '/categories'][i % 4]))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(30)
    const left = replies.filter(({ status }) => status === 200).map((reply) => rate(reply).remaining)
    expect(left.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('limits are counted per key, not per IP address', async () => {
    const [spent, fresh] = [await standard(), await standard()]
    await spend(spent)
    expect((await read(spent)).status).toBe(429)
    expect(rate(await read(fresh)).remaining).toBe(9)
  })

  test('X-RateLimit-Reset is the Unix time in whole seconds at which the window ends, the same for the whole window', async () => {
    const key = await standard()
    const resets = new Set<number>()
    for (let i = 0; i < 4; i++) resets.add(rate(await read(key)).reset)
    const [reset] = resets
    expect(Math.max(...resets) - Math.min(...resets)).toBeLessThanOrEqual(1)
    expect(Number.isInteger(reset)).toBe(true)
    expect(reset! - seconds()).toBeGreaterThan(50)
    expect(reset! - seconds()).toBeLessThanOrEqual(61)
  })
})

describe('the budget of a key', () => {
  test('is charged for every authenticated REST call, whatever its answer: 200, 304, 400, 403, 404, 405, HEAD', async () => {
    const key = await standard()
    const etag = (await read(key)).headers.get('etag')!
    const asks = [
      () => service.rest('/tags', { key, headers: { 'if-none-match': etag } }),
      () => read(key, '/tools?pricing=x'),
      () => service.fetch('/api/admin/keys', { key }),
      () => read(key, '/tools/no-such'),
      () => read(key, '/no-such-path'),
      () => service.rest('/tools', { key, method: 'POST' }),
      () => service.rest('/tools', { key, method: 'HEAD' }),
    ]
    const charged = []
    for (const ask of asks) {
      const reply = await ask()
      charged.push([reply.status, rate(reply).limit, rate(reply).remaining])
    }
    expect(charged).toEqual([304, 400, 403, 404, 404, 405, 200].map((status, i) => [status, 10, 8 - i]))
  })

  test.each([
    ['cannot be decoded', '/tools/%ZZ', 400],
    ['is very long', `/tools/${'a'.repeat(1000)}`, 404],
  ])('is also charged at an address that %s', async (_case, path, status) => {
    const key = await standard()
    const reply = await read(key, path)
    expect([reply.status, rate(reply).limit, rate(reply).remaining]).toEqual([status, 10, 9])
  })

  test('is not charged for a refused call (429), and the order of checks is 403, 429, 400, 404', async () => {
    const key = await standard()
    await spend(key)
    for (const path of ['/tags', '/tools?pricing=x', '/tools/no-such']) expectTooMany(await read(key, path), 10)
    expect((await service.fetch('/api/admin/keys', { key })).status).toBe(403)
  })

  test('changes with the plan at once, also within a window', async () => {
    const { key } = await service.newKey('standard', 'upgrade@example.com')
    await spend(key)
    expect((await read(key)).status).toBe(429)
    const users = (await service.admin('GET', '/users')).body.data
    const { id } = users.find(({ email }: { email: string }) => email === 'upgrade@example.com')
    await service.admin('PATCH', `/users/${id}`, { plan: 'premium' })
    expect(rate(await read(key))).toMatchObject({ limit: 60, remaining: 49 })
  })
})

describe('REST and MCP have separate budgets', () => {
  test('calls of one are not charged to the other', async () => {
    const key = await standard()
    await spend(key)
    expect((await read(key)).status).toBe(429)
    expect(rate(await service.tool('list_tags', {}, key))).toMatchObject({ limit: 30, remaining: 29 })
    const other = await standard()
    await service.tool('list_tags', {}, other)
    expect(rate(await read(other))).toMatchObject({ limit: 10, remaining: 9 })
  })

  test.each([
    ['standard', 30],
    ['premium', 120],
  ] as const)('a %s key has %i MCP requests per minute', async (plan, limit) => {
    const { key } = await service.newKey(plan)
    const replies = await times(limit + 5, () => service.tool('list_tags', {}, key))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(limit)
    for (const reply of replies.filter(({ status }) => status !== 200)) expect(reply.status).toBe(429)
    expect(rate(replies[0]!).limit).toBe(limit)
  })
})

// This must be the last test, because it spends the budget of the test's IP address.
describe('calls without a key are charged to the IP address', () => {
  test('discovery, openapi.json and 401s share 60 calls per minute; X-Forwarded-For is ignored; a 401 stays a 401', async () => {
    const key = await standard()
    let calls = 0
    const ask = (path: string) =>
      service.rest(path, { key: null, headers: { 'x-forwarded-for': `203.0.113.${++calls}` } })
    const before = rate(await ask('/'))
    expect(before.limit).toBe(60)
    expect(rate(await ask('/openapi.json')).remaining).toBe(before.remaining - 1)
    const unauthorized = await ask('/tools')
    expect([unauthorized.status, rate(unauthorized).remaining]).toEqual([401, before.remaining - 2])
    expect(rate(await rpc(service, null, call('list_tags'))).remaining).toBe(before.remaining - 3)
    await times(before.remaining - 3, () => ask('/'))
    for (const path of ['/', '/openapi.json', '/no-such']) expectTooMany(await ask(path), 60)
    const still = await ask('/tools')
    expect(still.status).toBe(401)
    expect(rate(still)).toMatchObject({ limit: 60, remaining: 0 })
    expect((await read(key)).status).toBe(200)
    for (const path of ['/healthz', '/readyz']) expect((await service.fetch(path)).status).toBe(200)
  })
})
