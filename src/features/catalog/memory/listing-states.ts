// The listings in memory: the index of each kind, and how the rows of the database are put into it. A row becomes a document, or nothing
// when it is broken or hidden.
import type { BrokenRow, BrokenRows } from '../../../kernel/checks/broken-rows.ts'
import type { IndexOptions, SearchDocument, SearchIndex, TextMap } from '../../../search/index.ts'
import type { OpenedListings } from '../../learning/learned.ts'
import type { DirectoryRow, ToolRow } from '../queries.ts'
import {
  BrokenRowError,
  directoryDocument,
  NUMBER_ORDERS,
  type RowKind,
  type Taxonomy,
  toolDocument,
} from '../rules.ts'
import type { ListedKind } from '../schema.ts'
import { loadVectors } from '../word-vectors.ts'
import type { BlockWriter, Listing } from './listing-json.ts'

export interface Snapshot {
  taxonomy: Taxonomy
  tools: ListingIndex
  directories: ListingIndex
}

/** How many listings the catalog has. */
export const sizeOf = ({ tools, directories }: Snapshot): number => tools.index.size + directories.index.size

export interface ListingIndex {
  index: SearchIndex<Listing>
  /** The id of each listing, by slug. */
  idOf: TextMap<string>
  /** What visitors open after a question; undefined when nothing is known. */
  openedAfter?: (q: string) => OpenedListings | undefined
}

/** A broken row, and the time of its last change if it has one. */
export type FoundBrokenRow = [row: BrokenRow, state?: unknown]

/** A listing as it is now: its document, or why it is broken; neither when it is not published. */
export interface ListingState {
  id: string
  document?: SearchDocument<Listing>
  broken?: FoundBrokenRow
}

/** Makes the state of a listing from its row. It never throws, so that one row cannot stop the others. */
export function stateOfListing(
  kind: ListedKind,
  id: string,
  row: ToolRow | DirectoryRow | undefined,
  { publicUrl, taxonomy, blocks }: { publicUrl: string; taxonomy: Taxonomy; blocks?: BlockWriter },
): ListingState {
  if (!row) return { id }
  try {
    const document =
      kind === 'tool'
        ? toolDocument(row as ToolRow, taxonomy, publicUrl, blocks)
        : directoryDocument(row as DirectoryRow, taxonomy, publicUrl, blocks)
    return { id, document }
  } catch (error) {
    const reason = error instanceof BrokenRowError ? error.message : `It cannot be read: ${(error as Error).message}`
    return { id, broken: [{ kind, id: row.id, name: row.slug, reason }, row.updatedAt.getTime()] }
  }
}

/** Puts the listings into the index, removes those that have no document, and records which rows are broken. */
export function replaceListings(
  kind: RowKind,
  listings: ListingIndex,
  states: readonly ListingState[],
  brokenRows: BrokenRows,
): void {
  for (const { id, broken } of states)
    if (broken) brokenRows.add(...broken)
    else brokenRows.remove(kind, id)
  putListings(listings, states)
}

/** Puts the listings into the index, and removes those that have no document. */
export function putListings({ index, idOf }: ListingIndex, states: readonly ListingState[]): void {
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

/** All of them in lists of this size. */
export function* pagesOf<T>(all: Iterable<T>, size = ROWS_AT_ONCE): Generator<T[]> {
  let page: T[] = []
  for (const one of all) {
    page.push(one)
    if (page.length < size) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** A function, because the vectors are read when the first index is made: commands that load no catalog do not need them. */
export const indexOptions = (kind: ListedKind): IndexOptions<Listing> => ({
  defaultKey: (document) => document.item.order ?? [document.recency, ''],
  numberOrders: NUMBER_ORDERS[kind],
  vectors: loadVectors(),
})
