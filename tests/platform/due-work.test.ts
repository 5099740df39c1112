// @module-tag once
// Background work sleeps until something is due.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ANY_WORK, createDueWork, type DueWork, type DueWorkOptions } from '../../src/kernel/work/due-work.ts'
import { recordingLog } from '../harness/service.ts'

const logged: Record<string, unknown>[] = []
let looks = 0
let work: DueWork
beforeEach(() => {
  vi.useFakeTimers()
  logged.length = looks = 0
})
afterEach(async () => {
  const stopped = work.stop()
  await vi.advanceTimersByTimeAsync(100)
  await stopped
  vi.useRealTimers()
})

/** Starts work whose looks are counted, and lets its first look end. */
async function start(look: () => Promise<number | null>, more: Partial<DueWorkOptions> = {}): Promise<void> {
  work = createDueWork({
    look() {
      looks++
      return look()
    },
    topics: ['links'],
    log: recordingLog(logged),
    away: 'the database is away',
    shortestMs: 500,
    longestMs: Number.POSITIVE_INFINITY,
    stopMs: 50,
    ...more,
  })
  work.start()
  await pass(0)
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('a look', () => {
  test('follows at the time that the last one named, also after hours', async () => {
    const hours = 2 * 3600_000
    await start(async () => hours)
    await pass(hours - 1)
    expect(looks).toBe(1)
    await pass(1)
    expect(looks).toBe(2)
  })

  test('does not follow when nothing is due, until a change of its topics, or one that may have been missed', async () => {
    await start(async () => null)
    await pass(2 * 3600_000)
    expect(looks).toBe(1)
    for (const [i, change] of [{ topic: 'links' }, { topic: ANY_WORK }, null].entries()) {
      work.onChange({ topic: 'tools' })
      work.onChange(change)
      await pass(0)
      expect(looks).toBe(i + 2)
    }
  })

  test('follows the first of many changes of a frequent topic after the shortest time, once for all of them', async () => {
    await start(async () => (looks === 1 ? null : 3600_000), { frequentTopics: ['tools'] })
    const change = async (ms: number) => {
      work.onChange({ topic: 'tools' })
      await pass(ms)
    }
    for (let i = 0; i < 4; i++) await change(100)
    await change(99)
    expect(looks).toBe(1)
    await pass(1)
    expect(looks).toBe(2)
    await change(500)
    expect(looks).toBe(3)
    // Another announcement does not wait, and what was announced before it is looked at, too.
    await change(100)
    work.onChange({ topic: 'links' })
    await pass(2_000)
    expect(looks).toBe(4)
  })

  test('follows a change of a frequent topic that arrived while one was under way', async () => {
    const first = Promise.withResolvers<number>()
    await start(() => (looks === 1 ? first.promise : Promise.resolve(null)), { frequentTopics: ['tools'] })
    work.onChange({ topic: 'tools' })
    await pass(100)
    first.resolve(3600_000)
    await pass(399)
    expect(looks).toBe(1)
    await pass(1)
    expect(looks).toBe(2)
  })

  test('follows after the longest time where announcements may be lost, and not before the shortest', async () => {
    await start(async () => (looks === 1 ? null : 0), { longestMs: 30_000 })
    await pass(30_000)
    expect(looks).toBe(2)
    await pass(499)
    expect(looks).toBe(2)
    await pass(1)
    expect(looks).toBe(3)
  })

  test('that was under way when the change arrived is followed by another', async () => {
    const first = Promise.withResolvers<null>()
    await start(() => (looks === 1 ? first.promise : Promise.resolve(null)))
    work.onChange({ topic: 'links' })
    await pass(0)
    expect(looks).toBe(1)
    first.resolve(null)
    await pass(0)
    expect(looks).toBe(2)
  })

  test('that fails is repeated, and an outage is logged once', async () => {
    await start(async () => {
      if (looks < 4) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
      return null
    })
    await pass(3_000)
    expect(looks).toBe(4)
    expect(logged).toHaveLength(1)
  })

  test('follows the end of a task, and a stop waits for tasks no longer than its limit', async () => {
    await start(async () => null)
    work.run(async () => {})
    await pass(0)
    expect([looks, work.running()]).toEqual([2, 0])
    work.run(() => new Promise(() => {}))
    const stopped = work.stop()
    await pass(50)
    await stopped
    work.onChange(null)
    await pass(0)
    expect(looks).toBe(2)
  })

  test('follows the end of each task while there is more to run, and waits the shortest time after one that found nothing', async () => {
    let left = 3
    const take = () => {
      if (left-- > 0) work.run(async () => {})
    }
    await start(async () => {
      take()
      return null
    })
    expect(looks).toBe(4)
    for (let i = 0; i < 5; i++) work.run(async () => {})
    await pass(499)
    expect(looks).toBe(4)
    await pass(1)
    expect(looks).toBe(5)
    work.onChange({ topic: 'links' })
    await pass(0)
    expect(looks).toBe(6)
  })

  test('follows the end of a task also when the look before it found no room', async () => {
    const tasks: PromiseWithResolvers<void>[] = []
    let claim = Promise.withResolvers<void>()
    await start(async () => {
      while (work.running() < 2 && tasks.length < 4) {
        await claim.promise
        const task = Promise.withResolvers<void>()
        tasks.push(task)
        work.run(() => task.promise)
      }
      return null
    })
    const end = async (i: number) => {
      tasks[i]?.resolve()
      await pass(0)
    }
    claim.resolve()
    await pass(0)
    claim = Promise.withResolvers()
    await end(0)
    // The second task ends while the third is being claimed: this look starts the third and the fourth, and the next has no room.
    await end(1)
    claim.resolve()
    await pass(0)
    const before = looks
    await end(2)
    expect([tasks.length, looks]).toEqual([4, before + 1])
  })
})
