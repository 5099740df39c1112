// How the main thread is shared between requests and long work. Shares of one run are compared, not times; they change too when another
// process takes the processor, so not in CI.
// @module-tag once
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test as always, expect } from 'vitest'
import { createPauses, requestArrived } from '../../src/kernel/scheduler.ts'
import { IS_CI } from '../harness/wall-time.ts'

const test = always.skipIf(IS_CI)

/** Returns how long it took: another process may have had the processor meanwhile. */
function spin(milliseconds: number): number {
  const begun = performance.now()
  while (performance.now() < begun + milliseconds);
  return performance.now() - begun
}

/** Several pieces of long work at once for a second, beside requests that come all the time. Returns how much of the thread each had. */
async function shares(
  works: number,
  withRequests: boolean,
): Promise<{ work: number; requests: number; longest: number }> {
  const end = performance.now() + 1_000
  const had = { work: 0, requests: 0, longest: 0 }
  const request = async () => {
    while (performance.now() < end) {
      requestArrived()
      had.requests += spin(0.5)
      await nextTurn()
    }
  }
  let sinceRequest = 0
  const work = async () => {
    const pause = createPauses()
    while (performance.now() < end) {
      had.work += spin(0.25)
      sinceRequest += 0.25
      had.longest = Math.max(had.longest, sinceRequest)
      const paused = pause()
      if (paused) {
        await paused
        sinceRequest = 0
      }
    }
  }
  await Promise.all([...Array.from({ length: works }, work), ...(withRequests ? [request()] : [])])
  return had
}

test('a slice that took longer than it may cost later does not print a warning about a negative time', async () => {
  const warnings: Error[] = []
  const listen = (warning: Error) => void warnings.push(warning)
  process.on('warning', listen)
  const pause = createPauses()
  for (let i = 0; i < 3; i++) {
    spin(60)
    requestArrived()
    await pause()
  }
  await nextTurn()
  // Node prints it once in a process, so this is the first test.
  process.off('warning', listen)
  expect(warnings).toEqual([])
})

test('while requests come, long work takes at most a quarter of the thread, in slices of about two milliseconds', async () => {
  for (const works of [1, 3]) {
    const { work, requests, longest } = await shares(works, true)
    expect(work / (work + requests)).toBeLessThan(0.3)
    expect(work / (work + requests)).toBeGreaterThan(0.1)
    expect(longest).toBeLessThan(2.5 * works)
  }
})

test('without requests it takes all of the thread', async () => {
  const [alone, beside] = [await shares(1, false), await shares(1, true)]
  expect(alone.work / beside.work).toBeGreaterThan(1.5)
})

test('the request that began the work, and requests from time to time, do not slow it down', async () => {
  requestArrived()
  const timer = setInterval(requestArrived, 100)
  const after = await shares(1, false)
  clearInterval(timer)
  const without = await shares(1, false)
  expect(after.work / without.work).toBeGreaterThan(0.6)
})

test('work that waits for something else, such as a file, is not charged for that time', async () => {
  requestArrived()
  const pause = createPauses()
  for (let step = 0; step < 5; step++) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    requestArrived()
    expect(pause()).toBeUndefined()
  }
})
