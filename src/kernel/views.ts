// Views are the data of the database that a process keeps in memory. An operation only announces a change in its transaction. After the
// commit, and before the operation answers, the change is applied to every view of this process; other processes apply it when its
// announcement arrives there.
import type { Change, Database, Log } from './context.ts'

export interface View {
  /** Applies a change if it concerns the view. `null`, also at the start: anything may have changed. Resolves when readers see it. */
  apply(change: Change | null): Promise<void>
  /** Whether it was loaded at least once. */
  isLoaded(): boolean
  /** Resolves when every change that has arrived is applied. */
  settled(): Promise<void>
  close(): void
}

/** A view that reads the changes of this process over the connection that made them, so that it need not wait for another connection. */
export interface DirectView extends View {
  /** Call it before the commit. */
  expect(changes: readonly Change[]): void
  /** Call it when the transaction has failed. */
  forget(changes: readonly Change[]): void
  /** Call it after the commit. Reads the changes, and returns those that are too large for this or could not be read. */
  take(db: Database, changes: readonly Change[]): Promise<readonly Change[]>
  /** Applies the changes that `take` returned; resolves when readers see them. */
  follow(changes: readonly Change[]): Promise<void>
}

export interface Views extends View {
  /** Starts to keep the views up to date. A process that serves no requests does not call it. */
  start(): void
  /** Call it before the commit, because an announcement may arrive before the commit is known here. */
  expect(changes: readonly Change[]): void
  /** Call it when the transaction has failed. */
  forget(changes: readonly Change[]): void
  /** Call it after the commit; it must not throw. Call the result when the connection is free: it resolves when readers see the changes. */
  take(db: Database, changes: readonly Change[]): Promise<() => Promise<void>>
}

// Own changes beyond this number are forgotten, because an announcement may never arrive. A million listings make 5,000 announcements.
const MAX_REMEMBERED = 10_000

export function createViews(views: readonly (View | DirectView)[]): Views {
  let isActive = false
  /** Changes of this process whose announcement has not arrived yet. Direct views skip these announcements. */
  const unarrived = new Set<string>()
  /** Changes of this process whose transaction has not ended yet. */
  const unfinished = new Set<string>()
  const isLoaded = () => isActive && views.every((view) => view.isLoaded())
  return {
    start() {
      isActive = true
    },
    isLoaded,
    async apply(change) {
      const isOwn = unarrived.delete(change?.id ?? '')
      if (isActive) await Promise.all(views.map((view) => (isOwn && isDirect(view) ? undefined : view.apply(change))))
    },
    expect(changes) {
      // During the first load the announcements tell what the load may have missed.
      if (!isLoaded()) return
      for (const { id } of changes) {
        if (id === undefined) continue
        unarrived.add(id)
        unfinished.add(id)
      }
      for (const id of unarrived) if (unarrived.size > MAX_REMEMBERED) unarrived.delete(id)
      for (const view of views.filter(isDirect)) view.expect(changes)
    },
    forget(changes) {
      // If the announcement has arrived, the database has committed the change, and only its confirmation was lost.
      const isCommitted = ({ id = '' }: Change) => unfinished.delete(id) && !unarrived.delete(id)
      const committed = changes.filter(isCommitted)
      for (const view of views.filter(isDirect)) {
        view.forget(changes)
        for (const change of committed) void view.apply(change)
      }
    },
    async take(db, changes) {
      for (const { id = '' } of changes) unfinished.delete(id)
      if (changes.length === 0 || !isLoaded()) return async () => {}
      const left = new Map<DirectView, readonly Change[]>()
      for (const view of views.filter(isDirect)) left.set(view, await view.take(db, changes))
      return async () => {
        const applied = views.flatMap((view) =>
          isDirect(view) ? view.follow(left.get(view) ?? []) : changes.map((change) => view.apply(change)),
        )
        await Promise.all(applied)
      }
    },
    async settled() {
      for (const view of views) await view.settled()
    },
    close() {
      isActive = false
      for (const view of views) view.close()
    },
  }
}

const isDirect = (view: View): view is DirectView => 'take' in view

const RETRY_MS = 300

/** Runs the reads of a view one after the other: an older read must not overwrite a newer one. `failed`: the log line of a failure. */
export function createReads(log: Log, failed: string) {
  let queue: Promise<void> = Promise.resolve()
  let isClosed = false
  /** Resolves when `read` has succeeded; a read that fails is tried again. */
  function add(read: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    queue = queue.then(read).then(resolve, async (error) => {
      if (isClosed) return
      log.warn({ err: error }, failed)
      await new Promise((elapsed) => setTimeout(elapsed, RETRY_MS).unref())
      void add(read).then(resolve)
    })
    return promise
  }
  return {
    add,
    settled: () => queue,
    close() {
      isClosed = true
    },
  }
}
