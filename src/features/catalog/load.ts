// Reading the published catalog out of the database: all of it into a new snapshot, or some of it into one that is there. A row that
// cannot be shown is left out and noted; the others go on.
import type { BrokenRow, BrokenRows } from '../../kernel/broken-rows.ts'
import type { Database } from '../../kernel/context.ts'
import { buildIndex, type SearchIndex } from '../../search/index.ts'
import * as queries from './queries.ts'
import {
  BrokenRowError,
  directoryDocument,
  type Listing,
  type RowKind,
  rowProblem,
  type Taxonomy,
  toolDocument,
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

/** A row that is left out, and the state that it was seen in. */
export type Noted = [row: BrokenRow, state?: unknown]

/** How many rows are read at once. */
export const PAGE = 200

export async function load(db: Database, publicUrl: string): Promise<{ snapshot: Snapshot; noted: Noted[] }> {
  const { taxonomy, noted } = await loadTaxonomy(db)
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
  return { snapshot: { taxonomy, tools, directories }, noted }
}

export async function loadTaxonomy(db: Database): Promise<{ taxonomy: Taxonomy; noted: Noted[] }> {
  const noted: Noted[] = []
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
  const taxonomy = {
    categories: sound('category', await queries.listCategories(db)),
    tags: sound('tag', await queries.listTags(db)),
    directoryCategories: sound('directoryCategory', await queries.listDirectoryCategories(db)),
    adultLeftOut: { categories: leftOut.category, tags: leftOut.tag },
  }
  return { taxonomy, noted }
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

/** Puts rows in place; of an identifier without a row there is nothing anymore. */
export function replace<Row extends ListingRow>(
  kind: RowKind,
  { index, idOf }: ListingIndex,
  ids: readonly string[],
  rows: readonly Row[],
  project: Project<Row>,
  brokenRows: BrokenRows,
): void {
  const found = new Map(rows.map((row) => [row.id, row]))
  for (const id of ids) {
    const row = found.get(id)
    const document = row && projected(kind, row, project)
    const before = index.get(id)
    // Another listing may have the slug by now.
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
