// The published catalog in memory. Reads are answered from it, also while the database is down. Small changes are read and put in place
// at once. After a large change a new snapshot is loaded in the background; rows that change during the load are put into both snapshots
// before the new one replaces the old one. The listings of an import in this process are made ready while the database stores them.
import { setImmediate } from 'node:timers/promises'
import type { BrokenRows } from '../../kernel/broken-rows.ts'
import type { Change, Database, Log } from '../../kernel/context.ts'
import { starting } from '../../kernel/errors.ts'
import type { Catalog } from './catalog.ts'
import type { CatalogFile } from './catalog-file.ts'
import { add, addAll, type Changes, changesOf, isAwaited, isTopic, TERM_TOPICS } from './changes.ts'
import { PAGE, pagesOf, replace, type Snapshot, sizeOf, statesWith } from './listing-states.ts'
import {
  createRetries,
  isSameTaxonomy,
  listingsConcernedBy,
  load,
  loadTaxonomy,
  taxonomyText,
  withChangedTerms,
} from './load.ts'
import { createOwnChanges } from './own-changes.ts'
import {
  isNewerThanView,
  type Preparation,
  type PreparedLoad,
  type Preparing,
  prepareInPlace,
  prepareSnapshot,
  type View,
} from './preparation.ts'
import * as queries from './queries.ts'
import { type Taxonomy, withOpens } from './rules.ts'
import { KINDS, TERM_KINDS, TOPIC } from './schema.ts'

export type { Catalog } from './catalog.ts'
export type { ListingIndex, Snapshot } from './listing-states.ts'
export type { Preparation } from './preparation.ts'

// Up to this many listings, or this part of them, are changed in place.
const CHANGED_IN_PLACE = 5_000
const PART_CHANGED_IN_PLACE = 1 / 4

interface Source {
  db: Database
  publicUrl: string
  log: Log
  /** Rows that cannot be shown are recorded here. */
  brokenRows: BrokenRows
  /** The first load is made from it, and it is kept up to date. */
  file?: CatalogFile | null
}

