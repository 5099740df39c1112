// The published catalog in memory: what reads are answered from, whether or not the database is there. Small changes are read and put
// in place at once. After large ones it is loaded anew aside; what changes meanwhile is put into both before the new one takes over.
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
  /** Counts up with every change: what was made from an older one is stale. */
  version(): number
  /** The same, but clicks do not count. */
  listingsVersion(): number
  /** When it was last changed, in milliseconds. */
  changedAt(): number
  /** Takes a change in, or `null` for "anything may have changed"; resolves when readers see it. */
  hear(change: Change | null): Promise<void>
  /**
   * Takes in what was changed here, over the connection that has committed it: there is nothing to wait for. Answers the changes
   * that are too large for that, or could not be read.
   */
  take(db: Database, changes: readonly Change[]): Promise<readonly Change[]>
  /** Takes in what is left; resolves when readers see it. */
  follow(changes: readonly Change[]): Promise<void>
  /** Resolves when everything heard so far has been applied. */
  settled(): Promise<void>
  close(): void
}

declare module '../../kernel/context.ts' {
  interface Context {
    catalog: Catalog
  }
}

// Past this many, building a new index aside costs less than changing the old one in place.
const MANY = 5_000
const RETRY_MS = 300
// Announcements of one's own that are remembered. They come back at once, or not at all when the listener was cut off.
const MOST_KNOWN = 1_000

const TOPICS = [...Object.values(TOPIC), 'opens'] as const
type Topic = (typeof TOPICS)[number]
type Changes = Map<Topic, Set<string>>

/** A snapshot and how new each part of it is, as the number of the read that it came from. */
interface View {
  snapshot: Snapshot
  /** Reads up to this number began before it was loaded and can bring nothing new. */
  since: number
  /** While several reads are under way: the newest one of each listing, and of the taxonomy. */
  readOf: Map<string, number>
}

interface Source {
  db: Database
  publicUrl: string
  log: Log
  /** What cannot be shown is left out and noted here. */
  brokenRows: BrokenRows
}

