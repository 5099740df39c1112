// What the other files know of the catalog in memory; snapshot.ts makes it.
import type { Change, Database } from '../../kernel/context.ts'
import type { Snapshot } from './listing-states.ts'
import type { Preparation } from './preparation.ts'

export interface Catalog {
  /** Throws a 503 until the first load is done. */
  snapshot(): Snapshot
  isReady(): boolean
  /** Raised by every change, so that a cache can tell whether its answers are stale. */
  version(): number
  /** The same, but not raised by click-throughs. */
  listingsVersion(): number
  /** When it was last changed, in milliseconds. */
  changedAt(): number
  /** Applies a change, or reloads everything for `null`, which means that anything may have changed. Resolves when readers see it. */
  apply(change: Change | null): Promise<void>
  /** Changes that a transaction of this process is about to commit: it applies them itself, and their announcements are skipped. */
  expect(changes: readonly Change[]): void
  /** The transaction has failed. */
  forget(changes: readonly Change[]): void
  /**
   * Applies changes of this process over the connection that committed them, so that they need not wait for another connection. Returns
   * the changes that are too large for that or could not be read.
   */
  take(db: Database, changes: readonly Change[]): Promise<readonly Change[]>
  /** Applies the changes that `take` returned; resolves when readers see them. */
  follow(changes: readonly Change[]): Promise<void>
  /** When more listings than this change, building a new snapshot costs less than changing the current one. */
  mostInPlace(): number
  /**
   * For a transaction that stores `count` listings and has stored the terms that they need. Null when nothing can be made ready. The
   * caller announces the result with the changes, and closes it when the transaction has ended.
   */
  prepare(db: Database, count: number): Promise<Preparation | null>
  /** Resolves when all changes so far have been applied. */
  settled(): Promise<void>
  close(): void
}

declare module '../../kernel/context.ts' {
  interface Context {
    catalog: Catalog
  }
}
