// @module-tag once
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { untilAborted } from '../../src/kernel/work/deadline.ts'
import { createFairTurns } from '../../src/kernel/work/turns.ts'

const wait = (ms = 0) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Makes tasks that end when the test says so, and records the order in which they began. */
function createTasks() {
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const task = (name: string) => () => {
    began.push(name)
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
  }
  return { began, task, end: (name: string) => ends.get(name)!() }
}

describe('fair turns', () => {
  test('let owners take turns, whatever number of tasks one of them has waiting', async () => {
    const { began, task, end } = createTasks()
    const takeTurn = createFairTurns(1)
    for (const name of ['a1', 'a2', 'a3', 'a4']) void takeTurn('a', task(name))
    for (const name of ['b1', 'b2']) void takeTurn('b', task(name))
    void takeTurn('c', task('c1'))
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) {
      await wait()
      expect(began.at(-1)).toBe(name)
      end(name)
    }
  })

  test('never run more tasks at once than allowed, and complete all of them, even if some fail or are aborted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('ends', 'fails', 'is aborted'), fc.nat(3)), {
          maxLength: 30,
        }),
        async (atOnce, tasks) => {
          const takeTurn = createFairTurns(atOnce)
          let running = 0
          const outcomes = await Promise.allSettled(
            tasks.map(async ([owner, what, ms]) => {
              const controller = new AbortController()
              if (what === 'is aborted') setTimeout(() => controller.abort(new Error('aborted')), ms)
              return takeTurn(
                owner,
                async () => {
                  expect(++running).toBeLessThanOrEqual(atOnce)
                  await wait(ms)
                  running--
                  if (what === 'fails') throw new Error('failed')
                },
                controller.signal,
              )
            }),
          )
          expect(running).toBe(0)
          expect(outcomes.length).toBe(tasks.length)
          // No task is waiting: another one begins at once.
          expect(await takeTurn('z', async () => 'free')).toBe('free')
        },
      ),
      { numRuns: 50 },
    )
  })

  test('do not begin a task that was aborted while it waited, and reject it with the reason', async () => {
    const { began, task, end } = createTasks()
    const takeTurn = createFairTurns(1)
    const first = takeTurn('a', task('a1'))
    const controller = new AbortController()
    const second = takeTurn('a', task('a2'), controller.signal)
    controller.abort(new Error('no longer needed'))
    await expect(second).rejects.toThrow('no longer needed')
    end('a1')
    expect(await first).toBe('a1')
    await expect(takeTurn('a', task('a3'), controller.signal)).rejects.toThrow('no longer needed')
    expect(began).toEqual(['a1'])
  })
})

test('untilAborted waits for a result until its signal is aborted', async () => {
  const controller = new AbortController()
  const never = untilAborted(new Promise(() => {}), controller.signal)
  controller.abort(new Error('over'))
  await expect(never).rejects.toThrow('over')
  expect(await untilAborted(Promise.resolve(1), undefined)).toBe(1)
  expect(await untilAborted(Promise.resolve(2), new AbortController().signal)).toBe(2)
})
