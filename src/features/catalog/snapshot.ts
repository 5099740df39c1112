// The published catalog in memory. Reads are answered from it, also while the database is down. Every change is put in place, whether this
// process or another one has made it. At the start, and when changes may have been missed, the revisions of all rows are compared, and the
// rows that differ are read.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { BrokenRows } from '../../kernel/broken-rows.ts'
import type { Change, Database, Log } from '../../kernel/context.ts'
import { starting } from '../../kernel/errors.ts'
import { createIndex } from '../../search/index.ts'
import type { Catalog } from './catalog.ts'
import type { CatalogFile } from './catalog-file.ts'
import { add, isTopic } from './changes.ts'
import { indexOptions, type ListingIndex, PAGE, type Snapshot, sizeOf } from './listing-states.ts'
import { createPutting, type Putting } from './put-changes.ts'
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
  /** The first load is made from it, and it is kept up to date. */
  file?: CatalogFile | null
  /** While an empty catalog is filled, readers are told that the service is starting. */
  isHidden: () => boolean
}

export function createCatalog({ db, log, publicUrl, brokenRows, file, isHidden }: Source): Catalog {
  const { counts, changed } = createCounts()
  const putting = createPutting({ publicUrl, brokenRows, changed })
  const loader = createLoader({ db, brokenRows, file }, putting)
  const { working, track, retryUntilDone, close } = createWork(log)
  let comparing: Promise<void> = Promise.resolve()

  /** Null while listings may have been made with other terms than the last ones. */
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
    await retryUntilDone(() => putting.put(loader.snapshot(), db, changes))
  }

  const accept = gathered((changes) => track(putWhenLoaded(changes)))
  return {
    snapshot() {
      if (!loader.isLoaded() || isHidden()) throw starting()
      return loader.snapshot()
    },
    isLoaded: loader.isLoaded,
    isReady: () => loader.isLoaded() && !isHidden(),
    version: () => counts.version,
    listingsVersion: () => counts.listingsVersion,
    changedAt: () => counts.changedAt,
    async apply(change) {
      if (change === null) return compareAll()
      if (isTopic(change.topic)) return change.ids ? track(accept(change)) : compareAll()
    },
    expect: putting.expect,
    forget: putting.forget,
    async take(connection, all) {
      const changes = all.filter(({ topic }) => isTopic(topic))
      const [named, unnamed] = [changes.filter(({ ids }) => ids), changes.filter(({ ids }) => !ids)]
      try {
        const left = await track(putting.put(loader.snapshot(), connection, named, PAGE))
        if (left !== named) putting.forget(changes)
        return [...left, ...unnamed]
      } catch (error) {
        log.warn({ err: error }, 'what was written could not be read over the same connection; reading it over another')
        return changes
      }
    },
    async follow(changes) {
      if (changes.length === 0) return
      await (changes.every(({ ids }) => ids) ? track(putWhenLoaded(changes)) : compareAll())
      putting.forget(changes)
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

/** Puts together what is announced in one turn of the event loop: the changes of one transaction are announced together. */
function gathered(put: (changes: readonly Change[]) => Promise<void>): (change: Change) => Promise<void> {
  let waiting: { changes: Change[]; visible: Promise<void> } | null = null
  const putGathered = async (changes: Change[]) => {
    await nextTurn()
    waiting = null
    await put(changes)
  }
  return (change) => {
    if (!waiting) {
      const changes: Change[] = []
      waiting = { changes, visible: putGathered(changes) }
    }
    waiting.changes.push(change)
    return waiting.visible
  }
}

/** The snapshot, and how all of it is compared with the database. */
function createLoader(
  { db, brokenRows, file }: Pick<Source, 'db' | 'brokenRows' | 'file'>,
  { put }: Pick<Putting, 'put'>,
) {
  let snapshot: Snapshot | null = null
  let loaded = false

  /** From the file, if there is one that fits; otherwise empty. */
  async function begin(taxonomy: Taxonomy): Promise<{ revisions?: Promise<Revisions>; isFromFile: boolean }> {
    let revisions: Promise<Revisions> | undefined
    const stored = await file?.read(taxonomyText(taxonomy), () => {
      // The database reads them while this thread reads the file.
      revisions = readRevisions(db)
      revisions.catch(() => {})
    })
    await prepareTaxonomy(taxonomy)
    snapshot = {
      taxonomy,
      tools: stored?.tool ?? emptyListings('tool'),
      directories: stored?.directory ?? emptyListings('directory'),
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
      const begun = snapshot ? null : await begin(taxonomy)
      const current = this.snapshot()
      brokenRows.replace(TERM_KINDS, foundBroken)
      const different = differentTerms(current.taxonomy, taxonomy)
      const revisions = await (begun?.revisions ?? readRevisions(db))
      for (const kind of LISTED_KINDS)
        add(different, TOPIC[kind], await differentIds(revisions[kind], current[TOPIC[kind]]))
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

/** What is under way. */
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
