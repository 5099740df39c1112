// The functions behind the eight catalog operations: snapshot in, written envelope out. Answers are remembered until the
// catalog changes, because agents and sites ask the same few things over and over.
import type { TSchema } from 'typebox'
import { notFound } from '../../kernel/errors.ts'
import { type CachedAnswer, type Pagination, type Prepared, paginate, prepare, writer } from '../../kernel/output.ts'
import { createIndex, type SearchIndex, type SearchQuery } from '../../search/index.ts'
import type { TagRow } from './queries.ts'
import { byName, detailJson, type Listing } from './rules.ts'
import type { Catalog, ListingIndex, Snapshot } from './snapshot.ts'

// Enough for every hot question, little enough to forget.
const REMEMBERED_ANSWERS = 4_000
const REMEMBERED_BYTES = 64 * 1024 * 1024
// For the two compressed forms that clients may ask for: each is about a third.
const OVERHEAD = 1.7

interface Memory {
  version: number
  /** Until the next change, or until there are too many. */
  isCurrent(): boolean
  bytes: number
  answers: Map<string, Prepared>
}

const memories = new WeakMap<Catalog, Memory>()

/** The answer made by `make` unless the same question was answered since the last change. */
export function remembered(
  catalog: Catalog,
  name: string,
  input: object,
  make: (snapshot: Snapshot) => Buffer,
): CachedAnswer {
  const question = name + JSON.stringify(input)
  let memory = memories.get(catalog)
  const version = catalog.version()
  if (
    !memory ||
    memory.version !== version ||
    memory.answers.size >= REMEMBERED_ANSWERS ||
    memory.bytes >= REMEMBERED_BYTES
  )
    memory = beginMemory(catalog, version)
  let prepared = memory.answers.get(question)
  if (!prepared) {
    prepared = prepare(make(catalog.snapshot()))
    memory.answers.set(question, prepared)
    memory.bytes += prepared.json.length * OVERHEAD
  }
  return { prepared, isCurrent: memory.isCurrent }
}

function beginMemory(catalog: Catalog, version: number): Memory {
  const memory: Memory = {
    version,
    bytes: 0,
    answers: new Map(),
    // Whoever keeps an answer must let go of it with us, or the bytes would be counted nowhere.
    isCurrent: () => catalog.version() === version && memories.get(catalog) === memory,
  }
  memories.set(catalog, memory)
  return memory
}

const OPEN_ARRAY = Buffer.from('{"success":true,"data":[')
const CLOSE_ARRAY = Buffer.from(']}')
const OPEN_OBJECT = Buffer.from('{"success":true,"data":')
const CLOSE = Buffer.from('}')
const COMMA = Buffer.from(',')

/** Ready-made pieces, or values to be written through their schema, as one envelope. */
export function writeList(items: readonly Buffer[]): Buffer
export function writeList(items: readonly object[], schema: TSchema): Buffer
export function writeList(items: readonly (Buffer | object)[], schema?: TSchema): Buffer {
  return listEnvelope(schema ? items.map(writeItem(schema)) : (items as Buffer[]))
}

const itemWriters = new WeakMap<TSchema, (value: unknown) => string>()

function writeItem(schema: TSchema) {
  const write = itemWriters.get(schema) ?? writer(schema)
  itemWriters.set(schema, write)
  return (value: unknown) => Buffer.from(write(value))
}

function listEnvelope(items: readonly Buffer[], pagination?: Pagination): Buffer {
  const pieces: Buffer[] = [OPEN_ARRAY]
  for (const [i, item] of items.entries()) pieces.push(...(i > 0 ? [COMMA, item] : [item]))
  pieces.push(pagination ? Buffer.from(`],"pagination":${JSON.stringify(pagination)}}`) : CLOSE_ARRAY)
  return Buffer.concat(pieces)
}

const itemEnvelope = (item: Buffer): Buffer => Buffer.concat([OPEN_OBJECT, item, CLOSE])

export function findPage({ index }: ListingIndex, query: Omit<SearchQuery, 'offset'>, page: number): Buffer {
  const { items, total } = index.find({ ...query, offset: (page - 1) * query.limit })
  return listEnvelope(
    items.map((item) => item.json),
    paginate(page, query.limit, total),
  )
}

export function findListing({ index, idOf }: ListingIndex, slug: string, thing: string): Listing {
  const id = idOf.get(slug)
  const listing = id === undefined ? undefined : index.get(id)
  if (!listing) throw notFound(thing)
  return listing
}

export const oneListing = (listings: ListingIndex, slug: string, thing: string): Buffer =>
  itemEnvelope(detailJson(findListing(listings, slug, thing)))

/** Categories or tags by name, with the number of published listings that use each; only those that readers may see. */
export function findTerms<T extends Term>(
  terms: ReadonlyMap<string, T>,
  facet: string,
  { index }: ListingIndex,
  q: string | undefined,
  limit: number,
) {
  const found =
    q === undefined ? inOrder(terms) : indexOf(terms).find({ q, offset: 0, limit: terms.size }).items.sort(byName)
  const shown: (T & { toolsCount: number })[] = []
  for (const term of found) {
    if (shown.length === limit) break
    const toolsCount = index.count(`${facet}:${term.slug}`)
    if (isShown(term, toolsCount)) shown.push({ ...term, toolsCount })
  }
  return shown
}

/** A tag that a submission made is part of its listing, and is shown while a published listing has it. */
const isShown = (term: Term, toolsCount: number): boolean => !term.submitted || toolsCount > 0

export const isShownTag = ({ tools }: Snapshot, tag: Pick<TagRow, 'slug' | 'name' | 'submitted'>): boolean =>
  !tag.submitted || isShown(tag, tools.index.count(`tag:${tag.slug}`))

/** The tag of this slug where readers may see it. */
export function findTag(snapshot: Snapshot, slug: string): TagRow | undefined {
  const tag = snapshot.taxonomy.tags.get(slug)
  return tag && isShownTag(snapshot, tag) ? tag : undefined
}

/** All tags that readers may see, in no order. */
export const listShownTags = (snapshot: Snapshot): TagRow[] =>
  [...snapshot.taxonomy.tags.keys()].flatMap((slug) => findTag(snapshot, slug) ?? [])

const ordered = new WeakMap<ReadonlyMap<string, Term>, readonly Term[]>()

function inOrder<T extends Term>(terms: ReadonlyMap<string, T>): readonly T[] {
  const known = (ordered.get(terms) as readonly T[] | undefined) ?? [...terms.values()].sort(byName)
  ordered.set(terms, known)
  return known
}

interface Term {
  slug: string
  name: string
  description?: string
  submitted?: boolean
}

const termIndexes = new WeakMap<ReadonlyMap<string, Term>, SearchIndex<Term>>()

function indexOf<T extends Term>(terms: ReadonlyMap<string, T>): SearchIndex<T> {
  let index = termIndexes.get(terms) as SearchIndex<T> | undefined
  if (!index) {
    index = createIndex<T>()
    for (const term of terms.values())
      index.put({
        id: term.slug,
        text: [term.name, term.slug, term.description ?? ''],
        facets: [],
        popularity: 0,
        recency: 0,
        item: term,
      })
    termIndexes.set(terms, index as SearchIndex<Term>)
  }
  return index
}
