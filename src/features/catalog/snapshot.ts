// The published catalog in memory, from which reads are answered, also while the database is down. Changes of this and of other processes
// are put into it. At the start, and when changes may have been missed, the revisions of all rows are compared, and the rows that differ
// are read.
import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises'
import type { BrokenRows } from '../../kernel/broken-rows.ts'
import type { Change, Database, Log } from '../../kernel/context.ts'
import { starting } from '../../kernel/errors.ts'
import { createIndex } from '../../search/index.ts'
import type { Learned } from '../learning/learned.ts'
import type { Catalog } from './catalog.ts'
import type { CatalogFile } from './catalog-file.ts'
import { add, isTopic } from './changed-ids.ts'
import { indexOptions, type ListingIndex, ROWS_AT_ONCE, type Snapshot, sizeOf } from './listing-states.ts'
import { createSnapshotUpdater, type SnapshotUpdater } from './put-changes.ts'
import type { Taxonomy } from './rules.ts'
import { LISTED_KINDS, type ListedKind, TERM_KINDS, TOPIC } from './schema.ts'
import { differentTerms, loadTaxonomy, prepareTaxonomy, taxonomyText } from './taxonomy.ts'
import { differentIds, type Revisions, readRevisions } from './up-to-date.ts'

export type { Catalog } from './catalog.ts'
export type { ListingIndex, Snapshot } from './listing-states.ts'

interface Source {
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

export function createCatalog({ db, log, publicUrl, brokenRows, learned, file, isStarting }: Source): Catalog {
  const { counts, changed } = createCounts()
  const updater = createSnapshotUpdater({ publicUrl, brokenRows, changed })
  const loader = createLoader({ db, brokenRows, learned, file }, updater)
  const { working, track, retryUntilDone, close } = createWork(log)
  let comparing: Promise<void> = Promise.resolve()

  /** null while changes are put in place: some listings may still have the old names of their terms. */
  const settledSnapshot = () => (loader.isLoaded() && working.size === 0 ? loader.snapshot() : null)

  async function compareOnce(): Promise<void> {
    const isFirst = !loader.isLoaded()
    await loader.compare()
    if (isFirst) file?.keep(loader.snapshot(), settledSnapshot, ({ taxonomy }) => taxonomyText(taxonomy))
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
        // `withIds` itself comes back when nothing was put in place; then `follow` needs the rows.
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

/** Collects the changes that arrive in one iteration of the event loop, because those of one transaction are announced together. */
function inBatches(put: (changes: readonly Change[]) => Promise<void>): (change: Change) => Promise<void> {
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

/** Holds the snapshot, and compares all of it with the database. */
function createLoader(
  { db, brokenRows, learned, file }: Pick<Source, 'db' | 'brokenRows' | 'learned' | 'file'>,
  { put }: Pick<SnapshotUpdater, 'put'>,
) {
  let snapshot: Snapshot | null = null
  let loaded = false

  /** Makes the first snapshot: from the file if it can be used, otherwise without listings. */
  async function makeFirst(taxonomy: Taxonomy): Promise<{ revisions?: Promise<Revisions>; isFromFile: boolean }> {
    let revisions: Promise<Revisions> | undefined
    const stored = await file?.read(taxonomyText(taxonomy), () => {
      // Begun here, so that the database reads them while this thread reads the file.
      revisions = readRevisions(db)
      revisions.catch(() => {})
    })
    await prepareTaxonomy(taxonomy)
    const openedAfter = learned?.openedAfter
    snapshot = {
      taxonomy,
      tools: { ...(stored?.tool ?? emptyListings('tool')), openedAfter },
      directories: { ...(stored?.directory ?? emptyListings('directory')), openedAfter },
    }
    return { revisions, isFromFile: Boolean(stored) }
  }

  return {
    snapshot() {
      if (!snapshot) throw starting()
      return snapshot
    },
    isLoaded: () => loaded,
    async compare(): Promise<void> {
      const { taxonomy, foundBroken } = await loadTaxonomy(db)
      const begun = snapshot ? null : await makeFirst(taxonomy)
      const current = this.snapshot()
      brokenRows.replace(TERM_KINDS, foundBroken)
      const different = differentTerms(current.taxonomy, taxonomy)
      const revisions = await (begun?.revisions ?? readRevisions(db))
      for (const kind of LISTED_KINDS)
        add(different, TOPIC[kind], await differentIds(revisions[kind], current[TOPIC[kind]]))
      // Broken rows are not in the index. They are read again, so that one that was deleted or hidden is no longer reported.
      for (const { kind, id } of brokenRows.list())
        if (kind === 'tool' || kind === 'directory') add(different, TOPIC[kind], [id])
      if (begun?.isFromFile)
        file?.tellUsed(sizeOf(current), (different.get('tools')?.size ?? 0) + (different.get('directories')?.size ?? 0))
      await put(
        current,
        db,
        [...different].map(([topic, ids]) => ({ topic, ids: [...ids] })),
      )
      loaded = true
    },
  }
}

const emptyListings = (kind: ListedKind): ListingIndex => ({ index: createIndex(indexOptions(kind)), idOf: new Map() })

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
    /** While the database is down, reads are answered from the last state. */
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
