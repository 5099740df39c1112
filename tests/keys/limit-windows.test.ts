// Long waits use a clock that the test sets; waits of a second are real.
import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterEach, describe, expect, test } from 'vitest'
import { VISITOR_BUDGETS } from '../../src/features/keys/budgets.rules.ts'
import type { Limiter } from '../../src/kernel/caller.ts'
import { createMemoryLimiter } from '../../src/platform/limiter/memory.ts'
import { createRedisLimiter } from '../../src/platform/limiter/redis.ts'
import { startFaultProxy } from '../harness/fault-proxy.ts'
import { call } from '../harness/mcp.ts'
import { recordingLog, startService } from '../harness/service.ts'
import { STUB_KEY, type Stub, startStub } from '../harness/stub.ts'

let stub: Stub | undefined
afterEach(async () => {
  await stub?.close()
  stub = undefined
})

const headers = { authorization: `Bearer ${STUB_KEY}` }
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const MINUTE = [{ calls: 10, seconds: 60 }]

describe('rate limits use fixed windows of 60 seconds that start at the first call', () => {
  test('a call late in the window does not make it longer', () => {
    let now = 1_000_000_000_500
    const limiter = createMemoryLimiter(() => now)
    limiter.charge('key', MINUTE)
    now += 59_000
    for (let i = 0; i < 9; i++) expect(limiter.charge('key', MINUTE)).toMatchObject({ allowed: true })
    expect(limiter.charge('key', MINUTE)).toMatchObject({ allowed: false, remaining: 0, retryAfter: 1 })
    now += 1_000
    expect(limiter.charge('key', MINUTE)).toMatchObject({ allowed: true, remaining: 9 })
  })

  test('the reset is the whole second at or after the end of the window', () => {
    const limiter = createMemoryLimiter(() => 1_000_000_000_500)
    expect(limiter.charge('key', MINUTE)).toMatchObject({ reset: 1_000_000_061 })
  })

  test('Retry-After is at least 1, and a call after that wait always succeeds, whatever happened before', () => {
    const step = fc.record({ pause: fc.integer({ min: 0, max: 70_000 }), calls: fc.integer({ min: 1, max: 80 }) })
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 30 }),
        fc.constantFrom(MINUTE, VISITOR_BUDGETS),
        (steps, budgets) => {
          let now = 1_700_000_000_123
          const limiter = createMemoryLimiter(() => now)
          for (const { pause, calls } of steps) {
            now += pause
            let decision = limiter.charge('id', budgets)
            for (let i = 1; i < calls && allowed(decision); i++) decision = limiter.charge('id', budgets)
            if (allowed(decision)) continue
            const { retryAfter, reset } = decision as { retryAfter: number; reset: number }
            expect(Number.isInteger(retryAfter) && retryAfter >= 1).toBe(true)
            expect(reset).toBeLessThanOrEqual(Math.ceil(now / 1000) + retryAfter)
            now += retryAfter * 1000
            expect(allowed(limiter.charge('id', budgets))).toBe(true)
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  test('a refused call is not charged to any window', () => {
    let now = 1_700_000_000_000
    const limiter = createMemoryLimiter(() => now)
    for (let i = 0; i < 10_000; i++) limiter.charge('ip', VISITOR_BUDGETS)
    // Only 60 of them count against the hour.
    now += 60_000
    expect(limiter.peek('ip', VISITOR_BUDGETS)).toMatchObject({ allowed: true, remaining: 60 })
    let served = 60
    for (; served < 500; now += 60_000)
      for (let i = 0; i < 60; i++) {
        if (!allowed(limiter.charge('ip', VISITOR_BUDGETS))) return expect(served).toBe(400)
        served++
      }
    throw new Error('no call was refused')
  })
})

const allowed = (decision: unknown): boolean => (decision as { allowed: boolean }).allowed

describe('calls without a key: 60 per minute and 400 per hour', () => {
  test('over HTTP, the 401st call within the hour must wait until the hour ends', async () => {
    let now = 1_700_000_000_000
    stub = await startStub({ now: () => now, visitorBudgets: VISITOR_BUDGETS })
    const start = now
    const discover = async () => {
      const reply = await fetch(`${stub!.origin}/api/v1/`)
      await reply.text()
      return reply
    }
    let refused: Response | undefined
    for (let served = 0; !refused; served++) {
      const reply = await discover()
      if (reply.status !== 429) continue
      if (reply.headers.get('x-ratelimit-limit') === '60') {
        expect(reply.headers.get('retry-after')).toBe('60')
        now += 60_000
        served--
      } else {
        expect(served).toBe(400)
        refused = reply
      }
    }
    expect(refused.headers.get('x-ratelimit-limit')).toBe('400')
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    expect(Number(refused.headers.get('x-ratelimit-reset'))).toBe(start / 1000 + 3600)
    expect(Number(refused.headers.get('retry-after'))).toBe((start + 3_600_000 - now) / 1000)
    now = start + 3_600_000
    expect((await discover()).status).toBe(200)
  })

  test('the service trusts X-Forwarded-For only from a proxy in TRUST_PROXY', async () => {
    const visitorBudgets = [{ calls: 1, seconds: 60 }]
    const statuses = async (trustedProxies: string[]) => {
      stub = await startStub({ visitorBudgets, trustedProxies })
      const found = []
      for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.1', '2001:db8::1', '2001:db8::2'])
        found.push((await fetch(`${stub.origin}/api/v1/`, { headers: { 'x-forwarded-for': address } })).status)
      await stub.close()
      stub = undefined
      return found
    }
    expect(await statuses([])).toEqual([200, 429, 429, 429, 429])
    expect(await statuses(['10.0.0.0/8'])).toEqual([200, 429, 429, 429, 429])
    // IPv6 addresses count by their /56 network, because one client could use a new address for every request.
    expect(await statuses(['127.0.0.1/32'])).toEqual([200, 200, 429, 200, 429])
  })

  test('an IPv6 client has one budget for all networks of its /56', async () => {
    stub = await startStub({ visitorBudgets: [{ calls: 1, seconds: 60 }], trustedProxies: ['127.0.0.1/32'] })
    const found = []
    for (const address of ['2001:db8:1:1200::1', '2001:db8:1:12ff::1', '2001:db8:1:1342::1', '2001:db8:1:13ff:9::2'])
      found.push((await fetch(`${stub.origin}/api/v1/`, { headers: { 'x-forwarded-for': address } })).status)
    expect(found).toEqual([200, 429, 200, 429])
  })
})

describe('a client that waits as long as Retry-After says', () => {
  test('succeeds over REST and MCP, in real time', async () => {
    stub = await startStub({ budget: { calls: 2, seconds: 1 } })
    const rest = () => fetch(`${stub!.origin}/api/v1/works`, { headers })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'works' } })
    const mcp = () =>
      fetch(`${stub!.origin}/mcp`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      })
    for (const ask of [rest, mcp]) {
      expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
      const refused = await ask()
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
      await wait(1_000)
      expect((await ask()).status).toBe(200)
    }
  })
})

