// The functions behind the eight catalog operations: each takes a snapshot and returns the answer as JSON, or what the answer is made from.
// Answers are cached by `answer-cache.ts`.
import type { TSchema } from 'typebox'
import { notFound } from '../../kernel/errors.ts'
import { type Pagination, paginate, type SearchMatch, type UnfoundAnswer, writer } from '../../kernel/output.ts'
import { contentWordsOf } from '../unfound/rules.ts'
import type { SearchedCatalog } from '../unfound/schema.ts'
import type { SearchAnswer } from './answer-cache.ts'
import { type FieldSelection, selectFields } from './fields.ts'
import type { ListingIndex, Snapshot } from './memory/snapshot.ts'
import type { TagRow } from './queries.ts'
import { askIndex, type Question } from './questions/question.ts'
import { detailJson, type Listing } from './rules.ts'
import { ENDED, type Ended, type ListedKind, TOPIC } from './schema.ts'
import { type Term, type TermMap, termsInOrder } from './terms/term-lists.ts'

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

/** Whether, and for which catalog, a search that finds nothing is counted: only a first page without filters, with partial matches. */
export interface SearchCounting {
  q?: string
  searched: SearchedCatalog
  isCounted: boolean
}

/** `filters`: the values of all filters of the operation, undefined for those that are not set. */
export const searchCounting = (
  searched: SearchedCatalog,
  { q, page, match }: { q?: string; page: number; match?: SearchMatch },
  filters: readonly unknown[],
): SearchCounting => ({
  q,
  searched,
  isCounted: page === 1 && match !== 'full' && filters.every((filter) => filter === undefined),
})

/** What to count for a search; undefined when a listing matches every word, or when the search is not counted. */
export function unfoundOf(
  { q = '', searched, isCounted }: SearchCounting,
  { total, fullMatches }: { total: number; fullMatches: number },
): UnfoundAnswer | undefined {
  const words = isCounted && fullMatches === 0 ? contentWordsOf(q) : ''
  return words === '' ? undefined : { searched, words, outcome: total === 0 ? 'nothing' : 'partial' }
}

/** One page of a search, with the functions by which the answer cache keeps it although other listings change (see SearchAnswer). */
export function findPage(
  kind: ListedKind,
  { taxonomy, ...catalogs }: Snapshot,
  query: Omit<Question, 'offset'>,
  page: number,
  fields: FieldSelection | undefined,
  counting: SearchCounting,
): SearchAnswer {
  const paged = { ...query, offset: (page - 1) * query.limit, depend: true }
  const { result, understood, missing, stillHolds } = askIndex(kind, catalogs[TOPIC[kind]], taxonomy, paged)
  const answer = (beginning: Buffer): SearchAnswer => {
    const { total, full } = result
    const { length } = beginning
    const json = Buffer.concat([beginning, Buffer.from(paginationText(paginate(page, query.limit, total)))])
    return {
      ...{ json, understood, missing },
      unfound: unfoundOf(counting, { total, fullMatches: full }),
      match: full < total ? 'partial' : 'full',
      ...(stillHolds && {
        stillHolds: () => stillHolds() && result.total === total,
        recounted: () => (stillHolds() ? answer(json.subarray(0, length)) : undefined),
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