export function createCatalog({ db, log, publicUrl, brokenRows }: Source): Catalog {
  let current: View | null = null
  /** Loaded, and being brought up to date before it takes the place of the current one. */
  let next: View | null = null
  /** What was put in place since the load under way began, which may have read those rows before. */
  let missed: Changes | null = null
  let waiting = newBatch()
  let wanted: PromiseWithResolvers<void> | null = null
  let refreshing: Promise<void> | null = null
  let rebuilding: Promise<void> | null = null
  /** Changes of our own by their number: their announcement brings nothing new. */
  const known = new Map<string, Promise<void>>()
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

  /** Whether this read is newer than what the view has of it; from then on it is what the view has. */
  function isNews(view: View, part: string, read: number): boolean {
    if (read <= view.since || read <= (view.readOf.get(part) ?? 0)) return false
    view.readOf.set(part, read)
    return true
  }

  /** Reads what changed and puts it in place. False, with nothing changed, when more than `most` listings are concerned. */
  async function refresh(through: Database, changes: Changes, most: number): Promise<boolean> {
    if (views().length === 0) {
      if (missed) addAll(missed, changes)
      return true
    }
    const read = ++reads
    readsUnderWay++
    try {
      const { toolIds, directoryIds } = await concernedBy(through, changes)
      if (toolIds.length + directoryIds.length > most) return false
      // While a new one is loaded the current one may lack what an import brought.
      if (rebuilding || TERMS.some((topic) => changes.has(topic))) {
        const { taxonomy, noted } = await loadTaxonomy(through)
        if (missed) addAll(missed, new Map(TERMS.map((topic) => [topic, changes.get(topic) ?? new Set()])))
        for (const view of views())
          if (isNews(view, 'taxonomy', read)) {
            view.snapshot.taxonomy = taxonomy
            brokenRows.replace(TERM_KINDS, noted)
          }
      }
      for (const ids of pagesOf(toolIds)) {
        const rows = await queries.listPublishedTools(through, ids)
        if (missed) add(missed, 'tools', ids)
        for (const view of views()) {
          const { tools, taxonomy } = view.snapshot
          replace(
            'tool',
            tools,
            ids.filter((id) => isNews(view, id, read)),
            rows,
            (row) => toolDocument(row, taxonomy, publicUrl),
            brokenRows,
          )
        }
      }
      for (const ids of pagesOf(directoryIds)) {
        const rows = await queries.listPublishedDirectories(through, ids)
        if (missed) add(missed, 'directories', ids)
        for (const view of views()) {
          const { directories, taxonomy } = view.snapshot
          replace(
            'directory',
            directories,
            ids.filter((id) => isNews(view, id, read)),
            rows,
            (row) => directoryDocument(row, taxonomy, publicUrl),
            brokenRows,
          )
        }
      }
      const opened = [...(changes.get('opens') ?? [])]
      if (opened.length > 0) {
        const rows = await queries.listToolOpens(through, opened)
        if (missed) add(missed, 'opens', opened)
        for (const { snapshot, since, readOf } of views())
          for (const { id, opens } of rows) {
            const listing = snapshot.tools.index.get(id)
            // The whole listing may have been read since.
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

  /** Tries until it works: a database that is away comes back, and reads go on from the last state. */
  async function insist(work: () => Promise<void>): Promise<void> {
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
    // In a moment, not at once: what one transaction announces arrives together.
    await setImmediate()
    while (!closed && waiting.changes.size > 0) {
      const { changes, done } = waiting
      waiting = newBatch()
      await insist(async () => {
        const isFew = changes.values().every((ids) => ids.size <= MANY)
        // Not waited for: later changes are put in place meanwhile.
        if (isFew && (await refresh(db, changes, MANY))) done.resolve()
        else void rebuild().then(done.resolve)
      })
    }
  }

  /** Resolves when a snapshot that was read after this call has taken over. */
  function rebuild(): Promise<void> {
    wanted ??= Promise.withResolvers()
    rebuilding ??= loadWanted().finally(() => {
      rebuilding = null
    })
    return wanted.promise
  }

  async function loadWanted(): Promise<void> {
    await setImmediate()
    while (!closed && wanted) {
      const { resolve } = wanted
      wanted = null
      await insist(async () => {
        next = null
        missed = new Map()
        const since = reads
        const { snapshot, noted } = await load(db, publicUrl)
        // From here on whatever changes is put into both.
        const behind = missed
        missed = null
        brokenRows.replace(KINDS, noted)
        next = { snapshot, since, readOf: new Map() }
        await refresh(db, behind, Number.POSITIVE_INFINITY)
        current = next
        next = null
        changed(true)
      })
      resolve()
    }
  }

  function accept(change: Change | null): Promise<void> {
    if (change === null || (isTopic(change.topic) && change.ids === undefined)) return rebuild()
    if (!isTopic(change.topic)) return Promise.resolve()
    add(waiting.changes, change.topic, change.ids!)
    const { promise } = waiting.done
    refreshing ??= refreshWaiting().finally(() => {
      refreshing = null
    })
    return promise
  }

  function know({ id }: Change, applied: Promise<void>): void {
    if (id === undefined) return
    known.set(id, applied)
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value!)
  }

  function hear(change: Change | null): Promise<void> {
    const before = change?.id === undefined ? undefined : known.get(change.id)
    if (before) {
      // Both its writer and its announcement were heard.
      known.delete(change!.id!)
      return before
    }
    const applied = accept(change)
    if (change) know(change, applied)
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
    hear,
    async take(through, changes) {
      const ours = changes.filter(({ topic }) => isTopic(topic) && topic !== 'opens')
      const few = ours.filter(({ ids }) => ids !== undefined)
      if (!current || few.length === 0) return ours
      try {
        if (!(await refresh(through, changesOf(few), PAGE))) return ours
      } catch (error) {
        log.warn({ err: error }, 'what was written could not be read over the same connection; reading it over another')
        return ours
      }
      for (const change of few) if (!known.delete(change.id ?? '')) know(change, Promise.resolve())
      return ours.filter(({ ids }) => ids === undefined)
    },
    async follow(changes) {
      if (current) await Promise.all(changes.map(hear))
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

/** Their names stand in the JSON and the text of every listing that uses them. */
const TERMS = TERM_KINDS.map((kind) => TOPIC[kind])

function add(changes: Changes, topic: Topic, ids: Iterable<string>): void {
  const all = changes.get(topic) ?? new Set()
  for (const id of ids) all.add(id)
  if (all.size > 0) changes.set(topic, all)
}

function addAll(changes: Changes, more: Changes): void {
  for (const [topic, ids] of more) add(changes, topic, ids)
}

function changesOf(list: readonly Change[]): Changes {
  const changes: Changes = new Map()
  for (const { topic, ids } of list) add(changes, topic as Topic, ids!)
  return changes
}

async function concernedBy(
  db: Database,
  changes: Changes,
): Promise<{ toolIds: readonly string[]; directoryIds: readonly string[] }> {
  const of = (topic: Topic) => [...(changes.get(topic) ?? [])]
  const [categories, tags, directoryCategories] = [of('categories'), of('tags'), of('directoryCategories')]
  const tools = categories.length + tags.length > 0 ? await queries.listToolIdsUsing(db, categories, tags) : []
  const directories = directoryCategories.length > 0 ? await queries.listDirectoryIdsUsing(db, directoryCategories) : []
  return {
    toolIds: [...new Set([...of('tools'), ...tools])],
    directoryIds: [...new Set([...of('directories'), ...directories])],
  }
}

function* pagesOf(ids: readonly string[]): Generator<string[]> {
  for (let at = 0; at < ids.length; at += PAGE) yield ids.slice(at, at + PAGE)
}
