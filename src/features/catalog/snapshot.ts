// The published catalog in memory: what reads are answered from, whether or not the database is there. It is built aside and
// swapped in whole at start and after large changes; small changes are applied in place.
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrokenRow, BrokenRows } from '../../kernel/broken-rows.ts'
import type { Change, Database, Log } from '../../kernel/context.ts'
import { Failure } from '../../kernel/errors.ts'
import { buildIndex, type SearchIndex } from '../../search/index.ts'
import * as queries from './queries.ts'
import {
  BrokenRowError,
  directoryDocument,
  type Listing,
  ROW_KINDS,
  type RowKind,
  rowProblem,
  type Taxonomy,
  toolDocument,
  withOpens,
} from './rules.ts'

export interface Snapshot {
  taxonomy: Taxonomy
  tools: ListingIndex
  directories: ListingIndex
}

export interface ListingIndex {
  index: SearchIndex<Listing>
  idOf: Map<string, string>
}

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
  /** Takes a change in, or `null` for "anything may have changed"; changes are applied one after the other. */
  hear(change: Change | null): void
  /** Takes in what was changed here, before the announcement comes back; waits for it, but not for long. */
  take(changes: readonly Change[]): Promise<void>
  /** Resolves when everything heard so far has been applied. */
  settled(): Promise<void>
  close(): void
}

declare module '../../kernel/context.ts' {
  interface Context {
    catalog: Catalog
  }
}

const PAGE = 200
// Past this many, building a new index aside costs less than changing the old one in place.
const MANY = 5_000
const RETRY_MS = 300
// After an import, or while the database is slow, whoever wrote is told so before it can be read.
const LONGEST_TAKE_MS = 500

const TOPICS = ['tools', 'directories', 'categories', 'tags', 'directoryCategories', 'opens'] as const
type Topic = (typeof TOPICS)[number]

interface Source {
  db: Database
  publicUrl: string
  /** What cannot be shown is left out and noted here. */
  brokenRows: BrokenRows
}

