// @module-tag once
// Which request is started next: one request of each caller in a turn, and a few of one caller at the same time.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createRequestTurns, type RequestTurn } from '../../src/surfaces/http/turns.ts'

/** Makes requests that record when they are started and run until the test ends them. */
function createRequests({ isShared = true } = {}) {
  const turns = createRequestTurns()
  // Two other callers had requests a moment ago.
  if (isShared) for (const caller of ['y', 'z']) turns.take(caller, () => {}).end()
  const started: string[] = []
  const taken = new Map<string, RequestTurn>()
  return {
    started,
    ask(caller: string, name: string) {
      taken.set(
        name,
        turns.take(caller, () => started.push(name)),
      )
    },
    end: (name: string) => taken.get(name)!.end(),
    /** A request that is started and ended at once, as a read of the catalog is. */
    read(caller: string, name: string) {
      const turn: RequestTurn = turns.take(caller, () => {
        started.push(name)
        queueMicrotask(() => turn.end())
      })
    },
  }
}

/** From now on time passes only when the test says so, and the machine's other work changes nothing. */
const stopTheClock = () =>
  vi.useFakeTimers({ toFake: ['performance', 'setImmediate', 'setInterval', 'setTimeout'] }).advanceTimersByTimeAsync
afterEach(() => void vi.useRealTimers())

test('a single request is started at once', () => {
  const { ask, started } = createRequests()
  ask('a', 'a1')
  expect(started).toEqual(['a1'])
})

test('of a hundred requests of one caller one is started a turn, and another caller waits for none of them', async () => {
  const { read, started } = createRequests()
  for (let i = 0; i < 100; i++) read('a', `a${i}`)
  read('b', 'b')
  expect(started).toEqual(['a0', 'b'])
  await nextTurn()
  read('c', 'c')
  expect(started.indexOf('c')).toBeLessThan(6)
  while (started.length < 102) await nextTurn()
  // They are started in the order in which they arrived.
  expect(started.filter((name) => name.startsWith('a'))).toEqual(Array.from({ length: 100 }, (_, i) => `a${i}`))
})

test('a caller that is alone has four requests started in a turn, and another caller waits for no more than these', async () => {
  const { read, started } = createRequests({ isShared: false })
  for (let i = 0; i < 100; i++) read('a', `a${i}`)
  read('b', 'b')
  expect(started).toEqual(['a0', 'a1', 'a2', 'a3', 'b'])
  await nextTurn()
  // From now on there are two callers.
  expect(started).toHaveLength(6)
})

test('waiting callers take turns', async () => {
  const { read, started } = createRequests()
  for (let i = 0; i < 10; i++) for (const caller of ['a', 'b', 'c']) read(caller, `${caller}${i}`)
  while (started.length < 30) await nextTurn()
  for (let i = 0; i < 10; i++)
    expect(new Set(started.slice(3 * i, 3 * i + 3))).toEqual(new Set([`a${i}`, `b${i}`, `c${i}`]))
})

test('a caller whose requests are refused again and again is answered at most 250 times a second, and others wait for none of it', async () => {
  const pass = stopTheClock()
  const turns = createRequestTurns()
  let refused = 0
  let others = 0
  const refuse = () => {
    const turn: RequestTurn = turns.take('a', () => {
      refused++
      queueMicrotask(() => {
        turn.end(true)
        refuse()
      })
    })
  }
  for (let i = 0; i < 50; i++) refuse()
  for (let ms = 0; ms < 500; ms++) {
    const turn: RequestTurn = turns.take('b', () => others++)
    turn.end()
    await pass(1)
  }
  expect(refused).toBeGreaterThan(10)
  expect(refused).toBeLessThan(140)
  expect(others).toBeGreaterThan(refused)
  // The refusals go on while no other caller asks.
  await pass(300)
  expect(refused).toBeGreaterThan(70)
})

describe('requests that wait for the database or the disk', () => {
  /** So many turns, in which no time passes. */
  const turnsOf = async (count: number) => {
    for (let i = 0; i < count; i++) await vi.advanceTimersByTimeAsync(0)
  }

  test('run two at a time for one caller, and the end of one starts the next', async () => {
    stopTheClock()
    const { ask, end, started } = createRequests()
    for (let i = 0; i < 10; i++) ask('a', `a${i}`)
    await turnsOf(12)
    expect(started).toEqual(['a0', 'a1'])
    end('a1')
    await turnsOf(3)
    expect(started).toEqual(['a0', 'a1', 'a2'])
    // A request that is ended twice counts once.
    end('a1')
    await turnsOf(3)
    expect(started).toHaveLength(3)
  })

  test('stop counting when they take long, so that no request waits for a language model', async () => {
    const pass = stopTheClock()
    const { ask, end, started } = createRequests()
    for (let i = 0; i < 6; i++) ask('a', `a${i}`)
    await pass(200)
    expect(started).toHaveLength(6)
    // A request that ends after it stopped counting frees no place.
    for (let i = 0; i < 4; i++) end(`a${i}`)
    for (let i = 6; i < 16; i++) ask('a', `a${i}`)
    await turnsOf(12)
    expect(started.length).toBeLessThan(9)
  })
})

test('callers at one address are refused as often as one of them, and a caller that was not refused waits for none', async () => {
  const pass = stopTheClock()
  const turns = createRequestTurns()
  let refusals = 0
  const flood = (caller: string, until: number) => {
    if (performance.now() > until) return
    turns.take(
      caller,
      (turn) => {
        refusals++
        setImmediate(() => {
          turn.end(true)
          flood(caller, until)
        })
      },
      'address',
    )
  }
  const began = performance.now()
  for (let i = 0; i < 50; i++) flood(`key ${i}`, began + 400)
  await pass(400)
  // Each caller is refused once at first, and then one of them every four milliseconds.
  expect(refusals).toBeLessThan(50 + 150)
  const asked = performance.now()
  let started = Number.POSITIVE_INFINITY
  turns.take('another key', () => (started = performance.now()), 'address')
  await pass(20)
  expect(started - asked).toBeLessThan(20)
})
