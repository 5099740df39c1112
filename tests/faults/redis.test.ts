// Two real processes while Redis is unreachable, hangs, is slow or is killed. Run by `npm run test:faults`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FaultProxy, startFaultProxy } from '../harness/fault-proxy.ts'
import { type ServiceProcess, spawnService } from '../harness/process.ts'
import { type RedisServer, startRedis } from '../harness/redis-server.ts'
import { createDatabase } from '../harness/service.ts'
import { longest, percentile, type TimedReply, timedRequest } from '../harness/timed-requests.ts'

const BUDGET = 10
let database: Awaited<ReturnType<typeof createDatabase>>
let redis: RedisServer
let proxy: FaultProxy
let services: ServiceProcess[]
const folders: string[] = []

beforeAll(async () => {
  database = await createDatabase(process.env.TEST_DATABASE_URL!)
  redis = await startRedis()
  proxy = await startFaultProxy({ host: '127.0.0.1', port: redis.port })
  const spawn = () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'catalog-redis-'))
    folders.push(DATA_DIR)
    return spawnService({
      DATA_DIR,
      DATABASE_URL: database.url,
      REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
      KEY_PEPPER: 'a pepper that both processes share, long enough',
    })
  }
  services = await Promise.all([spawn(), spawn()])
  await Promise.all(services.map((service) => service.ready()))
})
afterAll(async () => {
  await Promise.all((services ?? []).map((service) => service.kill('SIGTERM')))
  await proxy?.close()
  await redis?.kill()
  await database?.drop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

let serial = 0
const newKey = async (): Promise<string> =>
  (await timedRequest(services[0]!, '/api/admin/keys', { body: { email: `user${++serial}@example.com` } })).body.data
    .key

const read = (service: ServiceProcess, key: string) => timedRequest(service, '/api/v1/tools', { key })
/** Sends so many calls at once through every process. */
const calls = (key: string, each: number): Promise<TimedReply[]> =>
  Promise.all(services.flatMap((service) => Array.from({ length: each }, () => read(service, key))))
const allowed = (replies: readonly TimedReply[]) => replies.filter(({ status }) => status === 200).length

function expectSensible(replies: readonly TimedReply[]): void {
  for (const { status, headers } of replies) {
    expect([200, 429]).toContain(status)
    const left = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000
    expect(left).toBeGreaterThan(-1)
    expect(left).toBeLessThanOrEqual(61)
    if (status === 200) continue
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
  }
}

/** Sends twice the budget of a new key through both processes until exactly one budget is allowed; returns how long that took. */
async function sharedAgain(): Promise<number> {
  const begun = performance.now()
  for (;;) {
    if (allowed(await calls(await newKey(), BUDGET)) === BUDGET) return performance.now() - begun
    if (performance.now() - begun > 10_000) throw new Error('limits are not shared again')
    await sleep(50)
  }
}

interface Fault {
  begin(): unknown
  end(): unknown
  lastsMs?: number
  /** Redis is reached now and then during the fault, and counts too. */
  comesAndGoes?: boolean
}

async function expectRecovery(name: string, { begin, end, lastsMs = 4_000, comesAndGoes = false }: Fault) {
  const spent = await newKey()
  expect(allowed(await calls(spent, BUDGET))).toBe(BUDGET)
  await begin()
  const begun = performance.now()
  const replies: TimedReply[] = []
  const most = (services.length + (comesAndGoes ? 1 : 0)) * BUDGET
  const counts: number[] = []
  let again = 0
  while (performance.now() - begun < lastsMs) {
    const fresh = await calls(await newKey(), 2 * BUDGET)
    counts.push(allowed(fresh))
    const more = await calls(spent, 2)
    again += allowed(more)
    replies.push(...fresh, ...more)
    await sleep(100)
  }
  await end()
  const recoveryMs = await sharedAgain()
  console.log(
    `${name}: ${replies.length} calls, p99 ${percentile(replies, 0.99)} ms, longest ${longest(replies)} ms; a budget of ${BUDGET} became ${Math.min(...counts)} to ${Math.max(...counts)}, one that was spent gave ${again} more; shared again after ${Math.round(recoveryMs)} ms`,
  )
  expectSensible(replies)
  expect(longest(replies)).toBeLessThan(2_000)
  // A limit still limits: each process allows its own budget at most.
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(BUDGET)
  expect(Math.max(...counts)).toBeLessThanOrEqual(most)
  expect(again).toBeLessThanOrEqual(services.length * BUDGET)
  expect(recoveryMs).toBeLessThan(5_000)
  for (const service of services) expect(service.output()).not.toMatch(/unhandled|uncaught/i)
}

describe('while Redis is unreachable every call is answered, each process counts by itself, and limits are exact again within 5 s', () => {
  const restore = () => proxy.restore()

  test('connections are refused', () => expectRecovery('cut', { begin: () => proxy.cut(), end: restore }))
  test('connections hang', () => expectRecovery('stalled', { begin: () => proxy.stall(), end: restore }))
  test('connections die silently', () =>
    expectRecovery('lost', { begin: () => proxy.lose(), end: restore, lastsMs: 1_000 }))
  test('every answer takes 100 ms longer', () => expectRecovery('slow', { begin: () => proxy.slow(50), end: restore }))
  test('every answer takes 600 ms longer', () =>
    expectRecovery('very slow', { begin: () => proxy.slow(300), end: restore }))
  test('connections are reset again and again', async () => {
    let timer: NodeJS.Timeout | undefined
    const begin = () => {
      timer = setInterval(() => proxy.reset(), 100)
    }
    await expectRecovery('reset', { begin, end: () => clearInterval(timer), comesAndGoes: true })
  })
  test('Redis is killed and starts again empty', () =>
    expectRecovery('killed', { begin: () => redis.kill(), end: () => redis.start() }))
})

test('each change is logged once, however many calls there are', () => {
  for (const service of services) {
    const said = (words: string) =>
      service
        .output()
        .split('\n')
        .filter((line) => line.includes(words)).length
    expect(said('Redis is away')).toBeLessThan(50)
    expect(said('Redis is away')).toBeGreaterThanOrEqual(5)
    expect(Math.abs(said('Redis is away') - said('Redis is back'))).toBeLessThanOrEqual(1)
  }
})