export function createCatalog({ log, ...source }: Source & { log: Log }): Catalog {
  let current: Snapshot | null = null
  let version = 0
  let listingsVersion = 0
  let changedAt = Date.now()
  let everything = false
  let pending = new Map<Topic, Set<string>>()
  let working: Promise<void> | null = null
  let closed = false

  function hear(change: Change | null) {
    if (change === null || (isTopic(change.topic) && change.ids === undefined)) everything = true
    else if (isTopic(change.topic)) {
      const ids = pending.get(change.topic) ?? new Set()
      for (const id of change.ids!) ids.add(id)
      pending.set(change.topic, ids)
    } else return
    // Started in a moment, not at once: what one transaction announces arrives together.
    working ??= new Promise((resolve) => setImmediate(resolve)).then(work).finally(() => {
      working = null
    })
  }

  async function settled() {
    while (working) await working
  }

  async function work() {
    while (!closed && (everything || pending.size > 0)) {
      const changes = pending
      const all = everything || !current || [...changes.values()].some((ids) => ids.size > MANY)
      pending = new Map()
      everything = false
      try {
        if (all || !(await apply(source, current!, changes))) current = await load(source)
        version++
        if (all || changes.keys().some((topic) => topic !== 'opens')) listingsVersion++
        changedAt = Date.now()
      } catch (error) {
        if (closed) return
        log.warn({ err: error }, 'the catalog could not be read; reads go on from the last state')
        everything ||= all
        for (const [topic, ids] of changes) pending.set(topic, new Set([...ids, ...(pending.get(topic) ?? [])]))
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  return {
    snapshot() {
      if (!current)
        throw new Failure(503, 'The catalog is still loading. Try again shortly.', { headers: { 'retry-after': '1' } })
      return current
    },
    isReady: () => current !== null,
    version: () => version,
    listingsVersion: () => listingsVersion,
    changedAt: () => changedAt,
    hear,
    async take(changes) {
      const few = changes.filter(({ topic, ids }) => isTopic(topic) && topic !== 'opens' && ids !== undefined)
      if (!current || few.length === 0) return
      // Taken in once more when the announcement comes: nothing tells it from another process's of the same things.
      for (const change of few) hear(change)
      await Promise.race([settled(), sleep(LONGEST_TAKE_MS, undefined, { ref: false })])
    },
    settled,
    close() {
      closed = true
    },
  }
}

const isTopic = (topic: string): topic is Topic => (TOPICS as readonly string[]).includes(topic)

type Noted = [row: BrokenRow, state?: unknown]

async function load({ db, publicUrl, brokenRows }: Source): Promise<Snapshot> {
  const noted: Noted[] = []
  const taxonomy = await loadTaxonomy(db, noted)
  const tools = await loadListings(
    'tool',
    pages((after) => queries.listPublishedToolsAfter(db, after, PAGE)),
    (row) => toolDocument(row, taxonomy, publicUrl),
    noted,
  )
  const directories = await loadListings(
    'directory',
    pages((after) => queries.listPublishedDirectoriesAfter(db, after, PAGE)),
    (row) => directoryDocument(row, taxonomy, publicUrl),
    noted,
  )
  brokenRows.replace(ROW_KINDS, noted)
  return { taxonomy, tools, directories }
}

async function loadTaxonomy(db: Database, noted: Noted[]): Promise<Taxonomy> {
  const leftOut = { category: new Set<string>(), tag: new Set<string>(), directoryCategory: new Set<string>() }
  const sound = <T extends { slug: string; adult?: boolean }>(kind: keyof typeof leftOut, rows: T[]) => {
    const found = new Map<string, T>()
    for (const row of rows) {
      const reason = rowProblem(kind, row)
      if (!reason) found.set(row.slug, row)
      else {
        noted.push([{ kind, id: row.slug, name: row.slug, reason }])
        if (row.adult !== false) leftOut[kind].add(row.slug)
      }
    }
    return found
  }
  return {
    categories: sound('category', await queries.listCategories(db)),
    tags: sound('tag', await queries.listTags(db)),
    directoryCategories: sound('directoryCategory', await queries.listDirectoryCategories(db)),
    adultLeftOut: { categories: leftOut.category, tags: leftOut.tag },
  }
}

async function* pages<Row extends { id: string }>(
  next: (after: string | null) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let rows = await next(null)
  while (rows.length > 0) {
    // The next page is on its way while this one is being indexed.
    const following = rows.length === PAGE ? next(rows.at(-1)!.id) : Promise.resolve([])
    following.catch(() => {})
    yield rows
    rows = await following
  }
}

interface ListingRow {
  id: string
  slug: string
  updatedAt: Date
}

type Project<Row> = (row: Row) => ReturnType<typeof toolDocument>

async function loadListings<Row extends ListingRow>(
  kind: RowKind,
  pages: AsyncIterable<Row[]>,
  project: Project<Row>,
  noted: Noted[],
): Promise<ListingIndex> {
  const idOf = new Map<string, string>()
  async function* documents() {
    for await (const rows of pages)
      yield rows.values().flatMap((row) => {
        const document = projected(kind, row, project)
        if ('reason' in document) {
          noted.push([document, row.updatedAt.getTime()])
          return []
        }
        idOf.set(row.slug, row.id)
        return [document]
      })
  }
  const index = await buildIndex<Listing>(documents(), {
    defaultKey: (document) => document.item.order ?? [document.recency, ''],
  })
  return { index, idOf }
}

/** The row as a document, or what keeps it from being one: whatever that is, the other rows go on. */
function projected<Row extends ListingRow>(kind: RowKind, row: Row, project: Project<Row>) {
  try {
    return project(row)
  } catch (error) {
    const reason = error instanceof BrokenRowError ? error.message : `It cannot be read: ${(error as Error).message}`
    return { kind, id: row.id, name: row.slug, reason } satisfies BrokenRow
  }
}

/** false, with nothing changed, when too many listings are concerned. */
async function apply(source: Source, snapshot: Snapshot, changes: Map<Topic, Set<string>>): Promise<boolean> {
  const { db, publicUrl, brokenRows } = source
  const heard = (topic: Topic) => [...(changes.get(topic) ?? [])]
  const toolIds = new Set(heard('tools'))
  const directoryIds = new Set(heard('directories'))
  const [categories, tags, directoryCategories] = [heard('categories'), heard('tags'), heard('directoryCategories')]
  // Their names stand in the JSON and the text of every listing that uses them.
  if (categories.length + tags.length > 0)
    for (const id of await queries.listToolIdsUsing(db, categories, tags)) toolIds.add(id)
  if (directoryCategories.length > 0)
    for (const id of await queries.listDirectoryIdsUsing(db, directoryCategories)) directoryIds.add(id)
  if (toolIds.size + directoryIds.size > MANY) return false
  if (categories.length + tags.length + directoryCategories.length > 0) {
    const noted: Noted[] = []
    snapshot.taxonomy = await loadTaxonomy(db, noted)
    brokenRows.replace(['category', 'tag', 'directoryCategory'], noted)
  }
  await replace(
    'tool',
    snapshot.tools,
    toolIds,
    (ids) => queries.listPublishedTools(db, ids),
    (row) => toolDocument(row, snapshot.taxonomy, publicUrl),
    brokenRows,
  )
  await replace(
    'directory',
    snapshot.directories,
    directoryIds,
    (ids) => queries.listPublishedDirectories(db, ids),
    (row) => directoryDocument(row, snapshot.taxonomy, publicUrl),
    brokenRows,
  )
  const opened = heard('opens')
  if (opened.length > 0)
    for (const { id, opens } of await queries.listToolOpens(db, opened)) {
      const listing = snapshot.tools.index.get(id)
      if (listing) snapshot.tools.index.update(id, { popularity: opens, item: withOpens(listing, opens) })
    }
  return true
}

async function replace<Row extends ListingRow>(
  kind: RowKind,
  { index, idOf }: ListingIndex,
  ids: Set<string>,
  read: (ids: string[]) => Promise<Row[]>,
  project: Project<Row>,
  brokenRows: BrokenRows,
) {
  const all = [...ids]
  for (let at = 0; at < all.length; at += PAGE) {
    const page = all.slice(at, at + PAGE)
    const found = new Map((await read(page)).map((row) => [row.id, row]))
    for (const id of page) {
      const row = found.get(id)
      const document = row && projected(kind, row, project)
      const before = index.get(id)
      if (before && idOf.get(before.slug) === id) idOf.delete(before.slug)
      if (document && 'reason' in document) brokenRows.add(document, row.updatedAt.getTime())
      else brokenRows.remove(kind, id)
      if (!document || 'reason' in document) index.remove(id)
      else {
        index.put(document)
        idOf.set(document.item.slug, id)
      }
    }
  }
}
