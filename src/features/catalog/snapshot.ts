// The published catalog in memory. Reads are answered from it, also while the database is down. Small changes are read and put in place
// at once. After a large change a new snapshot is loaded in the background; rows that change during the load are put into both snapshots
// before the new one replaces the old one.
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { BrokenRows } from '../../kernel/broken-rows.ts'
import type { Change, Database, Log } from '../../kernel/context.ts'
import { starting } from '../../kernel/errors.ts'
import { load, loadTaxonomy, PAGE, replace, type Snapshot } from './load.ts'
import * as queries from './queries.ts'
import { directoryDocument, toolDocument, withOpens } from './rules.ts'
import { KINDS, TERM_KINDS, TOPIC } from './schema.ts'

export type { ListingIndex, Snapshot } from './load.ts'

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
  /**
   * Applies changes of this process over the connection that committed them, so that they need not wait for another connection. Returns
   * the changes that are too large for that or could not be read.
   */
  take(db: Database, changes: readonly Change[]): Promise<readonly Change[]>
  /** Applies the changes that `take` returned; resolves when readers see them. */
  follow(changes: readonly Change[]): Promise<void>
  /** Resolves when all changes so far have been applied. */
  settled(): Promise<void>
  close(): void
}

declare module '../../kernel/context.ts' {
  interface Context {
    catalog: Catalog
  }
}

// Above this many listings, building a new index costs less than changing the old one in place.
const MAX_CHANGED_IN_PLACE = 5_000
const RETRY_MS = 300
// The database announces a change of this process back to it at once, or never if the listener lost its connection.
const MAX_REMEMBERED_CHANGES = 1_000

const TOPICS = [...Object.values(TOPIC), 'opens'] as const
type Topic = (typeof TOPICS)[number]
type Changes = Map<Topic, Set<string>>

/** A snapshot, and for each part of it the number of the read that brought it, so that an older read cannot overwrite a newer one. */
interface View {
  snapshot: Snapshot
  /** Reads up to this number began before the snapshot was loaded, so their rows are not newer. */
  since: number
  /** The newest read of each listing and of the taxonomy, kept while reads are under way. */
  readOf: Map<string, number>
}

interface Source {
  db: Database
  publicUrl: string
  log: Log
  /** Rows that cannot be shown are recorded here. */
  brokenRows: BrokenRows
}

