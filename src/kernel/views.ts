// What a process keeps in memory of the database, and how it learns of changes. An operation only announces a change in its transaction.
// After the commit, and before the operation answers, the change is applied to every view of this process; other processes apply it when
// its announcement arrives there.
import type { Change, Database, Log } from './context.ts'

export interface View {
  /** Applies a change if it concerns the view. `null`, also at the start: anything may have changed. Resolves when readers see it. */
  apply(change: Change | null): Promise<void>
  /** Whether it has been read once. */
  isLoaded(): boolean
  /** Resolves when every change that has arrived is applied. */
  settled(): Promise<void>
  close(): void
}

/** A view that reads the changes of this process over the connection that made them, so that they need not wait for another one. */
export interface DirectView extends View {
  /** Before the commit. */
  expect(changes: readonly Change[]): void
  /** The transaction has failed. */
  forget(changes: readonly Change[]): void
  /** After the commit. Returns the changes that are too large for that or could not be read. */
  take(db: Database, changes: readonly Change[]): Promise<readonly Change[]>
  /** Applies the changes that `take` returned; resolves when readers see them. */
  follow(changes: readonly Change[]): Promise<void>
}

/** All views of a process. */
export interface Views extends View {
  /** From now on they are kept up to date. A process that serves no requests does not call it. */
  start(): void
  /** Before the commit, because an announcement may arrive before the commit is known here. */
  expect(changes: readonly Change[]): void
  /** The transaction has failed. */
  forget(changes: readonly Change[]): void
  /** After the commit, over the same connection; must not throw. Call the result when the connection is free: it resolves when readers see all. */
  take(db: Database, changes: readonly Change[]): Promise<() => Promise<void>>
}

// An announcement arrives at once, or never if the listener lost its connection. A million changed listings make 5,000 announcements.
const MAX_REMEMBERED = 10_000

export function createViews(views: readonly (View | DirectView)[]): Views {
  let isActive = false
  /** The changes of this process. Their announcements, which the database sends back to it, are skipped by views that read them directly. */
  const own = new Set<string>()
  /** Those whose transaction has neither ended nor failed. */
  const open = new Set<string>()
  const isLoaded = () => isActive && views.every((view) => view.isLoaded())
  return {
    start() {
      isActive = true
    },
    isLoaded,
    async apply(change) {
      const isOwn = own.delete(change?.id ?? '')
      if (isActive) await Promise.all(views.map((view) => (isOwn && isDirect(view) ? undefined : view.apply(change))))
    },
    expect(changes) {
      // During the first load the announcements tell what the load may have missed.
      if (!isLoaded()) return
      for (const { id } of changes) {
        if (id === undefined) continue
        own.add(id)
        open.add(id)
      }
      for (const id of own) if (own.size > MAX_REMEMBERED) own.delete(id)
      for (const view of views.filter(isDirect)) view.expect(changes)
    },
    forget(changes) {
      // Its announcement has arrived: the database has committed it, and only the answer to that was lost.
      const isCommitted = ({ id = '' }: Change) => open.delete(id) && !own.delete(id)
      const committed = changes.filter(isCommitted)
      for (const view of views.filter(isDirect)) {
        view.forget(changes)
        for (const change of committed) void view.apply(change)
      }
    },
    async take(db, changes) {
      for (const { id = '' } of changes) open.delete(id)
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

/** Runs the reads of a view one after the other, because otherwise an older read could overwrite a newer one. */
export function createReads(log: Log, failed: string) {
  let queue: Promise<void> = Promise.resolve()
  let isClosed = false
  /** Resolves when it was read: a read that fails is tried again. */
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
