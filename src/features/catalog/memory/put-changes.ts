// Reads changed rows and puts them into the snapshot, a few listings at a time, so that requests are answered in between. Readers see each
// listing either wholly as it was or wholly as it is.
import type { BrokenRows } from '../../../kernel/checks/broken-rows.ts'
import type { Change, Database } from '../../../kernel/context.ts'
import { createPauses, type Pause } from '../../../kernel/work/scheduler.ts'
import * as queries from '../queries.ts'
import { withOpens } from '../rules.ts'
import { LISTED_KINDS, type ListedKind, TOPIC } from '../schema.ts'
import { listingIdsUsing, loadTaxonomy, takeOverTerms, updateBrokenTerms, withChangedTerms } from '../terms/taxonomy.ts'
import { type Changes, changesBesideListings, type RowOfChange, TERM_TOPICS } from './changed-ids.ts'
import { type BlockWriter, createBlockWriter } from './listing-json.ts'
import {
  type ListingState,
  pagesOf,
  ROWS_AT_ONCE,
  replaceListings,
  type Snapshot,
  sizeOf,
  stateOfListing,
} from './listing-states.ts'
import { createNumberedReads, type NumberedReads, type Read } from './numbered-reads.ts'

interface Options {
  publicUrl: string
  brokenRows: BrokenRows
  /** Called when readers see a change. `listings`: false when only click-throughs have changed. */
  changed(listings: boolean): void
}

export interface SnapshotUpdater {
  /**
   * Puts the changes into the snapshot. When they name more than `most` ids, returns the changes that readers do not see yet; they
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
      if (changes.reduce((sum, { ids = [] }) => sum + ids.length, 0) > most) return changes
      const pause = createPauses()
      const changedIds = changesBesideListings(changes)
      const listings = await changedListings(changes, expected, pause)
      const hasTerms = TERM_TOPICS.some((topic) => changedIds.has(topic))
      const target: Target = { ...options, snapshot, db, reads, pause }
      // Terms are put before listings, so that all listings are made with the new terms.
      if (hasTerms) await putTerms(target, changedIds)
      const opened = changedIds.get('opens')
      if (opened) await putOpens(target, [...opened])
      const toRead = await putKnown(target, listings, blocksFor(snapshot, countOf(listings)))
      const usingTerms = hasTerms ? await listingIdsUsing(db, changedIds) : null
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
      // One number for all rows of a transaction: with two, those of the first kind would have a later read under way, and be read again.
      const handedOver = changes.flatMap(({ rows }) => rows ?? [])
      if (handedOver.length === 0) return
      const read = reads.begin()
      for (const rows of handedOver) expected.set(rows, read)
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
const CHARACTERS_TOGETHER = 40_000
/** The driver parses an answer of the database without a pause, so the first page is small: it shows how long the rows are. */
const FIRST_PAGE = 4
/** The next pages have about so many characters. */
const CHARACTERS_OF_PAGE = 500_000
const TERMS_TOGETHER = 50

/** How many characters a stored value has. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let length = 0
  for (const part of Object.values(value)) length += charactersIn(part)
  return length
}

async function putTerms(target: Target, changes: Changes): Promise<void> {
  const { snapshot, db, reads, pause, brokenRows, changed } = target
  const read = reads.begin()
  try {
    const { taxonomy, foundBroken } = await loadTaxonomy(db, changes)
    updateBrokenTerms(brokenRows, changes, foundBroken)
    for (const topic of TERM_TOPICS)
      for (const slugs of pagesOf(changes.get(topic) ?? [], TERMS_TOGETHER)) {
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

/** The key of a listing's click-throughs in the order of reads. It is not that of the listing, because such a read brings only them. */
const opensKey = (id: string): string => `opens:${id}`

async function putOpens({ snapshot, db, reads, changed }: Target, ids: string[]): Promise<void> {
  const { index } = snapshot.tools
  const read = reads.begin()
  try {
    for (const { id, opens } of await queries.listToolOpens(db, ids)) {
      const isLatest = read.recordIfNewest(opensKey(id), opens) && !read.isOvertaken(id)
      const listing = index.get(id)
      if (listing && isLatest) index.update(id, withOpens(listing, opens))
    }
  } finally {
    read.end()
    changed(false)
  }
}

/** The changed listings of each kind by id, with the rows that transactions have handed over; undefined: the row must be read. */
type ChangedListings = Record<ListedKind, Map<string, KnownRow | undefined>>

/** A row that was read or handed over. */
interface KnownRow {
  id: string
  row: RowOfChange
  read: Read
}

/** Many listings that change together share blocks of memory. For few it returns undefined, and each gets a block of its own. */
const blocksFor = (snapshot: Snapshot, listings: number): BlockWriter | undefined =>
  listings > ROWS_AT_ONCE ? createBlockWriter(sizeOf(snapshot) + listings) : undefined

const countOf = ({ tool, directory }: ChangedListings): number => tool.size + directory.size

async function changedListings(
  changes: readonly Change[],
  expected: ReadonlyMap<object, Read>,
  pause: Pause,
): Promise<ChangedListings> {
  const listings: ChangedListings = { tool: new Map(), directory: new Map() }
  for (const kind of LISTED_KINDS)
    for (const { topic, ids = [], rows } of changes) {
      if (topic !== TOPIC[kind]) continue
      const read = rows && expected.get(rows)
      // A read that began after `expect` and before the commit has old rows and a higher number. While there is one, the rows are read
      // again.
      const isLast = read && !read.hasLater()
      for (const id of ids)
        listings[kind].set(id, isLast && rows.has(id) ? { id, row: rows.get(id) as RowOfChange, read } : undefined)
      // An import is announced in changes of about 200 ids.
      await pause()
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
    for (const page of pagesOf(listings[kind])) {
      for (const [id, known] of page) if (!known) toRead[kind].push(id)
      const known = page.flatMap(([, one]) => one ?? [])
      // A row that another read has brought meanwhile is read again, because it is not known which of the two is newer.
      if (known.length > 0) toRead[kind].push(...(await putRows(target, kind, known, blocks)))
    }
  return toRead
}

/** Puts the rows in place, except the ones that a later read has brought, too. Returns the ids of these. */
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
      const opens = read.laterOpens(opensKey(id))
      const newest = row && opens !== undefined ? { ...row, opens } : row
      states.push(stateOfListing(kind, id, newest, { publicUrl, taxonomy: snapshot.taxonomy, blocks }))
    } else outdated.push(id)
    length += charactersIn(row)
    if (states.length < LISTINGS_TOGETHER && length < CHARACTERS_TOGETHER && at < rows.length - 1) continue
    replaceListings(kind, snapshot[TOPIC[kind]], states, brokenRows)
    states = []
    length = 0
    await pause()
  }
  changed(true)
  return outdated
}

