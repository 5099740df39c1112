// Turns a database row into what readers get (a document, or nothing when the row is broken or hidden), and puts it into the index.
import { readFileSync } from 'node:fs'
import type { BrokenRow, BrokenRows } from '../../kernel/broken-rows.ts'
import {
  type IndexOptions,
  parseVectors,
  type SearchDocument,
  type SearchIndex,
  type WordVectors,
} from '../../search/index.ts'
import type { OpenedListings } from '../learning/learned.ts'
import type { BlockWriter, Listing } from './listing-json.ts'
import type { DirectoryRow, ToolRow } from './queries.ts'
import { BrokenRowError, directoryDocument, NUMBER_ORDERS, type RowKind, type Taxonomy, toolDocument } from './rules.ts'
import type { ListedKind } from './schema.ts'

export interface Snapshot {
  taxonomy: Taxonomy
  tools: ListingIndex
  directories: ListingIndex
}

export const sizeOf = ({ tools, directories }: Snapshot): number => tools.index.size + directories.index.size

export interface ListingIndex {
  index: SearchIndex<Listing>
  /** The id of each listing, by slug. */
  idOf: Map<string, string>
  /** What visitors open after a question; undefined when nothing is known. */
  openedAfter?: (q: string) => OpenedListings | undefined
}

/** A broken row, and the time of its last change if it has one. */
export type FoundBrokenRow = [row: BrokenRow, state?: unknown]

export interface ListingRow {
  id: string
  slug: string
  updatedAt: Date
}

export type Project<Row> = (row: Row) => ReturnType<typeof toolDocument>

/** The row as a document, or as a broken row with the reason. It never throws, so that one row cannot stop the others. */
export function projected<Row extends ListingRow>(kind: RowKind, row: Row, project: Project<Row>) {
  try {
    return project(row)
  } catch (error) {
    const reason = error instanceof BrokenRowError ? error.message : `It cannot be read: ${(error as Error).message}`
    return { kind, id: row.id, name: row.slug, reason } satisfies BrokenRow
  }
}

/** A listing as it is now: its document, or why it is broken; neither when it is not published. */
export interface ListingState {
  id: string
  document?: SearchDocument<Listing>
  broken?: FoundBrokenRow
}

export function stateOf<Row extends ListingRow>(
  kind: RowKind,
  id: string,
  row: Row | undefined,
  project: Project<Row>,
): ListingState {
  const document = row && projected(kind, row, project)
  if (!document) return { id }
  return 'reason' in document ? { id, broken: [document, row.updatedAt.getTime()] } : { id, document }
}

/** Returns a function that makes the state of a listing from its row. */
export const statesWith =
  (publicUrl: string, taxonomy: Taxonomy, blocks?: BlockWriter) =>
  (kind: ListedKind, id: string, row: ToolRow | DirectoryRow | undefined) =>
    kind === 'tool'
      ? stateOf(kind, id, row as ToolRow | undefined, (one) => toolDocument(one, taxonomy, publicUrl, blocks))
      : stateOf(kind, id, row as DirectoryRow | undefined, (one) => directoryDocument(one, taxonomy, publicUrl, blocks))

/** Puts the listings into the index, removes those that have no document, and records which rows are broken. */
export function replace(
  kind: RowKind,
  listings: ListingIndex,
  states: readonly ListingState[],
  brokenRows: BrokenRows,
): void {
  for (const { id, broken } of states)
    if (broken) brokenRows.add(...broken)
    else brokenRows.remove(kind, id)
  put(listings, states)
}

/** Puts the listings into the index, and removes those that have no document. */
export function put({ index, idOf }: ListingIndex, states: readonly ListingState[]): void {
  for (const { id } of states) {
    const before = index.get(id)
    // Another listing may have taken over the slug.
    if (before && idOf.get(before.slug) === id) idOf.delete(before.slug)
  }
  const documents = states.flatMap(({ document }) => document ?? [])
  index.putAll(
    documents,
    states.flatMap(({ id, document }) => (document ? [] : id)),
  )
  for (const { id, item } of documents) idOf.set(item.slug, id)
}

/** How many rows are read at once. */
export const ROWS_AT_ONCE = 200

export function* pagesOf<T>(all: readonly T[], size = ROWS_AT_ONCE): Generator<T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size)
}

/** A function, because the vectors are read when the first index is made: commands that load no catalog do not need them. */
export const indexOptions = (kind: ListedKind): IndexOptions<Listing> => ({
  defaultKey: (document) => document.item.order ?? [document.recency, ''],
  numberOrders: NUMBER_ORDERS[kind],
  vectors: loadVectors(),
})

let loaded: WordVectors | undefined

/** The built-in vectors of words, read from their file the first time (scripts/meaning makes that file). */
export function loadVectors(): WordVectors {
  loaded ??= parseVectors(readFileSync(new URL('../../search/meaning/vectors.bin', import.meta.url)))
  return loaded
}
