// A service whose clock is set forward and back while it runs. Run by `npm run test:faults`.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSubmission } from '../harness/done-work.ts'
import { type FaultProxy, startFaultProxy } from '../harness/fault-proxy.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { type RedisServer, startRedis } from '../harness/redis-server.ts'
import { createDatabase } from '../harness/service.ts'
import { type TimedReply, timedRequest } from '../harness/timed-requests.ts'

const HOUR = 3_600_000
const STEPS = {
  'an hour forward': HOUR,
  'an hour back': -HOUR,
  'a day forward': 24 * HOUR,
  'a day back': -24 * HOUR,
  'two seconds back': -2_000,
}
const BUDGET = 10
const WINDOW = 60

interface Stepped extends ServiceProcess {
  /** Sets the clock of the service to our time plus so many milliseconds. */
  step(ms: number): Promise<void>
}

const folder = mkdtempSync(join(tmpdir(), 'catalog-clock-'))
const preload = new URL('../harness/stepped-clock.ts', import.meta.url).href
let started = 0

async function spawnStepped(environment: Record<string, string>, stepMs = 0): Promise<Stepped> {
  const file = join(folder, `clock-${++started}`)
  // The file is renamed into place when complete, because the service may read it at any moment.
  const set = (ms: number) => {
    writeFileSync(`${file}.new`, String(ms))
    renameSync(`${file}.new`, file)
  }
  set(stepMs)
  const service = await spawnService({
    DATA_DIR: join(folder, `data-${started}`),
    DATABASE_URL: database.url,
    KEY_PEPPER: 'a pepper that all processes share, long enough',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    CLOCK_FILE: file,
    NODE_OPTIONS: `--import=${preload}`,
    ...environment,
  })
  const step = async (ms: number) => {
    set(ms)
    await sleep(150)
  }
  await service.ready()
  return { ...service, step }
}

