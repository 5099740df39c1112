// Shares the main thread between requests and long work (loading, indexing, imports, sitemaps, files). Long work runs in slices of two
// milliseconds. While requests arrive, all long work together gets at most a quarter of the time.
import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises'

// A request that arrives during a slice waits about as long as it would wait for a few other requests.
const SLICE_MS = 2
/** The share of the time that long work gets while requests arrive: after a slice, requests get the thread for three times as long. */
const LONG_WORK_SHARE = 1 / 4
/** A slice counts as this long at most: it may have been longer because the machine was busy, and then the work need not wait longer. */
const LONGEST_CHARGED_MS = 10

let lastRequestAt = Number.NEGATIVE_INFINITY
/** While requests arrive, no slice begins before this time. */
let nextSliceAt = 0

/** The HTTP server calls this for every request. */
export function requestArrived(): void {
  lastRequestAt = performance.now()
}

/** Call it between two steps of long work, and await the promise if it returns one. */
export type Pause = () => Promise<void> | undefined

export function createPauses(): Pause {
  let spent = 0
  let iteration = watchIteration()

  async function wait(milliseconds: number): Promise<void> {
    const beganAt = performance.now() - milliseconds
    // The event loop reads waiting requests from their connections before it comes back here.
    await nextIteration()
    if (lastRequestAt > beganAt) {
      // Other work takes its slices in the order in which it began to wait.
      nextSliceAt = Math.max(nextSliceAt, beganAt) + Math.min(milliseconds, LONGEST_CHARGED_MS) / LONG_WORK_SHARE
      await sleep(Math.max(0, nextSliceAt - performance.now()))
      // Requests that came during the sleep are read before the next slice, too.
      await nextIteration()
    }
    spent = 0
    iteration = watchIteration()
  }

  return () => {
    const total = spent + (iteration.endedAt ?? performance.now()) - iteration.beganAt
    if (total >= SLICE_MS) return wait(total)
    if (iteration.endedAt !== undefined) {
      spent = total
      iteration = watchIteration()
    }
    return undefined
  }
}

/** Measures until the end of the event loop's iteration: work that then waits for the database or a file does not use the thread. */
function watchIteration(): { beganAt: number; endedAt?: number } {
  const iteration: ReturnType<typeof watchIteration> = { beganAt: performance.now() }
  setImmediate(() => {
    iteration.endedAt = performance.now()
  })
  return iteration
}
