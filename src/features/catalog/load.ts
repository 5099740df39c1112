// Reads the published catalog from the database: all of it into a new snapshot, or some rows into an existing one. A row that cannot be
// shown is left out and recorded as broken; the other rows are loaded.
import type { BrokenRow, BrokenRows } from '../../kernel/broken-rows.ts'
import type { Database } from '../../kernel/context.ts'
import { buildIndex, loadVectors, type SearchIndex } from '../../search/index.ts'
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

/** A row that is left out, and the time of its last change if it has one. */
export type FoundBrokenRow = [row: BrokenRow, state?: unknown]

/** How many rows are read at once. */
export const PAGE = 200

export async function load(
  db: Database,
  publicUrl: string,
): Promise<{ snapshot: Snapshot; foundBroken: FoundBrokenRow[] }> {
  const { taxonomy, foundBroken } = await loadTaxonomy(db)
  const tools = await loadListings(
    'tool',
    pages((after) => queries.listPublishedToolsAfter(db, after, PAGE)),
    (row) => toolDocument(row, taxonomy, publicUrl),
    foundBroken,
  )
  const directories = await loadListings(
    'directory',
    pages((after) => queries.listPublishedDirectoriesAfter(db, after, PAGE)),
    (row) => directoryDocument(row, taxonomy, publicUrl),
    foundBroken,
  )
  return { snapshot: { taxonomy, tools, directories }, foundBroken }
}

export async function loadTaxonomy(db: Database): Promise<{ taxonomy: Taxonomy; foundBroken: FoundBrokenRow[] }> {
  const foundBroken: FoundBrokenRow[] = []
  const leftOut = { category: new Set<string>(), tag: new Set<string>(), directoryCategory: new Set<string>() }
  const validRows = <T extends { slug: string; adult?: boolean }>(kind: keyof typeof leftOut, rows: T[]) => {
    const found = new Map<string, T>()
    for (const row of rows) {
      const reason = rowProblem(kind, row)
      if (!reason) found.set(row.slug, row)
      else {
        foundBroken.push([{ kind, id: row.slug, name: row.slug, reason }])
        if (row.adult !== false) leftOut[kind].add(row.slug)
      }
    }
    return found
  }
  const taxonomy = {
    categories: validRows('category', await queries.listCategories(db)),
    tags: validRows('tag', await queries.listTags(db)),
    directoryCategories: validRows('directoryCategory', await queries.listDirectoryCategories(db)),
    adultLeftOut: { categories: leftOut.category, tags: leftOut.tag },
  }
  return { taxonomy, foundBroken }
}

async function* pages<Row extends { id: string }>(
  next: (after: string | null) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let rows = await next(null)
  while (rows.length > 0) {
    // The database reads the next page while this one is being indexed.
    const last = rows.length === PAGE ? rows.at(-1) : undefined
    const following = last ? next(last.id) : Promise.resolve([])
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
  foundBroken: FoundBrokenRow[],
): Promise<ListingIndex> {
  const idOf = new Map<string, string>()
  async function* documents() {
    for await (const rows of pages)
      yield rows.values().flatMap((row) => {
        const document = projected(kind, row, project)
        if ('reason' in document) {
          foundBroken.push([document, row.updatedAt.getTime()])
          return []
        }
        idOf.set(row.slug, row.id)
        return [document]
      })
  }
  const index = await buildIndex<Listing>(documents(), {
    defaultKey: (document) => document.item.order ?? [document.recency, ''],
    vectors: loadVectors(),
  })
  return { index, idOf }
}

/** The row as a document, or the reason why it cannot be one. It never throws, so that one row cannot stop the others. */
function projected<Row extends ListingRow>(kind: RowKind, row: Row, project: Project<Row>) {
  try {
    return project(row)
  } catch (error) {
    const reason = error instanceof BrokenRowError ? error.message : `It cannot be read: ${(error as Error).message}`
    return { kind, id: row.id, name: row.slug, reason } satisfies BrokenRow
  }
}

/** Puts the rows into the index, and removes the listings whose identifier has no row any more. */
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
    // Another listing may have taken over the slug.
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
