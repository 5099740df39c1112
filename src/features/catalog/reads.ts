// The functions behind the eight catalog operations: each takes a snapshot and returns the answer as JSON. Answers are cached, because
// clients repeat the same few requests. An answer of a search is kept until a listing changes that is or could be among the matches, every
// other answer until the catalog changes.
import type { TSchema } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import {
  type CachedAnswer,
  type Pagination,
  type Prepared,
  paginate,
  prepare,
  type SearchMatch,
  type UnfoundAnswer,
  writer,
} from '../../kernel/output.ts'
import { contentWordsOf } from '../unfound/rules.ts'
import type { SearchedCatalog } from '../unfound/schema.ts'
import { type FieldSelection, selectFields } from './fields.ts'
import type { TagRow } from './queries.ts'
import { askIndex, type Question } from './question.ts'
import { detailJson, type Listing, type Taxonomy } from './rules.ts'
import { ENDED, type Ended, type ListedKind, TOPIC } from './schema.ts'
import type { Catalog, ListingIndex, Snapshot } from './snapshot.ts'
import { type Term, type TermMap, termsInOrder } from './term-lists.ts'

// Enough for all frequent requests, and a small part of the memory of a process.
const MAX_CACHED_ANSWERS = 4_000
const MAX_CACHED_BYTES = 64 * 1024 * 1024
// An answer may also be kept in the two compressed forms that clients ask for, each about a third of its size, and as a JSON string for MCP.
const ALL_FORMS_FACTOR = 2.9

/** An answer in the cache; see SearchAnswer for the functions. */
interface RememberedAnswer {
  prepared: Prepared
  /** The newest version of the catalog for which the answer is known to be right. */
  version: number
  taxonomy: Taxonomy
  stillHolds?: () => boolean
  recounted?: () => SearchAnswer | undefined
}

interface AnswerCache {
  bytes: number
  answers: Map<string, RememberedAnswer>
}

const answerCaches = new WeakMap<Catalog, AnswerCache>()

/** The answer to a request: the remembered one while no change of the catalog can have changed it, otherwise one that `make` makes. */
export function cachedAnswer(
  catalog: Catalog,
  name: string,
  input: object,
  make: (snapshot: Snapshot) => Buffer | SearchAnswer,
): CachedAnswer {
  const cacheKey = name + JSON.stringify(input)
  let cache = answerCaches.get(catalog)
  if (!cache || cache.answers.size >= MAX_CACHED_ANSWERS || cache.bytes >= MAX_CACHED_BYTES) {
    cache = { bytes: 0, answers: new Map() }
    answerCaches.set(catalog, cache)
  }
  let answer = cache.answers.get(cacheKey)
  if (!answer || !isRight(catalog, answer)) {
    const { recounted } = answer && isComparable(catalog, answer) ? answer : {}
    // Removed before the new answer is made, because making it may throw.
    if (answer && cache.answers.delete(cacheKey)) cache.bytes -= bytesOf(answer)
    answer = makeAnswer(catalog, (snapshot) => recounted?.() ?? make(snapshot))
    cache.answers.set(cacheKey, answer)
    cache.bytes += bytesOf(answer)
  }
  const [own, kept] = [cache, answer]
  return {
    prepared: kept.prepared,
    // Other caches that keep the answer must drop it together with this one, because only this one counts its bytes.
    isCurrent: () => answerCaches.get(catalog) === own && own.answers.get(cacheKey) === kept && isRight(catalog, kept),
  }
}

const bytesOf = ({ prepared }: RememberedAnswer): number => prepared.json.length * ALL_FORMS_FACTOR

function makeAnswer(catalog: Catalog, make: (snapshot: Snapshot) => Buffer | SearchAnswer): RememberedAnswer {
  const version = catalog.version()
  const snapshot = catalog.snapshot()
  const made = make(snapshot)
  if (!('json' in made)) return { prepared: prepare(made), version, taxonomy: snapshot.taxonomy }
  const { stillHolds, recounted, ...answer } = made
  return { prepared: { ...answer, ...prepare(made.json) }, version, taxonomy: snapshot.taxonomy, stillHolds, recounted }
}

/** Whether categories and tags are the same as when the answer was made, so that only a change of listings can have changed it. */
const isComparable = (catalog: Catalog, { taxonomy }: RememberedAnswer): boolean =>
  catalog.isReady() && catalog.snapshot().taxonomy === taxonomy

/** Whether the answer is right for the catalog as it is now. */
function isRight(catalog: Catalog, answer: RememberedAnswer): boolean {
  const version = catalog.version()
  if (answer.version === version) return true
  if (!isComparable(catalog, answer) || !answer.stillHolds?.()) return false
  answer.version = version
  return true
}

const OPEN_ARRAY = Buffer.from('{"success":true,"data":[')
const CLOSE_ARRAY = Buffer.from(']}')
const OPEN_OBJECT = Buffer.from('{"success":true,"data":')
const CLOSE = Buffer.from('}')
const COMMA = Buffer.from(',')

/** A list answer made of items that are JSON already, or of values that are written by their schema. */
export function writeList(items: readonly Buffer[]): Buffer
export function writeList(items: readonly object[], schema: TSchema): Buffer
export function writeList(items: readonly (Buffer | object)[], schema?: TSchema): Buffer {
  return Buffer.concat([openList(schema ? items.map(writeItem(schema)) : (items as Buffer[])), CLOSE_ARRAY])
}

const itemWriters = new WeakMap<TSchema, (value: unknown) => string>()

function writeItem(schema: TSchema) {
  const write = itemWriters.get(schema) ?? writer(schema)
  itemWriters.set(schema, write)
  return (value: unknown) => Buffer.from(write(value))
}

