// Shares the main thread between requests and work that may take longer: loading, indexing, imports, sitemaps, files. Such work goes on in
// slices of two milliseconds while no request arrives. While requests come, all of it together takes at most a quarter of the thread.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

// A request that arrives during a slice waits about as long as it would wait for a few other requests.
const SLICE_MS = 2
/** After a slice during which a request has arrived, requests have the thread for three times as long. */
const SLICE_PART = 1 / 4
/** A slice is longer when the machine had other things to do, which is no reason to wait. */
const LONGEST_CHARGED_MS = 10

let lastRequestAt = Number.NEGATIVE_INFINITY
/** While requests come, no slice begins before this time. */
let nextSliceAt = 0

/** The HTTP server calls this for every request. */
export function requestArrived(): void {
  lastRequestAt = performance.now()
}

/** Call the result between two steps of the work, and await it when it returns a promise. */
export type Pause = () => Promise<void> | undefined

export function createPauses(): Pause {
  let spent = 0
  let turn = watchTurn()

  async function wait(milliseconds: number): Promise<void> {
    const beganAt = performance.now() - milliseconds
    // The event loop reads waiting requests from their connections before it comes back here.
    await nextTurn()
    if (lastRequestAt > beganAt) {
      // Other work takes its slices in the order in which it began to wait.
      nextSliceAt = Math.max(nextSliceAt, beganAt) + Math.min(milliseconds, LONGEST_CHARGED_MS) / SLICE_PART
      await sleep(Math.max(0, nextSliceAt - performance.now()))
      await nextTurn()
    }
    spent = 0
    turn = watchTurn()
  }

  return () => {
    const total = spent + (turn.endedAt ?? performance.now()) - turn.beganAt
    if (total >= SLICE_MS) return wait(total)
    if (turn.endedAt !== undefined) {
      spent = total
      turn = watchTurn()
    }
    return undefined
  }
}

/** Work that awaits the database or a file has used the thread only until the end of the event loop's turn. */
function watchTurn(): { beganAt: number; endedAt?: number } {
  const turn: ReturnType<typeof watchTurn> = { beganAt: performance.now() }
  setImmediate(() => {
    turn.endedAt = performance.now()
  })
  return turn
}