let database: Awaited<ReturnType<typeof createDatabase>>
let redis: RedisServer
let proxy: FaultProxy
let receiver: Receiver
let alone: Stepped
let sharing: Stepped[]
beforeAll(async () => {
  database = await createDatabase(process.env.TEST_DATABASE_URL!)
  redis = await startRedis()
  proxy = await startFaultProxy({ host: '127.0.0.1', port: redis.port })
  receiver = await startReceiver({ '/hang': () => {} })
  const REDIS_URL = `redis://127.0.0.1:${proxy.port}`
  alone = await spawnStepped({})
  sharing = await Promise.all([spawnStepped({ REDIS_URL }), spawnStepped({ REDIS_URL })])
  await alone.call('/api/admin/categories/writing', { method: 'PUT', body: { name: 'Writing' } })
})
afterAll(async () => {
  await Promise.all([alone, ...(sharing ?? [])].map((service) => service?.kill('SIGTERM')))
  await receiver?.close()
  await proxy?.close()
  await redis?.kill()
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

let serial = 0
const newKey = async (): Promise<string> =>
  (await timedRequest(alone, '/api/admin/keys', { body: { email: `user${++serial}@example.com` } })).body.data.key
const calls = (service: ServiceProcess, key: string, count: number): Promise<TimedReply[]> =>
  Promise.all(Array.from({ length: count }, () => timedRequest(service, '/api/v1/tools', { key })))
const allowed = (replies: readonly TimedReply[]) => replies.filter(({ status }) => status === 200).length

/** Times are those of the process that answered. */
function expectSensible(replies: readonly TimedReply[], stepMs: number): void {
  for (const { status, headers } of replies) {
    expect([200, 429]).toContain(status)
    const left = Number(headers.get('x-ratelimit-reset')) - (Date.now() + stepMs) / 1000
    expect(left).toBeGreaterThan(-1)
    expect(left).toBeLessThanOrEqual(WINDOW + 1)
    if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    if (status === 429) expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(WINDOW)
  }
}

/** Keys without budget, and when the service said that they may call again. */
const waiting: { service: Stepped; key: string; until: number }[] = []

async function refusedUntil(service: Stepped, key: string): Promise<void> {
  const [reply] = await calls(service, key, 1)
  expect(reply!.status).toBe(429)
  waiting.push({ service, key, until: performance.now() + Number(reply!.headers.get('retry-after')) * 1000 })
}

describe('limits', () => {
  test.each(Object.entries(STEPS))(
    'counted in memory, the clock set %s: two budgets at most, for no longer than a window',
    async (_, ms) => {
      const key = await newKey()
      const before = await calls(alone, key, BUDGET / 2)
      await alone.step(ms)
      const after = await calls(alone, key, 3 * BUDGET)
      expectSensible(after, ms)
      expect(allowed(before) + allowed(after)).toBeLessThanOrEqual(2 * BUDGET)
      expect(allowed(after)).toBeGreaterThanOrEqual(BUDGET / 2)
      await alone.step(0)
      const back = await calls(alone, key, 3 * BUDGET)
      expectSensible(back, 0)
      expect(allowed(back)).toBeLessThanOrEqual(BUDGET)
      await refusedUntil(alone, key)
    },
  )

  test.each(Object.entries(STEPS))(
    'shared in Redis, the clock of one process set %s: the limits stay the same',
    async (_, ms) => {
      const [one, other] = sharing as [Stepped, Stepped]
      const key = await newKey()
      const before = await calls(one, key, BUDGET / 2)
      await one.step(ms)
      const after = [...(await calls(one, key, BUDGET)), ...(await calls(other, key, BUDGET))]
      expectSensible(after.slice(0, BUDGET), ms)
      expectSensible(after.slice(BUDGET), 0)
      expect(allowed(before) + allowed(after)).toBe(BUDGET)
      await one.step(0)
      await refusedUntil(one, key)
    },
  )

  test('a clock set back while Redis hangs: limits are shared again within 5 s after it answers', async () => {
    const [one, other] = sharing as [Stepped, Stepped]
    proxy.stall()
    const key = await newKey()
    // Both processes have noticed that Redis hangs.
    for (const service of sharing) expect(allowed(await calls(service, key, BUDGET))).toBe(BUDGET)
    await one.step(-HOUR)
    await proxy.restore()
    const begun = performance.now()
    await until(async () => {
      const fresh = await newKey()
      const [left, right] = await Promise.all([calls(one, fresh, BUDGET), calls(other, fresh, BUDGET)])
      return allowed([...left, ...right]) === BUDGET
    }, 5_000)
    console.log(`a clock set back while Redis hung: shared again after ${Math.round(performance.now() - begun)} ms`)
    await one.step(0)
  })
})

describe('other times', () => {
  const partnerAt = async (path: string): Promise<{ id: string; key: string }> =>
    (await timedRequest(alone, '/api/admin/partners', { body: { name: path, webhookUrl: receiver.origin + path } }))
      .body.data
  const submit = (service: ServiceProcess, key: string, body: object, headers: Record<string, string> = {}) =>
    timedRequest(service, '/api/v1/submit-ai-tool', { key, body, headers })

  test('deliveries go on at once after attempts that were cut short while the clock was a day ahead', async () => {
    const partner = await partnerAt('/hang')
    const ahead = await spawnStepped({}, 24 * HOUR)
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.push((await submit(ahead, partner.key, newSubmission())).body.data.id)
    // The process with the wrong clock must take the events.
    await Promise.all(sharing.map((service) => service.child.kill('SIGSTOP')))
    alone.child.kill('SIGSTOP')
    for (const id of ids.slice(0, 2)) await timedRequest(ahead, `/api/admin/submissions/${id}/done`, { body: {} })
    await until(() => receiver.at('/hang').length === 2, 5_000)
    await ahead.kill('SIGKILL')
    for (const service of [alone, ...sharing]) service.child.kill('SIGCONT')

    await timedRequest(alone, `/api/admin/submissions/${ids[2]}/done`, { body: {} })
    const begun = performance.now()
    await until(() => receiver.at('/hang').length === 3, 20_000)
    console.log(
      `an event after two that were cut short a day ahead: sent after ${Math.round(performance.now() - begun)} ms`,
    )
  })

  test.each(Object.entries(STEPS))(
    'the clock set %s: an Idempotency-Key gives no second submission and no error',
    async (_, ms) => {
      const partner = await partnerAt('/')
      const body = newSubmission()
      const headers = { 'idempotency-key': 'once' }
      const first = await submit(alone, partner.key, body, headers)
      await alone.step(ms)
      const again = await submit(alone, partner.key, body, headers)
      expect([200, 201]).toContain(again.status)
      expect(again.body.data.id).toBe(first.body.data.id)
      await alone.step(0)
      const last = await submit(alone, partner.key, body, headers)
      expect([200, 201]).toContain(last.status)
      expect(last.body.data.id).toBe(first.body.data.id)
      const queue = await timedRequest(alone, `/api/admin/submissions?client=${partner.id}`)
      expect(queue.body.data).toHaveLength(1)
    },
  )
})

test('a client that was refused and waits as long as the answer said is served', async () => {
  const longest = Math.max(...waiting.map(({ until }) => until - performance.now()))
  expect(longest).toBeLessThanOrEqual(WINDOW * 1000)
  // A timer may fire a millisecond early.
  await sleep(longest + 20)
  for (const { service, key } of waiting) expect(allowed(await calls(service, key, 1))).toBe(1)
  console.log(`${waiting.length} keys that met a step were let through after ${Math.round(longest / 1000)} s at most`)
})

test('none of it was logged as an error', () => {
  for (const service of [alone, ...sharing])
    expect(service.output()).not.toMatch(/"level":(50|"error")|unhandled|uncaught/i)
})