export function createCatalog({ db, log, publicUrl, brokenRows, file }: Source): Catalog {
  let current: View | null = null
  /** Loaded, and being brought up to date before it replaces the current one. */
  let next: View | null = null
  /** Changes since the load under way began. The load may have read those rows before they changed. */
  let changedDuringLoad: Changes | null = null
  let waiting = newBatch()
  let requestedRebuild: PromiseWithResolvers<void> | null = null
  let refreshing: Promise<void> | null = null
  let rebuilding: Promise<void> | null = null
  const ownChanges = createOwnChanges()
  let reads = 0
  let readsUnderWay = 0
  let version = 0
  let listingsVersion = 0
  let changedAt = Date.now()
  let closed = false

  function snapshotNow(): Snapshot {
    if (!current) throw starting()
    return current.snapshot
  }

  /** Null while the snapshot may have documents that were made with other terms than the last ones. */
  function consistentSnapshot(): Snapshot | null {
    const isChanging = rebuilding || refreshing || readsUnderWay > 0 || waiting.changes.size > 0
    return current && !isChanging && isMadeWithItsTerms(current.snapshot) ? current.snapshot : null
  }

  const views = (): View[] => [current, next].filter((view) => view !== null)

  function changed(listings: boolean): void {
    version++
    if (listings) listingsVersion++
    changedAt = Date.now()
  }

  /** Reads the changed rows and puts them in place. Returns false and changes nothing when more than `most` listings are concerned. */
  async function refresh(connection: Database, changes: Changes, most: number): Promise<boolean> {
    if (views().length === 0) {
      if (changedDuringLoad) addAll(changedDuringLoad, changes)
      return true
    }
    const read = ++reads
    readsUnderWay++
    const viewsBefore = views()
    let loaded: Taxonomy | undefined
    try {
      const { toolIds, directoryIds } = await listingsConcernedBy(connection, changes)
      if (toolIds.length + directoryIds.length > most) return false
      // During a rebuild the current snapshot may lack terms that the new one has.
      if (rebuilding || TERM_TOPICS.some((topic) => changes.has(topic))) {
        const { taxonomy, foundBroken } = await loadTaxonomy(connection)
        loaded = taxonomy
        if (changedDuringLoad)
          addAll(changedDuringLoad, new Map(TERM_TOPICS.map((topic) => [topic, changes.get(topic) ?? new Set()])))
        for (const view of views())
          if (isNewerThanView(view, 'taxonomy', read)) {
            view.snapshot.taxonomy = taxonomy
            brokenRows.replace(TERM_KINDS, foundBroken)
          }
      }
      for (const [kind, all] of [['tool', toolIds] as const, ['directory', directoryIds] as const])
        for (const ids of pagesOf(all)) {
          const rows = await queries.listPublished(connection, kind, ids)
          if (changedDuringLoad) add(changedDuringLoad, TOPIC[kind], ids)
          const found = new Map(rows.map((row) => [row.id, row]))
          for (const view of views()) {
            const toState = statesWith(publicUrl, view.snapshot.taxonomy)
            const newer = ids.filter((id) => isNewerThanView(view, id, read))
            const states = newer.map((id) => toState(kind, id, found.get(id)))
            replace(kind, view.snapshot[TOPIC[kind]], states, brokenRows)
          }
        }
      if (loaded)
        for (const { snapshot } of viewsBefore) snapshot.madeWith = withChangedTerms(snapshot.madeWith, loaded, changes)
      const opened = [...(changes.get('opens') ?? [])]
      if (opened.length > 0) {
        const rows = await queries.listToolOpens(connection, opened)
        if (changedDuringLoad) add(changedDuringLoad, 'opens', opened)
        for (const view of views()) putOpens(view, rows, read)
      }
      return true
    } finally {
      endRead()
      changed(changes.keys().some((topic) => topic !== 'opens'))
    }
  }

  function endRead(): void {
    if (--readsUnderWay === 0) for (const view of views()) view.readOf.clear()
  }

  const retryUntilDone = createRetries(log, () => closed)
  async function refreshWaiting(): Promise<void> {
    // The changes of one transaction are announced together, so this waits for all of them.
    await setImmediate()
    while (!closed && waiting.changes.size > 0) {
      const { changes, done } = waiting
      waiting = newBatch()
      await retryUntilDone(async () => {
        const most = mostInPlace()
        const isFew = changes.values().every((ids) => ids.size <= most)
        // No await, so that later changes are put in place during the rebuild.
        if (isFew && (await refresh(db, changes, most))) done.resolve()
        else void rebuild().then(done.resolve)
      })
    }
  }

  /** Resolves when a snapshot that was read after this call has taken over. */
  function rebuild(): Promise<void> {
    requestedRebuild ??= Promise.withResolvers()
    rebuilding ??= loadRequested().finally(() => {
      rebuilding = null
    })
    return requestedRebuild.promise
  }

  async function loadRequested(): Promise<void> {
    await setImmediate()
    while (!closed && requestedRebuild) {
      const { resolve } = requestedRebuild
      requestedRebuild = null
      await retryUntilDone(async () => {
        next = null
        changedDuringLoad = new Map()
        const since = reads
        const { snapshot, foundBroken } = await load(db, publicUrl, current ? null : file)
        // From here on every change is put into both snapshots.
        const changesToRepeat = changedDuringLoad
        changedDuringLoad = null
        brokenRows.replace(KINDS, foundBroken)
        next = { snapshot, since, readOf: new Map() }
        await refresh(db, changesToRepeat, Number.POSITIVE_INFINITY)
        const isFirst = current === null
        current = next
        next = null
        changed(true)
        if (isFirst) file?.keep(snapshot, consistentSnapshot, ({ madeWith }) => taxonomyText(madeWith))
      })
      resolve()
    }
  }

  function accept(change: Change | null): Promise<void> {
    if (change === null) return rebuild()
    const { topic, ids } = change
    if (!isTopic(topic)) return Promise.resolve()
    if (ids === undefined) return rebuild()
    add(waiting.changes, topic, ids)
    const { promise } = waiting.done
    refreshing ??= refreshWaiting().finally(() => {
      refreshing = null
    })
    return promise
  }

  const mostInPlace = (): number =>
    Math.max(CHANGED_IN_PLACE, current ? sizeOf(current.snapshot) * PART_CHANGED_IN_PLACE : 0)

  /** The loads that are requested from now on wait until `end` is called. */
  function beginPreparedLoad(): PreparedLoad {
    const ended = Promise.withResolvers<void>()
    rebuilding = ended.promise
      .then(() => (requestedRebuild ? loadRequested() : undefined))
      .finally(() => {
        rebuilding = null
      })
    const since = reads
    const changesToRepeat: Changes = new Map()
    changedDuringLoad = changesToRepeat
    return {
      async replaceCurrent(connection, snapshot, more) {
        addAll(changesToRepeat, more)
        changedDuringLoad = null
        next = { snapshot, since, readOf: new Map() }
        await refresh(connection, changesToRepeat, Number.POSITIVE_INFINITY)
        current = next
        changed(true)
      },
      end() {
        if (changedDuringLoad === changesToRepeat) changedDuringLoad = null
        next = null
        ended.resolve()
      },
    }
  }

  const preparing: Preparing = {
    publicUrl,
    brokenRows,
    views,
    changed,
    refresh,
    beginRead() {
      readsUnderWay++
      return ++reads
    },
    endRead,
    changedDuringLoad: () => changedDuringLoad,
    beginPreparedLoad,
  }

  return {
    snapshot: snapshotNow,
    isReady: () => current !== null,
    version: () => version,
    listingsVersion: () => listingsVersion,
    changedAt: () => changedAt,
    apply: (change) => ownChanges.announced(change) ?? accept(change),
    // During the first load the announcement tells the load what it may have missed.
    expect: (changes) => void (current && ownChanges.expect(changes)),
    forget: ownChanges.forget,
    async take(connection, changes) {
      let left = changes.filter(({ topic }) => isAwaited(topic))
      if (!current) return left
      const isApplied = (applied: readonly Change[]) => {
        ownChanges.areVisible(applied)
        const all = new Set(applied)
        left = left.filter((change) => !all.has(change))
      }
      const readFew = async (some: readonly Change[]) => {
        const withIds = some.filter(({ ids }) => ids !== undefined)
        if (withIds.length > 0 && (await refresh(connection, changesOf(withIds), PAGE))) isApplied(withIds)
      }
      const prepared = changes.find((change) => change.prepared)?.prepared as Preparation | undefined
      try {
        if (prepared) {
          // Listings are put beside the terms that they were made with. All listings of a changed term are read, which may be all there are.
          if (!prepared.bringsTerms) await readFew(left.filter(({ topic }) => TERM_TOPICS.includes(topic as never)))
          const shown = await prepared.show(connection)
          isApplied(left.filter(({ topic }) => shown.includes(topic)))
        }
        await readFew(left)
      } catch (error) {
        log.warn({ err: error }, 'what was written could not be read over the same connection; reading it over another')
      } finally {
        prepared?.close()
      }
      return left
    },
    async follow(changes) {
      if (current)
        await Promise.all(changes.map((change) => accept(change).then(() => ownChanges.areVisible([change]))))
    },
    mostInPlace,
    async prepare(transaction, count) {
      if (!current || closed) return null
      const isAll = count >= sizeOf(current.snapshot)
      if (isAll ? rebuilding : count > mostInPlace()) return null
      const { taxonomy } = await loadTaxonomy(transaction)
      if (!isAll) return prepareInPlace(preparing, taxonomy)
      return rebuilding ? null : prepareSnapshot(preparing, taxonomy)
    },
    async settled() {
      while (refreshing || rebuilding) await (refreshing ?? rebuilding)
    },
    close() {
      closed = true
      file?.close()
    },
  }
}

function isMadeWithItsTerms(snapshot: Snapshot): boolean {
  const isSame = isSameTaxonomy(snapshot.madeWith, snapshot.taxonomy)
  // The next comparison is then one of two references.
  if (isSame) snapshot.madeWith = snapshot.taxonomy
  return isSame
}

function putOpens({ snapshot, since, readOf }: View, rows: { id: string; opens: number }[], read: number): void {
  for (const { id, opens } of rows) {
    const listing = snapshot.tools.index.get(id)
    // A newer read may have brought the whole listing.
    if (listing && read > Math.max(since, readOf.get(id) ?? 0))
      snapshot.tools.index.update(id, { popularity: opens, item: withOpens(listing, opens) })
  }
}

const newBatch = () => ({ changes: new Map() as Changes, done: Promise.withResolvers<void>() })
