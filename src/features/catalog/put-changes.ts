// Reads changed rows and puts them into the snapshot, a few listings at a time, so that requests are answered in between. Readers see each
// listing either wholly as it was or wholly as it is.
import type { BrokenRows } from '../../kernel/broken-rows.ts'
import type { Change, Database } from '../../kernel/context.ts'
import { createPauses, type Pause } from '../../kernel/scheduler.ts'
import { type Changes, changesOf, type RowOfChange, TERM_TOPICS } from './changed-ids.ts'
import { type BlockWriter, createBlockWriter } from './listing-json.ts'
import {
  type ListingState,
  pagesOf,
  ROWS_AT_ONCE,
  replace,
  type Snapshot,
  sizeOf,
  statesWith,
} from './listing-states.ts'
import { createNumberedReads, type NumberedReads, type Read } from './numbered-reads.ts'
import * as queries from './queries.ts'
import { withOpens } from './rules.ts'
import { LISTED_KINDS, type ListedKind, TOPIC } from './schema.ts'
import { listingIdsUsing, loadTaxonomy, takeOverTerms, updateBrokenTerms, withChangedTerms } from './taxonomy.ts'

interface Options {
  publicUrl: string
  brokenRows: BrokenRows
  /** Called when readers see a change. `listings`: false when only click-throughs have changed. */
  changed(listings: boolean): void
}

export interface SnapshotUpdater {
  /**
   * Puts the changes into the snapshot. When they concern more than `most` listings, returns the changes that readers do not see yet; they
   * need a further call.
   */
  put(snapshot: Snapshot, db: Database, changes: readonly Change[], most?: number): Promise<readonly Change[]>
  /** Call it before the commit of a transaction that hands over rows: it gives these rows their number in the order of reads. */
  expect(changes: readonly Change[]): void
  /** Call it when the rows are in place, or when their transaction has failed. */
  forget(changes: readonly Change[]): void
}

export function createSnapshotUpdater(options: Options): SnapshotUpdater {
  const reads = createNumberedReads()
  /** The number in the order of reads, by the map of rows that a transaction hands over. */
  const expected = new Map<object, Read>()
  return {
    async put(snapshot, db, changes, most = Number.POSITIVE_INFINITY) {
      const changedIds = changesOf(changes)
      const listings = listingsOf(changes, expected)
      const termCount = TERM_TOPICS.reduce((sum, topic) => sum + (changedIds.get(topic)?.size ?? 0), 0)
      if (termCount > most || countOf(listings) > most) return changes
      const target: Target = { ...options, snapshot, db, reads, pause: createPauses() }
      // Before the listings, so that all of them are made with the new terms.
      if (termCount > 0) await putTerms(target, changedIds)
      const opened = changedIds.get('opens')
      if (opened) await putOpens(target, [...opened])
      const toRead = await putKnown(target, listings, blocksFor(snapshot, countOf(listings)))
      const usingTerms = termCount > 0 ? await listingIdsUsing(db, changedIds) : null
      for (const kind of LISTED_KINDS)
        for (const id of usingTerms?.[kind] ?? []) if (!listings[kind].has(id)) toRead[kind].push(id)
      const count = toRead.tool.length + toRead.directory.length
      if (count > most) return LISTED_KINDS.map((kind) => ({ topic: TOPIC[kind], ids: toRead[kind] }))
      const blocks = blocksFor(snapshot, count)
      for (const kind of LISTED_KINDS)
        for await (const page of readAhead(target, kind, toRead[kind])) await putRows(target, kind, page, blocks)
      return []
    },
    expect(changes) {
      for (const { rows } of changes) if (rows && !expected.has(rows)) expected.set(rows, reads.begin())
    },
    forget(changes) {
      for (const { rows } of changes) {
        if (!rows) continue
        expected.get(rows)?.end()
        expected.delete(rows)
      }
    },
  }
}

/** The snapshot into which changes are put, and what is needed for that. */
interface Target extends Options {
  snapshot: Snapshot
  db: Database
  reads: NumberedReads
  pause: Pause
}

// At most this many listings, or listings with this many characters, are put in place without a pause; that takes about two milliseconds.
const LISTINGS_TOGETHER = 16
const LENGTH_TOGETHER = 40_000
/** The driver parses an answer of the database without a pause, so the first page is small: it shows how long the rows are. */
const FIRST_PAGE = 4
const LENGTH_OF_PAGE = 500_000
const TERMS_TOGETHER = 50

/** How many characters a stored value has. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let length = 0
  for (const part of Object.values(value)) length += lengthOf(part)
  return length
}

async function putTerms(target: Target, changes: Changes): Promise<void> {
  const { snapshot, db, reads, pause, brokenRows, changed } = target
  const read = reads.begin()
  try {
    const { taxonomy, foundBroken } = await loadTaxonomy(db, changes)
    updateBrokenTerms(brokenRows, changes, foundBroken)
    for (const topic of TERM_TOPICS)
      for (const slugs of pagesOf([...(changes.get(topic) ?? [])], TERMS_TOGETHER)) {
        const newest = slugs.filter((slug) => read.recordIfNewest(`${topic}:${slug}`))
        const before = snapshot.taxonomy
        snapshot.taxonomy = withChangedTerms(before, taxonomy, new Map([[topic, new Set(newest)]]))
        takeOverTerms(snapshot.taxonomy, before)
        changed(true)
        await pause()
      }
  } finally {
    read.end()
  }
}

/** The key of a listing's click-throughs in the order of reads: their own, because such a read does not bring the rest of the listing. */
const opensOf = (id: string): string => `opens:${id}`