/** The beginning of a list answer, up to its last item. */
function openList(items: readonly Buffer[]): Buffer {
  const pieces: Buffer[] = [OPEN_ARRAY]
  for (const [i, item] of items.entries()) pieces.push(...(i > 0 ? [COMMA, item] : [item]))
  return Buffer.concat(pieces)
}

const paginationText = (pagination: Pagination): string => `],"pagination":${JSON.stringify(pagination)}}`

const itemEnvelope = (item: Buffer): Buffer => Buffer.concat([OPEN_OBJECT, item, CLOSE])

export interface SearchAnswer {
  json: Buffer
  match?: SearchMatch
  understood?: string
  missing?: string
  unfound?: UnfoundAnswer
  note?: string
  /** Whether the search would still give the same answer. Without it, the answer is right until the next change of the catalog. */
  stillHolds?: () => boolean
  /** Returns the answer with the present number of matches; undefined when the search would give another page. */
  recounted?: () => SearchAnswer | undefined
}

/** A search that may be counted as unfound. Only one that `isWhole` is counted: the first page, no filters, partial matches allowed. */
export interface CountedQuestion {
  q?: string
  searched: SearchedCatalog
  isWhole: boolean
}

/** `filters`: the values of the filters, undefined for those that are not set. */
export const wholeQuestion = (
  searched: SearchedCatalog,
  { q, page, match }: { q?: string; page: number; match?: SearchMatch },
  filters: readonly unknown[],
): CountedQuestion => ({
  q,
  searched,
  isWhole: page === 1 && match !== 'full' && filters.every((filter) => filter === undefined),
})

/** What to count for a search; undefined when a listing matches every word, or when the search is not counted. */
export function unfoundOf(
  { q = '', searched, isWhole }: CountedQuestion,
  { total, fullMatches }: { total: number; fullMatches: number },
): UnfoundAnswer | undefined {
  const words = isWhole && fullMatches === 0 ? contentWordsOf(q) : ''
  return words === '' ? undefined : { searched, words, outcome: total === 0 ? 'nothing' : 'partial' }
}

/** Counts the search when it found nothing, or only partial matches. The REST surface counts the searches that it answers from its own cache. */
export function countedAnswer({ unfound, caller }: Context, answer: CachedAnswer): CachedAnswer {
  if (answer.prepared.unfound) unfound.note(answer.prepared.unfound, caller)
  return answer
}

/** One page of a search. */
export function findPage(
  kind: ListedKind,
  { taxonomy, ...catalogs }: Snapshot,
  query: Omit<Question, 'offset'>,
  page: number,
  fields: FieldSelection | undefined,
  question: CountedQuestion,
): SearchAnswer {
  const paged = { ...query, offset: (page - 1) * query.limit, depend: true }
  const { result, understood, missing, stillHolds } = askIndex(kind, catalogs[TOPIC[kind]], taxonomy, paged)
  const answer = (items: Buffer): SearchAnswer => {
    const { total, full } = result
    const json = Buffer.concat([items, Buffer.from(paginationText(paginate(page, query.limit, total)))])
    return {
      ...{ json, understood, missing },
      unfound: unfoundOf(question, { total, fullMatches: full }),
      match: full < total ? 'partial' : 'full',
      ...(stillHolds && {
        stillHolds: () => stillHolds() && result.total === total,
        recounted: () => (stillHolds() ? answer(json.subarray(0, items.length)) : undefined),
      }),
    }
  }
  return answer(openList(result.items.map(({ json }) => selectFields(json, fields))))
}

export function findListing({ index, idOf }: ListingIndex, slug: string, thing: string): Listing {
  const id = idOf.get(slug)
  const listing = id === undefined ? undefined : index.get(id)
  if (!listing) throw notFound(thing)
  return listing
}

/** How the product has ended; undefined while it is not known to have. */
export const endedOf = ({ index, idOf }: ListingIndex, slug: string): Ended | undefined => {
  const facets = index.facetsOf(idOf.get(slug) ?? '')
  return ENDED.find((ended) => facets.includes(`ended:${ended}`))
}

export const oneListing = (listings: ListingIndex, slug: string, thing: string, fields?: FieldSelection): Buffer =>
  itemEnvelope(selectFields(detailJson(findListing(listings, slug, thing)), fields))

/** The categories or tags that readers may see, by name, each with the number of published listings that use it. */
export function findTerms<T extends Term>(
  terms: TermMap<T>,
  facet: string,
  { index }: ListingIndex,
  q: string | undefined,
  limit: number,
) {
  const shown: (T & { toolsCount: number })[] = []
  for (const term of termsInOrder(terms, q)) {
    if (shown.length === limit) break
    const toolsCount = index.count(`${facet}:${term.slug}`)
    if (isShown(term, toolsCount)) shown.push({ ...term, toolsCount })
  }
  return shown
}

/** A tag that a partner's submission created is shown only while a published listing has it. */
const isShown = (term: Term, toolsCount: number): boolean => !term.submitted || toolsCount > 0

export const isShownTag = ({ tools }: Snapshot, tag: Pick<TagRow, 'slug' | 'name' | 'submitted'>): boolean =>
  !tag.submitted || isShown(tag, tools.index.count(`tag:${tag.slug}`))

/** The tag with this slug, unless readers may not see it. */
export function findTag(snapshot: Snapshot, slug: string): TagRow | undefined {
  const tag = snapshot.taxonomy.tags.get(slug)
  return tag && isShownTag(snapshot, tag) ? tag : undefined
}

/** All tags that readers may see, in no particular order. */
export const listShownTags = (snapshot: Snapshot): TagRow[] =>
  [...snapshot.taxonomy.tags.keys()].flatMap((slug) => findTag(snapshot, slug) ?? [])
