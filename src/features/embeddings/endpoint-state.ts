// Whether the embedding endpoint can be used, for questions and for listings. The log gets one line when it cannot be used any more, and
// one when it can be used again for both.
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
 * An endpoint that suddenly gives vectors of another length may have another model under the same name, or be broken for a moment. All
 * vectors are replaced only when it has given no other length for a while.
 */
export interface LengthWatch {
  isRight(): void
  /** Call this for every vector of another length. Returns true once this length has been stable for `confirmMs`. */
  isConfirmed(length: number): boolean
}

export function createLengthWatch(confirmMs: number): LengthWatch {
  let other: { length: number; since: number } | null = null
  return {
    isRight() {
      other = null
    },
    isConfirmed(length) {
      const now = performance.now()
      if (other?.length !== length) other = { length, since: now }
      return now - other.since >= confirmMs
    },
  }
}
