// The published catalog in memory, from which reads are answered, also while the database is down. Changes of this and of other processes
// are put into it (`put-changes.ts`). At the start, and when changes may have been missed, all of it is compared with the database
// (`snapshot-loader.ts`).
import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises'
import type { BrokenRows } from '../../../kernel/checks/broken-rows.ts'
import type { Change, Database, Log } from '../../../kernel/context.ts'
import { starting } from '../../../kernel/errors.ts'
import type { DirectView } from '../../../kernel/views.ts'
import type { Learned } from '../../learning/learned.ts'
import { taxonomyText } from '../terms/taxonomy.ts'
import type { CatalogFile } from './catalog-file.ts'
import { isTopic } from './changed-ids.ts'
import { ROWS_AT_ONCE, type Snapshot } from './listing-states.ts'
import { createSnapshotUpdater } from './put-changes.ts'
import { createLoader } from './snapshot-loader.ts'

export type { ListingIndex, Snapshot } from './listing-states.ts'

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

interface CatalogSource {
  db: Database
  publicUrl: string
  log: Log
  /** Rows that cannot be shown are recorded here. */
  brokenRows: BrokenRows
  /** Arranges results; a change of it is a change of the catalog. */
  learned?: Pick<Learned, 'openedAfter' | 'revision'>
  /** The file from which the first load is made; it is kept up to date. */
  file?: CatalogFile | null
  /** True until the service is ready; a first start may fill the catalog until then. Readers get a 503 meanwhile. */
  isStarting: () => boolean
}

export function createCatalog({ db, log, publicUrl, brokenRows, learned, file, isStarting }: CatalogSource): Catalog {
  const { counts, changed } = createCounts()
  const updater = createSnapshotUpdater({ publicUrl, brokenRows, changed })
  const loader = createLoader({ db, brokenRows, learned, file }, updater)
  const { working, track, retryUntilDone, close } = createWork(log)
  let comparing: Promise<void> = Promise.resolve()

  /** The snapshot; null while changes are put in place, because some listings may still have the old names of their terms. */
  const settledSnapshot = () => (loader.isLoaded() && working.size === 0 ? loader.snapshot() : null)

  async function compareOnce(): Promise<void> {
    const isFirst = !loader.isLoaded()
    await loader.compare()
    if (isFirst) file?.startWriting(loader.snapshot(), settledSnapshot, ({ taxonomy }) => taxonomyText(taxonomy))
  }

  function compareAll(): Promise<void> {
    comparing = comparing.then(() => retryUntilDone(compareOnce))
    return track(comparing)
  }

  async function putWhenLoaded(changes: readonly Change[]): Promise<void> {
    if (!loader.isLoaded()) await comparing
    await retryUntilDone(() => updater.put(loader.snapshot(), db, changes))
  }

  const accept = inBatches((changes) => track(putWhenLoaded(changes)))
  return {
    snapshot() {
      if (!loader.isLoaded() || isStarting()) throw starting()
      return loader.snapshot()
    },
    isLoaded: loader.isLoaded,
    isReady: () => loader.isLoaded() && !isStarting(),
    version: () => counts.version + (learned?.revision() ?? 0),
    listingsVersion: () => counts.listingsVersion,
    changedAt: () => counts.changedAt,
    async apply(change) {
      if (change === null) return compareAll()
      if (isTopic(change.topic)) return change.ids ? track(accept(change)) : compareAll()
    },
    expect: updater.expect,
    forget: updater.forget,
    async take(connection, all) {
      const changes = all.filter(({ topic }) => isTopic(topic))
      const [withIds, withoutIds] = [changes.filter(({ ids }) => ids), changes.filter(({ ids }) => !ids)]
      try {
        const left = await track(updater.put(loader.snapshot(), connection, withIds, ROWS_AT_ONCE))
        // `put` returns `withIds` itself when nothing was put in place. Then the rows that were handed over are kept, because `follow` puts
        // them in place.
        if (left !== withIds) updater.forget(changes)
        return [...left, ...withoutIds]
      } catch (error) {
        log.warn({ err: error }, 'what was written could not be read over the same connection; reading it over another')
        return changes
      }
    },
    async follow(changes) {
      if (changes.length === 0) return
      await (changes.every(({ ids }) => ids) ? track(putWhenLoaded(changes)) : compareAll())
      updater.forget(changes)
    },
    async settled() {
      while (working.size > 0) await Promise.all(working)
    },
    close() {
      close()
      file?.close()
    },
  }
}

/** How often the catalog has changed, and when last. */
function createCounts() {
  const counts = { version: 0, listingsVersion: 0, changedAt: Date.now() }
  return {
    counts,
    changed(listings: boolean) {
      counts.version++
      if (listings) counts.listingsVersion++
      counts.changedAt = Date.now()
    },
  }
}

/**
 * Returns a function that collects the changes of one iteration of the event loop and puts them together, because the
 * changes of one transaction are announced together.
 */
function inBatches(put: (changes: readonly Change[]) => Promise<void>): (change: Change) => Promise<void> {
  /** The batch that changes are added to; `visible` is fulfilled when readers see it. */
  let waiting: { changes: Change[]; visible: Promise<void> } | null = null
  const putBatch = async (changes: Change[]) => {
    await nextIteration()
    waiting = null
    await put(changes)
  }
  return (change) => {
    if (!waiting) {
      const changes: Change[] = []
      waiting = { changes, visible: putBatch(changes) }
    }
    waiting.changes.push(change)
    return waiting.visible
  }
}

const RETRY_MS = 300

/** Knows which work is under way, and repeats work that fails. */
function createWork(log: Log) {
  const working = new Set<Promise<unknown>>()
  let isClosed = false
  return {
    working,
    track<T>(work: Promise<T>): Promise<T> {
      working.add(work)
      const end = () => void working.delete(work)
      work.then(end, end)
      return work
    },
    /** Repeats the work until it succeeds. While the database is down, reads are answered from the last state. */
    async retryUntilDone(work: () => Promise<unknown>): Promise<void> {
      while (!isClosed) {
        try {
          return void (await work())
        } catch (error) {
          if (isClosed) return
          log.warn({ err: error }, 'the catalog could not be read; reads go on from the last state')
          await sleep(RETRY_MS)
        }
      }
    },
    close() {
      isClosed = true
    },
  }
}
