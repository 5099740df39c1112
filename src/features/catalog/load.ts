// Reads the published catalog from the database: all of it into a new snapshot, or some rows into an existing one. A row that cannot be
// shown is left out and recorded as broken; the other rows are loaded.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Log } from '../../kernel/context.ts'
import { createPauses } from '../../kernel/pauses.ts'
import { buildIndex, createLoadableIndex } from '../../search/index.ts'
import type { CatalogFile } from './catalog-file.ts'
import type { Changes, Topic } from './changes.ts'
import { indexOptions } from './index-options.ts'
import { createBlocks } from './listing-json.ts'
import {
  type FoundBrokenRow,
  type ListingIndex,
  type ListingRow,
  type ListingState,
  PAGE,
  type Project,
  projected,
  type Snapshot,
  sizeOf,
} from './listing-states.ts'
import * as queries from './queries.ts'
import { directoryDocument, type Listing, rowProblem, type Taxonomy, toolDocument } from './rules.ts'
import { type ListedKind, TOPIC } from './schema.ts'
import { broughtUpToDate, type Loaded, type Revisions, readRevisions } from './up-to-date.ts'

/** From the file, if there is one that fits, and the rows that have changed since; otherwise from all rows. */
export async function load(db: Database, publicUrl: string, file: CatalogFile | null = null): Promise<Loaded> {
  const { taxonomy, foundBroken } = await loadTaxonomy(db)
  let revisions: Promise<Revisions> | undefined
  const stored = await file?.read(taxonomyText(taxonomy), () => {
    // The database reads them while this thread reads the file.
    revisions = readRevisions(db)
    revisions.catch(() => {})
  })
  const fromFile =
    stored &&
    revisions &&
    (await broughtUpToDate(
      db,
      publicUrl,
      { taxonomy, madeWith: taxonomy, tools: stored.tool, directories: stored.directory },
      await revisions,
    ))
  if (fromFile) {
    file?.tellUsed(sizeOf(fromFile.snapshot), fromFile.readAgain)
    return { snapshot: fromFile.snapshot, foundBroken: [...foundBroken, ...fromFile.foundBroken] }
  }
  const blocks = createBlocks()
  const tools = await loadListings(
    'tool',
    pages((after) => queries.listPublishedAfter(db, 'tool', after, PAGE)),
    (row) => toolDocument(row, taxonomy, publicUrl, blocks),
    foundBroken,
  )
  const directories = await loadListings(
    'directory',
    pages((after) => queries.listPublishedAfter(db, 'directory', after, PAGE)),
    (row) => directoryDocument(row, taxonomy, publicUrl, blocks),
    foundBroken,
  )
  return { snapshot: { taxonomy, madeWith: taxonomy, tools, directories }, foundBroken }
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

async function loadListings<Row extends ListingRow>(
  kind: ListedKind,
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
  const index = await buildIndex<Listing>(documents(), indexOptions(kind))
  return { index, idOf }
}

/** The indexes of a new snapshot, filled with the listings of an import while it is stored. */
export interface Filling {
  snapshot: Snapshot
  foundBroken: FoundBrokenRow[]
  load(kind: ListedKind, state: ListingState): void
  /** Call this after all listings were loaded and before anything is read. */
  settle(): Promise<void>
}

export function createFilling(taxonomy: Taxonomy): Filling {
  const loadable = {
    tool: createLoadableIndex(indexOptions('tool')),
    directory: createLoadableIndex(indexOptions('directory')),
  }
  const snapshot = {
    taxonomy,
    madeWith: taxonomy,
    tools: { index: loadable.tool.index, idOf: new Map<string, string>() },
    directories: { index: loadable.directory.index, idOf: new Map<string, string>() },
  }
  const foundBroken: FoundBrokenRow[] = []
  return {
    snapshot,
    foundBroken,
    load(kind, { id, document, broken }) {
      if (broken) foundBroken.push(broken)
      if (!document) return
      loadable[kind].load(document)
      snapshot[TOPIC[kind]].idOf.set(document.item.slug, id)
    },
    async settle() {
      const pause = createPauses()
      for (const { settle } of Object.values(loadable)) for (const _ of settle()) await pause()
    },
  }
}

/** Whether listings have the same JSON, text and labels with both. */
export const isSameTaxonomy = (a: Taxonomy, b: Taxonomy): boolean => a === b || taxonomyText(a) === taxonomyText(b)

export const taxonomyText = ({ categories, tags, directoryCategories, adultLeftOut }: Taxonomy): string =>
  JSON.stringify(
    [categories, tags, directoryCategories, adultLeftOut.categories, adultLeftOut.tags].map(entriesInOrder),
  )

/** The terms of `base`, but those that changed are taken from `loaded`. */
export function withChangedTerms(base: Taxonomy, loaded: Taxonomy, changes: Changes): Taxonomy {
  function map<T>(topic: Topic, before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
    const merged = new Map(before)
    for (const slug of changes.get(topic) ?? []) {
      const term = after.get(slug)
      if (term === undefined) merged.delete(slug)
      else merged.set(slug, term)
    }
    return merged
  }
  const set = (topic: Topic, before: ReadonlySet<string>, after: ReadonlySet<string>) =>
    new Set(map(topic, new Map(before.entries()), new Map(after.entries())).keys())
  const [left, leftNow] = [base.adultLeftOut, loaded.adultLeftOut]
  return {
    categories: map('categories', base.categories, loaded.categories),
    tags: map('tags', base.tags, loaded.tags),
    directoryCategories: map('directoryCategories', base.directoryCategories, loaded.directoryCategories),
    adultLeftOut: {
      categories: set('categories', left.categories, leftNow.categories),
      tags: set('tags', left.tags, leftNow.tags),
    },
  }
}

const entriesInOrder = (entries: ReadonlyMap<string, unknown> | ReadonlySet<string>) =>
  [...entries.entries()].sort(([a], [b]) => (a < b ? -1 : 1))

/** The listings that changed, and those that use a term that changed. */
export async function listingsConcernedBy(
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

const RETRY_MS = 300

/** Tries until it works. While the database is down, reads are answered from the last state. */
export const createRetries = (log: Log, isClosed: () => boolean) => async (work: () => Promise<void>) => {
  while (!isClosed()) {
    try {
      return await work()
    } catch (error) {
      if (isClosed()) return
      log.warn({ err: error }, 'the catalog could not be read; reads go on from the last state')
      await sleep(RETRY_MS)
    }
  }
}
