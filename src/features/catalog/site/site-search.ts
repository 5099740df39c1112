// The searches of the site: of tools and of directories (of both at once: `search-both.ts`). Beside the listings they return counts for the
// filters, and why each listing was found. Index, conditions, ranking and caching are the same as those of the operations.
import type { Static } from 'typebox'
import type { Context } from '../../../kernel/context.ts'
import type { Nearness } from '../../../kernel/interfaces/embedding-model.ts'
import { type Pagination, paginate, type SearchMatch, type UnfoundAnswer } from '../../../kernel/output.ts'
import type { SearchQuery } from '../../../search/index.ts'
import { searchAnswer } from '../answer-cache.ts'
import type { Snapshot } from '../memory/snapshot.ts'
import type { searchTools } from '../operations.ts'
import {
  DIRECTORY_INDEX_ORDERS,
  facetConditions,
  givenIn,
  includesAdult,
  slugsInCondition,
  TOOL_INDEX_ORDERS,
  toolTerms,
} from '../questions/conditions.ts'
import { type Asked, askIndex, type Question } from '../questions/question.ts'
import type { Statement } from '../questions/statements.ts'
import { searchCounting, unfoundOf } from '../reads.ts'
import { type Listing, PRICE_STEPS, RATING_STEPS, STAR_STEPS } from '../rules.ts'
import * as schema from '../schema.ts'
import { browsableSlugs } from './browse.ts'
import { askedWords, type Reason, reasonFound, shownTextOf } from './found-reasons.ts'
import { formChecker } from './quote.rules.ts'

export interface Found<T> {
  listings: T[]
  total: number
  /** How many of the result match every word; they come first. */
  fullMatches: number
  /** For each listing: why it was found. */
  reasons: Reason[]
  /** How many words were asked for. */
  asked: number
  /**
   * What the question says about listings. `left`: how many listings would match fully without this statement; only when the question has
   * several statements, and more listings would match.
   */
  stated: (Statement & { left?: number })[]
  /** The other words of the question, each with the question without it. A word is not unknown when a listing has a form of it. */
  words: Asked['words']
  /** The misspelt words of the question, with those that were searched for instead. */
  respelt?: Asked['respelt']
  /** Whether these listings have the facts of the question. If not, `othersHaveFacts` says whether other listings have all of them. */
  keepsFacts: boolean
  othersHaveFacts?: boolean
}

/** How many listings each value of a filter leaves, by the names of filter and value. A value that is missing leaves none. */
export type FacetCounts = Record<string, Record<string, number>>

export interface Browsed<T> extends Found<T> {
  pagination: Pagination
  counts: FacetCounts
}

/** A filter of the site, with the values that it offers. */
interface SiteFilter {
  name: string
  values: readonly string[]
  /** The values that the visitor has chosen; a listing must have one of them. Empty: any. */
  chosen: readonly string[]
  /** Counts are returned for at most this many values: those that leave the most listings. */
  most?: number
}

// More options would make the page heavier than the listings on it; the pages of all categories and tags show the rest.
const MOST_TERMS = 30

export type ToolQuery = Omit<Static<typeof searchTools.parameters>, 'pricing' | 'minRating'> & {
  pricing?: readonly (typeof schema.PRICING)[number][]
  /** One of STAR_STEPS. */
  minRating?: string
  sort?: (typeof schema.TOOL_ORDERS)[number]
}

const oneValue = (value: string | undefined): readonly string[] => (value === undefined ? [] : [value])

