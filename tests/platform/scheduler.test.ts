// Long work on the main thread, with a clock that only the test moves. node bench/shares.ts measures which share of the thread it takes.
// @module-tag once
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPauses, requestArrived } from '../../src/kernel/work/scheduler.ts'

let now = performance.now()
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => now))
afterEach(() => void vi.restoreAllMocks())

test('a slice that took longer than it may cost later does not print a warning about a negative time', async () => {
  const warnings: Error[] = []
  const listen = (warning: Error) => void warnings.push(warning)
  process.on('warning', listen)
  const pause = createPauses()
  for (let i = 0; i < 3; i++) {
    now += 60
    requestArrived()
    await pause()
  }
  await nextTurn()
  // Node prints it once in a process, so this is the first test.
  process.off('warning', listen)
  expect(warnings).toEqual([])
})

test('work that waits for something else, such as a file, is not charged for that time', async () => {
  requestArrived()
  const pause = createPauses()
  for (let step = 0; step < 5; step++) {
    await sleep(1)
    now += 5
    requestArrived()
    expect(pause()).toBeUndefined()
  }
})
