// Knows whether the embedding endpoint works, for questions and for listings. Logs one line when it begins to fail, and one when it works
// again for both.
import type { Log } from '../../kernel/context.ts'

type Use = 'questions' | 'listings'

export interface EndpointState {
  failed(use: Use, reason: string): void
  works(use: Use): void
}

export function createEndpointState(log: Log): EndpointState {
  const failing = new Set<Use>()
  return {
    failed(use, reason) {
      if (failing.size === 0)
        log.warn(
          { reason },
          'the embedding endpoint cannot be used; questions are answered from words alone until it can',
        )
      failing.add(use)
    },
    works(use) {
      if (failing.delete(use) && failing.size === 0) log.info({}, 'the embedding endpoint can be used again')
    },
  }
}

/**
 * An endpoint that suddenly gives vectors with other dimensions may have another model under the same name, or be broken for a moment. All
 * vectors are replaced only when it has given the same new dimensions for a while.
 */
export interface DimensionsWatch {
  /** Call this for every vector with the expected dimensions. */
  reset(): void
  /** Call this for every vector with other dimensions. Returns true once it gave the same ones for `confirmMs`. */
  recordOther(dimensions: number): boolean
}

export function createDimensionsWatch(confirmMs: number): DimensionsWatch {
  let other: { dimensions: number; since: number } | null = null
  return {
    reset() {
      other = null
    },
    recordOther(dimensions) {
      const now = performance.now()
      if (other?.dimensions !== dimensions) other = { dimensions, since: now }
      return now - other.since >= confirmMs
    },
  }
}