async function putOpens({ snapshot, db, reads, changed }: Target, ids: string[]): Promise<void> {
  const { index } = snapshot.tools
  const read = reads.begin()
  try {
    for (const { id, opens } of await queries.listToolOpens(db, ids)) {
      const isLatest = read.recordIfNewest(opensOf(id), opens) && !read.isOvertaken(id)
      const listing = index.get(id)
      if (listing && isLatest) index.update(id, withOpens(listing, opens))
    }
  } finally {
    read.end()
    changed(false)
  }
}

/** The changed listings of each kind by id, with the rows that transactions have handed over. */
type ChangedListings = Record<ListedKind, Map<string, KnownRow | undefined>>

interface KnownRow {
  id: string
  row: RowOfChange
  read: Read
}

/** Many listings that change together share blocks of memory. */
const blocksFor = (snapshot: Snapshot, listings: number): BlockWriter | undefined =>
  listings > ROWS_AT_ONCE ? createBlockWriter(sizeOf(snapshot) + listings) : undefined

const countOf = ({ tool, directory }: ChangedListings): number => tool.size + directory.size

function listingsOf(changes: readonly Change[], expected: ReadonlyMap<object, Read>): ChangedListings {
  const listings: ChangedListings = { tool: new Map(), directory: new Map() }
  for (const kind of LISTED_KINDS)
    for (const { topic, ids = [], rows } of changes) {
      if (topic !== TOPIC[kind]) continue
      const read = rows && expected.get(rows)
      // A read that began after `expect` but before the commit has old rows and a higher number. Then the rows are read again.
      const isLast = read && !read.hasLater()
      for (const id of ids)
        listings[kind].set(id, isLast && rows.has(id) ? { id, row: rows.get(id) as RowOfChange, read } : undefined)
    }
  return listings
}

/** Puts the handed-over rows in place. Returns the ids of the listings whose rows must be read. */
async function putKnown(
  target: Target,
  listings: ChangedListings,
  blocks: BlockWriter | undefined,
): Promise<Record<ListedKind, string[]>> {
  const toRead: Record<ListedKind, string[]> = { tool: [], directory: [] }
  for (const kind of LISTED_KINDS)
    for (const page of pagesOf([...listings[kind]])) {
      for (const [id, known] of page) if (!known) toRead[kind].push(id)
      const known = page.flatMap(([, one]) => one ?? [])
      // A row that another read has brought meanwhile is read again, because it is not known which of the two is newer.
      if (known.length > 0) toRead[kind].push(...(await putRows(target, kind, known, blocks)))
    }
  return toRead
}

/** Puts the rows in place, except those that a later read has brought; returns the ids of these. */
async function putRows(
  { snapshot, publicUrl, brokenRows, changed, pause }: Target,
  kind: ListedKind,
  rows: readonly KnownRow[],
  blocks: BlockWriter | undefined,
): Promise<string[]> {
  const outdated: string[] = []
  let [states, length]: [ListingState[], number] = [[], 0]
  for (const [at, { id, row, read }] of rows.entries()) {
    if (read.recordIfNewest(id)) {
      const opens = read.laterOpens(opensOf(id))
      const newest = row && opens !== undefined ? { ...row, opens } : row
      states.push(statesWith(publicUrl, snapshot.taxonomy, blocks)(kind, id, newest))
    } else outdated.push(id)
    length += lengthOf(row)
    if (states.length < LISTINGS_TOGETHER && length < LENGTH_TOGETHER && at < rows.length - 1) continue
    replace(kind, snapshot[TOPIC[kind]], states, brokenRows)
    states = []
    length = 0
    await pause()
  }
  changed(true)
  return outdated
}

/** How many listings the next page has, if its rows are as long as these. Without rows, because none is published, it is doubled. */
const nextPageSize = (rows: readonly object[], size: number): number =>
  rows.length === 0
    ? Math.min(ROWS_AT_ONCE, 2 * size)
    : Math.max(1, Math.min(ROWS_AT_ONCE, Math.floor((LENGTH_OF_PAGE * rows.length) / Math.max(1, lengthOf(rows)))))

/** Reads the rows in pages. The database reads the next page while the last one is put in place. */
async function* readAhead({ db, reads }: Target, kind: ListedKind, all: readonly string[]): AsyncGenerator<KnownRow[]> {
  const begin = (ids: readonly string[]) => {
    const page = { ids, read: reads.begin(), rows: queries.listPublished(db, kind, ids) }
    page.rows.catch(() => page.read.end())
    return page
  }
  let page: ReturnType<typeof begin> | undefined
  let next: ReturnType<typeof begin> | undefined
  try {
    for (let [at, size] = [0, FIRST_PAGE]; at < all.length || next; at += size) {
      page = next
      const rows = await page?.rows
      if (rows) size = nextPageSize(rows, size)
      next = at < all.length ? begin(all.slice(at, at + size)) : undefined
      if (!page || !rows) continue
      const { read } = page
      const found = new Map<string, RowOfChange>(rows.map((row) => [row.id, row]))
      yield page.ids.map((id) => ({ id, row: found.get(id), read }))
      read.end()
    }
  } finally {
    page?.read.end()
    next?.read.end()
  }
}