/** How many listings the next page has, if its rows are as long as these. When none of the page was published, the size is doubled. */
function nextPageSize(rows: readonly object[], size: number): number {
  if (rows.length === 0) return Math.min(ROWS_AT_ONCE, 2 * size)
  const fitting = Math.floor((CHARACTERS_OF_PAGE * rows.length) / Math.max(1, charactersIn(rows)))
  return Math.max(1, Math.min(ROWS_AT_ONCE, fitting))
}

/** Reads the rows in pages. The database reads the next page while the caller puts the present one in place. */
async function* readAhead({ db, reads }: Target, kind: ListedKind, all: readonly string[]): AsyncGenerator<KnownRow[]> {
  let at = 0
  const beginNext = (size: number) => {
    if (at >= all.length) return undefined
    const ids = all.slice(at, at + size)
    at += size
    const page = { ids, read: reads.begin(), rows: queries.listPublished(db, kind, ids) }
    page.rows.catch(() => page.read.end())
    return page
  }
  let size = FIRST_PAGE
  let next = beginNext(size)
  let page = next
  try {
    while (next) {
      page = next
      const { ids, read } = page
      const rows = await page.rows
      size = nextPageSize(rows, size)
      next = beginNext(size)
      const found = new Map<string, RowOfChange>(rows.map((row) => [row.id, row]))
      yield ids.map((id) => ({ id, row: found.get(id), read }))
      read.end()
    }
  } finally {
    page?.read.end()
    next?.read.end()
  }
}
