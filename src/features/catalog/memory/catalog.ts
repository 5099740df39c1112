// The interface of the catalog in memory; `snapshot.ts` implements it.
import type { DirectView } from '../../../kernel/views.ts'
import type { Snapshot } from './listing-states.ts'

export interface Catalog extends DirectView {
  /** Throws a 503 until the service is ready. */
  snapshot(): Snapshot
  isReady(): boolean
  /** Raised by every change, so that a cache can tell whether its answers are stale. */
  version(): number
  /** The same, but not raised by click-throughs. */
  listingsVersion(): number
  /** When the catalog last changed, in milliseconds since 1970. */
  changedAt(): number
}

declare module '../../../kernel/context.ts' {
  interface Context {
    catalog: Catalog
  }
}