export function createCatalog({ db, log, publicUrl, brokenRows }: Source): Catalog {
  let current: View | null = null
  /** Loaded, and being brought up to date before it replaces the current one. */
  let next: View | null = null
  /** Changes since the load under way began. The load may have read those rows before they changed. */
  let changedDuringLoad: Changes | null = null
  let waiting = newBatch()
  let requestedRebuild: PromiseWithResolvers<void> | null = null
  let refreshing: Promise<void> | null = null
  let rebuilding: Promise<void> | null = null
  /** Changes by their id, to skip the announcement of a change that this process has applied already. */
  const appliedById = new Map<string, Promise<void>>()
  let reads = 0
  let readsUnderWay = 0
  let version = 0
  let listingsVersion = 0
  let changedAt = Date.now()
  let closed = false

  const views = (): View[] => [current, next].filter((view) => view !== null)

  function changed(listings: boolean): void {
    version++
    if (listings) listingsVersion++
    changedAt = Date.now()
  }

  /** Whether this read is newer than the last one of this part of the view. If so, it is recorded as the last one. */
  function isNewerThanView(view: View, part: string, read: number): boolean {
    if (read <= view.since || read <= (view.readOf.get(part) ?? 0)) return false
    view.readOf.set(part, read)
    return true
  }

  /** Reads the changed rows and puts them in place. Returns false and changes nothing when more than `most` listings are concerned. */
  async function refresh(connection: Database, changes: Changes, most: number): Promise<boolean> {
    if (views().length === 0) {
      if (changedDuringLoad) addAll(changedDuringLoad, changes)
      return true
    }
    const read = ++reads
    readsUnderWay++
    try {
      const { toolIds, directoryIds } = await listingsConcernedBy(connection, changes)
      if (toolIds.length + directoryIds.length > most) return false
      // During a rebuild the current snapshot may lack terms that the new one has.
      if (rebuilding || TERM_TOPICS.some((topic) => changes.has(topic))) {
        const { taxonomy, foundBroken } = await loadTaxonomy(connection)
        if (changedDuringLoad)
          addAll(changedDuringLoad, new Map(TERM_TOPICS.map((topic) => [topic, changes.get(topic) ?? new Set()])))
        for (const view of views())
          if (isNewerThanView(view, 'taxonomy', read)) {
            view.snapshot.taxonomy = taxonomy
            brokenRows.replace(TERM_KINDS, foundBroken)
          }
      }
      for (const ids of pagesOf(toolIds)) {
        const rows = await queries.listPublishedTools(connection, ids)
        if (changedDuringLoad) add(changedDuringLoad, 'tools', ids)
        for (const view of views()) {
          const { tools, taxonomy } = view.snapshot
          replace(
            'tool',
            tools,
            ids.filter((id) => isNewerThanView(view, id, read)),
            rows,
            (row) => toolDocument(row, taxonomy, publicUrl),
            brokenRows,
          )
        }
      }
      for (const ids of pagesOf(directoryIds)) {
        const rows = await queries.listPublishedDirectories(connection, ids)
        if (changedDuringLoad) add(changedDuringLoad, 'directories', ids)
        for (const view of views()) {
          const { directories, taxonomy } = view.snapshot
          replace(
            'directory',
            directories,
            ids.filter((id) => isNewerThanView(view, id, read)),
            rows,
            (row) => directoryDocument(row, taxonomy, publicUrl),
            brokenRows,
          )
        }
      }
      const opened = [...(changes.get('opens') ?? [])]
      if (opened.length > 0) {
        const rows = await queries.listToolOpens(connection, opened)
        if (changedDuringLoad) add(changedDuringLoad, 'opens', opened)
        for (const { snapshot, since, readOf } of views())
          for (const { id, opens } of rows) {
            const listing = snapshot.tools.index.get(id)
            // A newer read may have brought the whole listing.
            if (listing && read > Math.max(since, readOf.get(id) ?? 0))
              snapshot.tools.index.update(id, { popularity: opens, item: withOpens(listing, opens) })
          }
      }
      return true
    } finally {
      if (--readsUnderWay === 0) for (const view of views()) view.readOf.clear()
      changed(changes.keys().some((topic) => topic !== 'opens'))
    }
  }

  /** Tries until it works. While the database is down, reads are answered from the last state. */
  async function retryUntilDone(work: () => Promise<void>): Promise<void> {
    while (!closed) {
      try {
        return await work()
      } catch (error) {
        if (closed) return
        log.warn({ err: error }, 'the catalog could not be read; reads go on from the last state')
        await sleep(RETRY_MS)
      }
    }
  }

  async function refreshWaiting(): Promise<void> {
    // The changes of one transaction are announced together, so this waits for all of them.
    await setImmediate()
    while (!closed && waiting.changes.size > 0) {
      const { changes, done } = waiting
      waiting = newBatch()
      await retryUntilDone(async () => {
        const isFew = changes.values().every((ids) => ids.size <= MAX_CHANGED_IN_PLACE)
        // No await, so that later changes are put in place during the rebuild.
        if (isFew && (await refresh(db, changes, MAX_CHANGED_IN_PLACE))) done.resolve()
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
        const { snapshot, foundBroken } = await load(db, publicUrl)
        // From here on every change is put into both snapshots.
        const changesToRepeat = changedDuringLoad
        changedDuringLoad = null
        brokenRows.replace(KINDS, foundBroken)
        next = { snapshot, since, readOf: new Map() }
        await refresh(db, changesToRepeat, Number.POSITIVE_INFINITY)
        current = next
        next = null
        changed(true)
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

  function rememberApplied({ id }: Change, applied: Promise<void>): void {
    if (id === undefined) return
    appliedById.set(id, applied)
    const [oldest] = appliedById.keys()
    if (oldest !== undefined && appliedById.size > MAX_REMEMBERED_CHANGES) appliedById.delete(oldest)
  }

  function apply(change: Change | null): Promise<void> {
    const id = change?.id
    const before = id === undefined ? undefined : appliedById.get(id)
    if (id !== undefined && before) {
      // The writer and the announcement have both arrived, so the id is not needed any more.
      appliedById.delete(id)
      return before
    }
    const applied = accept(change)
    if (change) rememberApplied(change, applied)
    return applied
  }

  return {
    snapshot() {
      if (!current) throw starting()
      return current.snapshot
    },
    isReady: () => current !== null,
    version: () => version,
    listingsVersion: () => listingsVersion,
    changedAt: () => changedAt,
    apply,
    async take(connection, changes) {
      const catalogChanges = changes.filter(({ topic }) => isTopic(topic) && topic !== 'opens')
      const changesWithIds = catalogChanges.flatMap((change) => (change.ids ? [{ ...change, ids: change.ids }] : []))
      if (!current || changesWithIds.length === 0) return catalogChanges
      try {
        if (!(await refresh(connection, changesOf(changesWithIds), PAGE))) return catalogChanges
      } catch (error) {
        log.warn({ err: error }, 'what was written could not be read over the same connection; reading it over another')
        return catalogChanges
      }
      for (const change of changesWithIds)
        if (!appliedById.delete(change.id ?? '')) rememberApplied(change, Promise.resolve())
      return catalogChanges.filter(({ ids }) => ids === undefined)
    },
    async follow(changes) {
      if (current) await Promise.all(changes.map(apply))
    },
    async settled() {
      while (refreshing || rebuilding) await (refreshing ?? rebuilding)
    },
    close() {
      closed = true
    },
  }
}

const newBatch = () => ({ changes: new Map() as Changes, done: Promise.withResolvers<void>() })

const isTopic = (topic: string): topic is Topic => (TOPICS as readonly string[]).includes(topic)

/** The names of terms are part of the JSON and the text of every listing that uses them. */
const TERM_TOPICS = TERM_KINDS.map((kind) => TOPIC[kind])

function add(changes: Changes, topic: Topic, ids: Iterable<string>): void {
  const all = changes.get(topic) ?? new Set()
  for (const id of ids) all.add(id)
  if (all.size > 0) changes.set(topic, all)
}

function addAll(changes: Changes, more: Changes): void {
  for (const [topic, ids] of more) add(changes, topic, ids)
}

function changesOf(list: readonly { topic: string; ids: readonly string[] }[]): Changes {
  const changes: Changes = new Map()
  for (const { topic, ids } of list) add(changes, topic as Topic, ids)
  return changes
}

async function listingsConcernedBy(
  db: Database,
  changes: Changes,
): Promise<{ toolIds: readonly string[]; directoryIds: readonly string[] }> {
  const idsOf = (topic: Topic) => [...(changes.get(topic) ?? [])]
  const [categories, tags, directoryCategories] = [idsOf('categories'), idsOf('tags'), idsOf('directoryCategories')]
  const tools = categories.length + tags.length > 0 ? await queries.listToolIdsUsing(db, categories, tags) : []
  const directories = directoryCategories.length > 0 ? await queries.listDirectoryIdsUsing(db, directoryCategories) : []
  return {
    toolIds: [...new Set([...idsOf('tools'), ...tools])],
    directoryIds: [...new Set([...idsOf('directories'), ...directories])],
  }
}

function* pagesOf(ids: readonly string[]): Generator<string[]> {
  for (let at = 0; at < ids.length; at += PAGE) yield ids.slice(at, at + PAGE)
}
