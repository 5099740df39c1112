// The job queue: owners take turns, no owner takes all workers, and a job past its time limit holds no slot.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Attempt, type Job, TimeUp } from '../../src/kernel/job.ts'
import { openEmbedded } from '../../src/platform/database/embedded.ts'
import { openPostgres, type Store } from '../../src/platform/database/postgres.ts'
import { createQueue, type RunningQueue, SLOTS, SLOTS_OF_OWNER } from '../../src/platform/queue.ts'
import { until } from '../harness/process.ts'
import { createDatabase, recordingLog } from '../harness/service.ts'
import { copyTemplate } from '../harness/template.ts'

const folder = mkdtempSync(join(tmpdir(), 'catalog-queue-'))
const logged: Record<string, unknown>[] = []
let store: Store
let database: Awaited<ReturnType<typeof createDatabase>> | null = null
beforeAll(async () => {
  const log = recordingLog(logged)
  database = process.env.TEST_DATABASE_URL ? await createDatabase(process.env.TEST_DATABASE_URL) : null
  if (!database) await copyTemplate(folder)
  store = database ? openPostgres({ connectionString: database.url }, log) : await openEmbedded(folder, log)
  await store.listen((change) => queue?.onChange(change))
})
let queue: RunningQueue | null = null
afterEach(() => queue?.close())
afterAll(async () => {
  await store.close()
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

type Data = { owner: string; n: number }
let serial = 0

/** Starts a queue with a new name whose jobs run the given function. */
async function start(run: (data: Data, attempt: Attempt) => Promise<void>, more: Partial<Job<Data>> = {}) {
  const name = `test-${++serial}`
  const job: Job<Data> = { name, retries: 0, retryDelaySeconds: 1, timeoutSeconds: 60, run, ...more }
  queue = createQueue(store, [job], recordingLog(logged))
  await queue.start()
  await queue.work()
  return {
    send: async (owner: string, count = 1) => {
      for (let n = 1; n <= count; n++) await store.transaction((db) => queue!.send(db, name, { owner, n }, owner))
    },
    stored: async () =>
      (await store.query(`select state, output, data from jobs.job where name = '${name}' order by created_on`))
        .rows as { state: string; output: any; data: Data }[],
  }
}

/** Jobs that run until the test ends them. */
function held() {
  const running = new Map<string, () => void>()
  const began: string[] = []
  const most = new Map<string, number>()
  const run = ({ owner, n }: Data, { signal }: Attempt) =>
    new Promise<void>((resolve, reject) => {
      began.push(owner)
      running.set(`${owner}-${n}`, () => {
        running.delete(`${owner}-${n}`)
        resolve()
      })
      const own = [...running.keys()].filter((name) => name.startsWith(`${owner}-`)).length
      most.set(owner, Math.max(most.get(owner) ?? 0, own))
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  const end = (name: string) => running.get(name)!()
  return { run, running, began, most, end }
}

describe('fair shares', () => {
  test('one owner with many jobs runs two at once, and another owner’s job begins at once', async () => {
    const { run, running, most, end } = held()
    const { send } = await start(run)
    await send('a', 20)
    await until(() => running.size === SLOTS_OF_OWNER, 5_000)
    await sleep(1_500)
    expect(running.size).toBe(SLOTS_OF_OWNER)
    await send('b')
    await until(() => running.has('b-1'), 2_000)
    for (let i = 0; i < 20; i++) {
      await until(() => [...running.keys()].some((name) => name.startsWith('a-')), 5_000)
      end([...running.keys()].find((name) => name.startsWith('a-'))!)
    }
    end('b-1')
    expect(most.get('a')).toBe(SLOTS_OF_OWNER)
  }, 60_000)

  test('the last slots are for owners that have no job running', async () => {
    const { run, running, most } = held()
    const { send } = await start(run)
    const owners = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']
    for (const owner of owners.slice(0, 3)) await send(owner, 10)
    await until(() => running.size >= 5, 5_000)
    await sleep(1_500)
    // Three owners with any number of jobs leave slots for others.
    expect(running.size).toBeLessThan(SLOTS)
    expect(Math.max(...most.values())).toBe(SLOTS_OF_OWNER)
    await send('late')
    await until(() => running.has('late-1'), 2_000)
  }, 60_000)

  test('owners take turns when all slots are taken: a new owner waits for one job, not for all', async () => {
    const { run, running, began, end } = held()
    const { send } = await start(run)
    const owners = Array.from({ length: SLOTS }, (_, i) => `owner${i}`)
    for (const owner of owners) await send(owner)
    await until(() => running.size === SLOTS, 20_000)
    for (const owner of owners) await send(owner, 5)
    await send('late', 3)
    await sleep(1_000)
    expect(began).not.toContain('late')
    end([...running.keys()][0]!)
    await until(() => began.length > SLOTS, 10_000)
    expect(began.at(-1)).toBe('late')
  }, 60_000)

  test('retries count towards the share of their owner', async () => {
    const began: string[] = []
    const { send } = await start(
      async ({ owner }) => {
        began.push(owner)
        if (owner === 'a') {
          await sleep(300)
          throw new Error('again')
        }
      },
      { retries: 20, retryDelaySeconds: 0 },
    )
    await send('a', 30)
    await until(() => began.length > 40, 20_000)
    const started = performance.now()
    await send('b')
    await until(() => began.includes('b'), 5_000)
    expect(performance.now() - started).toBeLessThan(3_000)
  }, 60_000)
})

describe('a job past its time limit', () => {
  test('is told so by its signal, and the reason is stored with it', async () => {
    const reasons: unknown[] = []
    const { send, stored } = await start(
      (_, { signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason)
            reject(signal.reason)
          }),
        ),
      { timeoutSeconds: 1 },
    )
    await send('a')
    await until(async () => (await stored())[0]?.state === 'failed', 10_000)
    expect(reasons[0]).toBeInstanceOf(TimeUp)
    expect((await stored())[0]!.output).toMatchObject({ message: 'It took longer than 1 seconds.' })
  }, 30_000)

  test('a job that ignores its timeout holds no slot', async () => {
    const began: number[] = []
    const { send, stored } = await start(
      ({ n }) => {
        began.push(n)
        return new Promise(() => {})
      },
      { timeoutSeconds: 1 },
    )
    await send('a', 6)
    // Two at a time, each for a second and the time to record it.
    await until(() => began.length === 6, 20_000)
    await until(async () => (await stored()).every(({ state }) => state === 'failed'), 20_000)
  }, 60_000)

  test('a job that fails is tried again; one that succeeds is not', async () => {
    const tries = new Map<string, number>()
    const { send, stored } = await start(
      async ({ owner }) => {
        const tried = (tries.get(owner) ?? 0) + 1
        tries.set(owner, tried)
        if (owner === 'a' && tried < 3) throw new Error('not yet')
      },
      { retries: 5, retryDelaySeconds: 0 },
    )
    await send('a')
    await send('b')
    await until(async () => (await stored()).every(({ state }) => state === 'completed'), 20_000)
    expect(Object.fromEntries(tries)).toEqual({ a: 3, b: 1 })
  }, 30_000)
})

test('a job that was lost with its process is tried again', async () => {
  let tries = 0
  const { send, stored } = await start(() => (++tries === 1 ? new Promise(() => {}) : Promise.resolve()), {
    retries: 1,
  })
  await send('a')
  await until(() => tries === 1, 5_000)
  await store.query(`update jobs.job set started_on = started_on - interval '3 minutes' where state = 'active'`)
  queue!.onChange(null)
  await until(async () => (await stored())[0]?.state === 'completed', 20_000)
  expect(tries).toBe(2)
}, 60_000)

test('a stop waits for jobs that are nearly done, cancels the rest and returns them to the queue', async () => {
  const ended: string[] = []
  const { send, stored } = await start(
    async ({ owner }, { signal }) => {
      if (owner === 'quick') await sleep(500)
      else await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      ended.push(owner)
    },
    { retries: 3 },
  )
  await send('quick')
  await send('slow')
  await sleep(1_200)
  await send('quick')
  await until(async () => (await stored()).filter(({ state }) => state === 'active').length === 2, 5_000)
  const started = performance.now()
  await queue!.close()
  expect(performance.now() - started).toBeLessThan(5_000)
  const states = (await stored()).map(({ data, state }) => `${data.owner} ${state}`)
  expect(states.sort()).toEqual(['quick completed', 'quick completed', 'slow retry'])
  queue = null
}, 30_000)