describe('several calls at once', () => {
  const limiters: [string, () => Limiter & { close?(): void }][] = [
    ['in memory', () => createMemoryLimiter()],
    ...(process.env.TEST_REDIS_URL
      ? ([
          [
            'over Redis',
            () => createRedisLimiter(process.env.TEST_REDIS_URL!, createMemoryLimiter(), recordingLog([])),
          ],
        ] as [string, () => Limiter & { close?(): void }][])
      : []),
  ]

  test.each(limiters)('are charged together or not at all, and succeed after the wait: %s', async (_where, make) => {
    const limiter = make()
    await wait(300)
    for (const budgets of [
      [{ calls: 10, seconds: 1 }],
      [
        { calls: 10, seconds: 1 },
        { calls: 100, seconds: 60 },
      ],
    ]) {
      const id = `test:${process.pid}:${Math.random()}`
      expect(await limiter.charge(id, budgets, 7)).toMatchObject({ allowed: true, limit: 10, remaining: 3 })
      expect(await limiter.charge(id, budgets, 4)).toMatchObject({
        allowed: false,
        limit: 10,
        remaining: 3,
        retryAfter: 1,
      })
      expect(await limiter.peek(id, budgets)).toMatchObject({ allowed: true, remaining: 3 })
      expect(await limiter.charge(id, budgets, 3)).toMatchObject({ allowed: true, remaining: 0 })
      expect(await limiter.charge(id, budgets)).toMatchObject({ allowed: false, remaining: 0 })
      // A timer may fire a millisecond before the clock shows its time.
      await wait(1_010)
      // A charge larger than the limit is allowed in an empty window; otherwise it would be refused for ever.
      expect(await limiter.charge(id, budgets, 12)).toMatchObject({ allowed: true, remaining: 0 })
      expect(await limiter.charge(id, budgets)).toMatchObject({ allowed: false })
    }
    limiter.close?.()
  })
})

