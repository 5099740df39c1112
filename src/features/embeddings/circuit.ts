// Remembers that the endpoint fails, so that questions do not wait for it. From time to time one question may find out whether it works.

export interface Circuit {
  isFailing(): boolean
  /** While the endpoint fails: whether a question may be sent now. The next one may be sent only after a while. */
  mayTry(): boolean
  failed(): void
  succeeded(): void
}

const FAILURES_IN_A_ROW = 3
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

export function createCircuit(): Circuit {
  let failures = 0
  let pauseMs = FIRST_PAUSE_MS
  let nextTryAt = 0
  const isFailing = () => failures >= FAILURES_IN_A_ROW
  return {
    isFailing,
    mayTry() {
      const now = performance.now()
      if (now < nextTryAt) return false
      nextTryAt = now + pauseMs
      return true
    },
    failed() {
      failures++
      if (!isFailing()) return
      nextTryAt = performance.now() + pauseMs
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    },
    succeeded() {
      failures = 0
      pauseMs = FIRST_PAUSE_MS
    },
  }
}
