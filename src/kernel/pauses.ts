// For work on many things in a row: it goes on for a few milliseconds, then everything else goes first.
import { setImmediate } from 'node:timers/promises'

// A request that arrives meanwhile waits hardly longer than for another request.
const SLICE_MS = 5

/** To be called between two pieces of the work, and waited for when it answers with a promise. */
export function createPauses(): () => Promise<void> | undefined {
  let end = performance.now() + SLICE_MS
  return () => {
    if (performance.now() < end) return undefined
    return setImmediate().then(() => {
      end = performance.now() + SLICE_MS
    })
  }
}