describe.skipIf(!process.env.TEST_REDIS_URL)('the limiter over Redis', () => {
  test('is exact under concurrency, does not charge a refused call, and allows a call after the wait', async () => {
    const url = process.env.TEST_REDIS_URL!
    const limiter: Limiter & { close(): void } = createRedisLimiter(url, createMemoryLimiter(), recordingLog([]))
    const probe = new Redis(url)
    await probe.ping()
    await wait(200)
    const id = `test:${process.pid}:${Date.now()}`
    const budgets = [{ calls: 10, seconds: 1 }]
    const decisions = await Promise.all(Array.from({ length: 40 }, () => limiter.charge(id, budgets)))
    expect(decisions.filter(allowed)).toHaveLength(10)
    const { retryAfter } = decisions.find((decision) => !allowed(decision))!
    expect(retryAfter).toBe(1)
    await wait(retryAfter * 1000)
    expect(await limiter.charge(id, budgets)).toMatchObject({ allowed: true, remaining: 9 })
    probe.disconnect()
    limiter.close()
  })

  test.each([
    ['has no end', []],
    ['ends after more than its time', ['PX', 86_400_000]],
  ])('begins a window anew that %s, and no caller is refused for longer than a window', async (_name, end) => {
    const url = process.env.TEST_REDIS_URL!
    const limiter = createRedisLimiter(url, createMemoryLimiter(), recordingLog([]))
    const probe = new Redis(url)
    await probe.ping()
    await wait(200)
    const id = `test:${process.pid}:${Date.now()}:${end.length}`
    await probe.call('SET', `catalog:limit:${id}:60`, '10', ...end)
    expect(await limiter.charge(id, MINUTE)).toMatchObject({ allowed: true, remaining: 9 })
    expect(await probe.pttl(`catalog:limit:${id}:60`)).toBeGreaterThan(50_000)
    probe.disconnect()
    limiter.close()
  })

  test('is asked once by a call over REST, and once by a tool call when the library has answered one before', async () => {
    const service = await startService()
    const { id, key } = await service.newKey()
    const rest = () => service.rest('/tools', { key })
    const tool = () => service.fetch('/mcp', { method: 'POST', key, body: call('search_tools', {}) })
    const asked: string[] = []
    const { hostname, port } = new URL(process.env.TEST_REDIS_URL!)
    const monitor = connect(Number(port), hostname)
    monitor.write('MONITOR\r\n')
    monitor.setEncoding('utf8').on('data', (lines: string) => {
      for (const [line] of lines.matchAll(/"evalsha?".*/gi)) if (line.includes(id)) asked.push(line)
    })
    await once(monitor, 'data')
    for (const ask of [rest, tool]) {
      await ask()
      asked.length = 0
      const { status, headers } = await ask()
      expect([status, Number(headers.get('x-ratelimit-remaining'))]).toEqual([200, expect.any(Number)])
      await expect.poll(() => asked.length).toBe(1)
    }
    monitor.destroy()
    await service.close()
  })

  test('goes on from what Redis counted while Redis does not answer, and keeps it when Redis is back', async () => {
    const { hostname, port } = new URL(process.env.TEST_REDIS_URL!)
    const proxy = await startFaultProxy({ host: hostname, port: Number(port) })
    const limiter = createRedisLimiter(`redis://127.0.0.1:${proxy.port}`, createMemoryLimiter(), recordingLog([]))
    const id = `test:${process.pid}:${Date.now()}:away`
    const budgets = [{ calls: 5, seconds: 3600 }]
    await expect.poll(async () => (await limiter.peek(`${id}:first`, budgets)).allowed).toBe(true)
    await wait(200)
    const charged = async (times: number) => {
      const all: boolean[] = []
      for (let i = 0; i < times; i++) all.push((await limiter.charge(id, budgets)).allowed)
      return all
    }
    expect(await charged(3)).toEqual([true, true, true])
    proxy.cut()
    expect(await charged(3)).toEqual([true, true, false])
    proxy.restore()
    await wait(1_500)
    expect(await charged(1)).toEqual([false])
    limiter.close()
    await proxy.close()
  })
})

test('the limiter in memory goes on from the counts of another one, and keeps a larger count of its own', () => {
  const limiter = createMemoryLimiter(() => 1_000_000)
  const [budget] = MINUTE
  limiter.follow('a', [{ budget: budget!, count: 9, left: 5_000 }])
  expect(limiter.charge('a', MINUTE)).toMatchObject({ allowed: true, remaining: 0, retryAfter: 5 })
  limiter.follow('a', [{ budget: budget!, count: 9, left: 4_000 }])
  expect(limiter.charge('a', MINUTE)).toMatchObject({ allowed: false, retryAfter: 4 })
})