export const browseTools = (ctx: Context, query: ToolQuery): Promise<Browsed<schema.Tool>> =>
  cachedSearch(ctx, 'browse_tools', query, (snapshot, nearness) => {
    const { category, tag, pricing = [], minRating, featured, sort } = query
    const order = sort && TOOL_INDEX_ORDERS[sort]
    const named = toolTerms(snapshot.taxonomy, query)
    const isAdult = includesAdult(snapshot.taxonomy, named, query.includeAdult)
    const { all, none } = facetConditions({}, { featured, adult: isAdult })
    const found = browse('tool', snapshot, query, { all, none, order, nearness }, [
      {
        ...{ name: 'category', values: browsableSlugs(snapshot, 'category') },
        ...{ chosen: named.category ?? [], most: MOST_TERMS },
      },
      { name: 'tag', values: browsableSlugs(snapshot, 'tag'), chosen: named.tag ?? [], most: MOST_TERMS },
      { name: 'pricing', values: schema.PRICING, chosen: pricing },
      { name: 'minRating', values: STAR_STEPS.map(String), chosen: oneValue(minRating) },
    ])
    const counting = searchCounting('tools', query, [category, tag, pricing[0], minRating, featured])
    return { found, match: matchOf(found), unfound: unfoundOf(counting, found) }
  })

export interface DirectoryQuery {
  q?: string
  facts?: Question['facts']
  category?: string
  cost?: readonly (typeof schema.COST)[number][]
  badge?: string
  type?: readonly string[]
  /** One of RATING_STEPS. */
  rating?: string
  /** One of PRICE_STEPS. */
  maxPrice?: string
  sort?: (typeof schema.DIRECTORY_ORDERS)[number] | keyof typeof schema.DIRECTORY_ORDER_ALIASES
  page: number
  limit: number
}

export const browseDirectories = (ctx: Context, query: DirectoryQuery): Promise<Browsed<schema.Directory>> =>
  cachedSearch(ctx, 'browse_directories', query, (snapshot, nearness) => {
    const { taxonomy } = snapshot
    const { category, cost = [], badge, rating, maxPrice, sort } = query
    const types = query.type?.map((one) => one.toLowerCase()) ?? []
    const order = sort && DIRECTORY_INDEX_ORDERS[isAlias(sort) ? schema.DIRECTORY_ORDER_ALIASES[sort] : sort]
    const found = browse(
      'directory',
      snapshot,
      query,
      { order, nearness },
      [
        {
          name: 'category',
          values: [...taxonomy.directoryCategories.keys()],
          chosen: slugsInCondition(taxonomy.directoryCategories, category) ?? [],
        },
        { name: 'rating', values: RATING_STEPS.map(String), chosen: oneValue(rating) },
        { name: 'maxPrice', values: PRICE_STEPS.map(String), chosen: oneValue(maxPrice) },
        { name: 'cost', values: schema.COST, chosen: cost },
        { name: 'type', values: schema.USUAL_LINK_TYPES.map((one) => one.toLowerCase()), chosen: types },
        { name: 'badge', values: schema.BADGES, chosen: oneValue(badge) },
      ],
      withDeal,
    )
    const counting = searchCounting('directories', query, [category, cost[0], badge, types[0], rating, maxPrice])
    return { found, match: matchOf(found), unfound: unfoundOf(counting, found) }
  })

/** The names that filters have on the site, where they differ from those of the API. */
const SITE_NAMES: Readonly<Record<string, string>> = { minDomainRating: 'rating' }

const isAlias = (name: string): name is keyof typeof schema.DIRECTORY_ORDER_ALIASES =>
  name in schema.DIRECTORY_ORDER_ALIASES

