// Splits long loops: after a few milliseconds of work, requests and timers that wait run first.
import { setImmediate } from 'node:timers/promises'

// A request that arrives during the work waits about as long as it would wait for another request.
const SLICE_MS = 5

/** Call the result between two steps of the work, and await it when it returns a promise. */
export function createPauses(): () => Promise<void> | undefined {
  let end = performance.now() + SLICE_MS
  return () => {
    if (performance.now() < end) return undefined
    return setImmediate().then(() => {
      end = performance.now() + SLICE_MS
    })
  }
}