/** One page of the listings of a catalog, with the counts of each filter. `read`: makes what the page shows of a listing. */
function browse(
  kind: schema.ListedKind,
  { taxonomy, ...catalogs }: Snapshot,
  given: { q?: string; facts?: Question['facts']; page: number; limit: number },
  conditions: Omit<SearchQuery, 'offset' | 'limit'>,
  filters: readonly SiteFilter[],
  read = parsed,
): Browsed<unknown> {
  const labelled = filters.map(({ name, values, chosen }) => {
    const counted = [...new Set([...values, ...chosen])]
    const labelOf = (value: string) => `${name}:${value}`
    return { values: counted, labels: counted.map(labelOf), chosen: chosen.map(labelOf) }
  })
  const { q, facts, page, limit } = given
  const listings = catalogs[schema.TOPIC[kind]]
  const any = labelled.flatMap(({ chosen }) => (chosen.length > 0 ? [chosen] : []))
  const question = {
    ...{ q, facts, ...conditions, any, partial: true, explain: true, offset: (page - 1) * limit, limit },
    given: (filter: string) => givenIn(given)(SITE_NAMES[filter] ?? filter),
  }
  const asked = askIndex(kind, listings, taxonomy, question)
  const { query } = asked
  // `askIndex` appends the facts of the question to the choices of the visitor (`any`). Facts are a condition of every count; a choice of
  // the visitor is left out of the counts of its own filter.
  const stated = query.any?.slice(any.length)
  const counts = listings.index.countFacets({ ...query, any: stated }, labelled)
  return {
    ...foundListings(
      kind,
      asked,
      (q) => askIndex(kind, listings, taxonomy, { ...question, q, explain: false, partial: false, limit: 0 }),
      read,
    ),
    pagination: paginate(page, limit, asked.result.total),
    counts: Object.fromEntries(
      filters.map(({ name, most }, at) => [name, byValue(labelled[at]?.values ?? [], counts[at] ?? [], most)]),
    ),
  }
}

/** The counts by value, without those that are 0. */
function byValue(values: readonly string[], counts: readonly number[], most = values.length): Record<string, number> {
  const pairs = values.map((value, at) => [value, counts[at] ?? 0] as const).filter(([, count]) => count > 0)
  return Object.fromEntries(pairs.length > most ? pairs.sort(([, a], [, b]) => b - a).slice(0, most) : pairs)
}

const parsed = ({ json }: Listing): unknown => JSON.parse(json.toString())

/** The site's table of directories shows deals, which the JSON of a search result does not have. */
const withDeal = (listing: Listing): unknown => {
  const { deal }: schema.Directory = JSON.parse(listing.extras.toString())
  return { ...JSON.parse(listing.json.toString()), deal }
}

/**
 * What the site shows of a search. `ask`: the same search for another question, to count what that finds; without it, nothing is counted.
 */
export function foundListings(
  kind: schema.ListedKind,
  { result, stated, words, respelt, keepsFacts, othersHaveFacts }: Asked,
  ask?: (q: string) => Asked,
  read = parsed,
): Found<unknown> {
  const { items, total, full, explained } = result
  const leftWithout = ({ rest }: Statement) => {
    const left = ask && stated.length > 1 && rest !== '' ? ask(rest).result.full : 0
    return left > full && { left }
  }
  const asked = askedWords(words, explained?.asked ?? [])
  /** By listing: whether its texts have another form of a word (see `formChecker`), although the index keeps the two apart. */
  const hasForm = items.map((item) => formChecker(() => shownTextOf(kind, item)))
  return {
    listings: items.map(read),
    total,
    fullMatches: full,
    ...{ respelt, keepsFacts, othersHaveFacts },
    asked: asked.length,
    words: words.map((one) => ({ ...one, isUnknown: one.isUnknown && !hasForm.some((has) => has(one.word)) })),
    stated: stated.map((one) => ({ ...one, ...leftWithout(one) })),
    reasons: items.map((item, at) =>
      reasonFound(explained?.hits[at] ?? [], asked, kind, item, (word) => hasForm[at]?.(word) === true),
    ),
  }
}

/** Whether the result has partial matches. */
export const matchOf = ({ total, fullMatches }: Pick<Found<unknown>, 'total' | 'fullMatches'>): SearchMatch =>
  fullMatches < total ? 'partial' : 'full'

/** The answer is cached as JSON, because the cache counts bytes and a page must not change a cached value. */
export async function cachedSearch<T>(
  ctx: Context,
  name: string,
  query: { q?: string },
  make: (
    snapshot: Snapshot,
    nearness?: Nearness,
  ) => { found: unknown; match: SearchMatch; unfound: UnfoundAnswer | undefined },
): Promise<T> {
  const { prepared } = await searchAnswer(ctx, name, query, (snapshot, nearness) => {
    const { found, ...answer } = make(snapshot, nearness)
    return { ...answer, json: Buffer.from(JSON.stringify(found)) }
  })
  return JSON.parse(prepared.json.toString())
}
