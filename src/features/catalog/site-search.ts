// The searches of the site: of tools, of directories, and of both at once. Beside the listings they return counts for the filters, and the
// words that each match has. Index, conditions, ranking and caching are the same as those of the operations.
import type { Static } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import type { Nearness } from '../../kernel/embedding-model.ts'
import { type Pagination, paginate, type SearchMatch, type UnfoundAnswer } from '../../kernel/output.ts'
import { FIELD, LAST, type SearchQuery, type SearchResult, type WordHit } from '../../search/index.ts'
import { browsableSlugs } from './browse.ts'
import {
  conditions,
  DIRECTORY_INDEX_ORDERS,
  includesAdult,
  isGivenIn,
  slugsInCondition,
  TOOL_INDEX_ORDERS,
  toolTerms,
} from './conditions.ts'
import type { searchTools } from './operations.ts'
import { askIndex, type Question } from './question.ts'
import { unfoundOf, wholeQuestion } from './reads.ts'
import { type Listing, RATING_STEPS } from './rules.ts'
import {
  BADGES,
  COST,
  DIRECTORY_ORDER_ALIASES,
  type DIRECTORY_ORDERS,
  type Directory,
  type ListedKind,
  PRICING,
  type TOOL_ORDERS,
  TOPIC,
  type Tool,
  USUAL_LINK_TYPES,
} from './schema.ts'
import { searchAnswer } from './search-answer.ts'
import type { Snapshot } from './snapshot.ts'

export interface Found<T> {
  listings: T[]
  total: number
  /** How many of the result match every word; they come first. */
  full: number
  /** For each listing: the words of the question that it has. */
  matched: string[][]
}

/** How many listings each value of a filter leaves, by the names of filter and value. A value that is missing leaves none. */
export type FacetCounts = Record<string, Record<string, number>>

export interface Browsed<T> extends Found<T> {
  pagination: Pagination
  counts: FacetCounts
}

/** A filter of the site. */
interface Facet {
  name: string
  values: readonly string[]
  /** The values that the visitor has chosen; a listing must have one of them. Empty: any. */
  chosen: readonly string[]
  /** Counts are returned for at most so many values: those that leave the most listings. */
  most?: number
}

// More options would make the page heavier than the listings on it; the page of all tags shows the rest.
const MOST_TAGS = 60

export type ToolQuery = Omit<Static<typeof searchTools.parameters>, 'pricing'> & {
  pricing?: readonly (typeof PRICING)[number][]
  sort?: (typeof TOOL_ORDERS)[number]
}

const oneValue = (value: string | undefined): readonly string[] => (value === undefined ? [] : [value])

export const browseTools = (ctx: Context, query: ToolQuery): Promise<Browsed<Tool>> =>
  cached(ctx, 'browse_tools', query, (snapshot, nearness) => {
    const { category, tag, pricing = [], featured, sort } = query
    const order = sort && TOOL_INDEX_ORDERS[sort]
    const named = toolTerms(snapshot.taxonomy, query)
    const isAdult = includesAdult(snapshot.taxonomy, named, query.includeAdult)
    const { all, none } = conditions({}, featured, isAdult)
    const found = browse('tool', snapshot, query, { all, none, order, nearness }, [
      { name: 'category', values: browsableSlugs(snapshot, 'category'), chosen: named.category ?? [] },
      { name: 'tag', values: browsableSlugs(snapshot, 'tag'), chosen: named.tag ?? [], most: MOST_TAGS },
      { name: 'pricing', values: PRICING, chosen: pricing },
    ])
    const question = wholeQuestion('tools', query, [category, tag, pricing[0], featured])
    return { found, match: matchOf(found), unfound: unfoundOf(question, found) }
  })

export interface DirectoryQuery {
  q?: string
  category?: string
  cost?: readonly (typeof COST)[number][]
  badge?: string
  type?: readonly string[]
  /** One of RATING_STEPS. */
  rating?: string
  sort?: (typeof DIRECTORY_ORDERS)[number] | keyof typeof DIRECTORY_ORDER_ALIASES
  page: number
  limit: number
}

export const browseDirectories = (ctx: Context, query: DirectoryQuery): Promise<Browsed<Directory>> =>
  cached(ctx, 'browse_directories', query, (snapshot, nearness) => {
    const { taxonomy } = snapshot
    const { category, cost = [], badge, rating, sort } = query
    const types = query.type?.map((one) => one.toLowerCase()) ?? []
    const order = sort && DIRECTORY_INDEX_ORDERS[isAlias(sort) ? DIRECTORY_ORDER_ALIASES[sort] : sort]
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
        { name: 'cost', values: COST, chosen: cost },
        { name: 'type', values: USUAL_LINK_TYPES.map((one) => one.toLowerCase()), chosen: types },
        { name: 'badge', values: BADGES, chosen: oneValue(badge) },
      ],
      withDeal,
    )
    const question = wholeQuestion('directories', query, [category, cost[0], badge, types[0], rating])
    return { found, match: matchOf(found), unfound: unfoundOf(question, found) }
  })

/** Filters that have another name on the site. */
const SITE_NAMES: Readonly<Record<string, string>> = { minDomainRating: 'rating' }

const isAlias = (name: string): name is keyof typeof DIRECTORY_ORDER_ALIASES => name in DIRECTORY_ORDER_ALIASES

function browse(
  kind: ListedKind,
  { taxonomy, ...catalogs }: Snapshot,
  given: { q?: string; facts?: Question['facts']; page: number; limit: number },
  conditions: Omit<SearchQuery, 'offset' | 'limit'>,
  facets: readonly Facet[],
  read = parsed,
): Browsed<unknown> {
  const labelled = facets.map(({ name, values, chosen }) => {
    const counted = [...new Set([...values, ...chosen])]
    const labelOf = (value: string) => `${name}:${value}`
    return { values: counted, labels: counted.map(labelOf), chosen: chosen.map(labelOf) }
  })
  const { q, facts, page, limit } = given
  const listings = catalogs[TOPIC[kind]]
  const any = labelled.flatMap(({ chosen }) => (chosen.length > 0 ? [chosen] : []))
  const { result, query } = askIndex(kind, listings, taxonomy, {
    ...{ q, facts, ...conditions, any, partial: true, explain: true, offset: (page - 1) * limit, limit },
    isGiven: (filter) => isGivenIn(given)(SITE_NAMES[filter] ?? filter),
  })
  // What the question says about a filter is a condition of every count; what the visitor has chosen is counted for each filter.
  const stated = query.any?.slice(any.length)
  const counts = listings.index.countFacets({ ...query, any: stated }, labelled)
  return {
    ...foundIn(result, read),
    pagination: paginate(page, limit, result.total),
    counts: Object.fromEntries(
      facets.map(({ name, most }, at) => [name, byValue(labelled[at]?.values ?? [], counts[at] ?? [], most)]),
    ),
  }
}

function byValue(values: readonly string[], counts: readonly number[], most = values.length): Record<string, number> {
  const pairs = values.map((value, at) => [value, counts[at] ?? 0] as const).filter(([, count]) => count > 0)
  return Object.fromEntries(pairs.length > most ? pairs.sort(([, a], [, b]) => b - a).slice(0, most) : pairs)
}

const parsed = ({ json }: Listing): unknown => JSON.parse(json.toString())

/** The site's table of directories shows deals, which the JSON of a search result does not have. */
const withDeal = (listing: Listing): unknown => {
  const { deal }: Directory = JSON.parse(listing.extras.toString())
  return { ...JSON.parse(listing.json.toString()), deal }
}

const foundIn = ({ items, total, full, explained }: SearchResult<Listing>, read = parsed): Found<unknown> => ({
  listings: items.map(read),
  total,
  full,
  matched: items.map((_, at) => explained?.hits[at]?.map(({ word }) => word) ?? []),
})

export interface FoundInBoth {
  tools: Found<Tool>
  directories: Found<Directory>
  /** The group to show first. */
  first: 'tools' | 'directories'
}

const CATALOG_WORDS = { tools: /\btools?\b/i, directories: /\bdirector(?:y|ies)\b/i }

/** The best tools and directories for one question, without adult listings. `isTyped`: the visitor still types, so it is not counted. */
export const searchBoth = (ctx: Context, query: { q: string; limit: number; isTyped?: true }): Promise<FoundInBoth> =>
  cached(ctx, 'search_both', query, ({ tools, directories, taxonomy }, nearness) => {
    const { q, limit } = query
    const search = { q, limit, partial: true, explain: true, offset: 0, nearness, isGiven: () => false }
    // What has ended is found by those who ask for it, and is not suggested.
    const none = query.isTyped ? [LAST] : []
    const { result: foundTools } = askIndex('tool', tools, taxonomy, { ...search, none: ['adult', ...none] })
    const { result: foundDirectories } = askIndex('directory', directories, taxonomy, { ...search, none })
    const ofDirectories = strengthOf(foundDirectories, CATALOG_WORDS.directories.test(q))
    const first = isStronger(ofDirectories, strengthOf(foundTools, CATALOG_WORDS.tools.test(q)))
      ? 'directories'
      : 'tools'
    const sums = {
      total: foundTools.total + foundDirectories.total,
      full: foundTools.full + foundDirectories.full,
    }
    return {
      found: { tools: foundIn(foundTools), directories: foundIn(foundDirectories), first },
      match: matchOf(sums),
      unfound: unfoundOf({ q, searched: 'both', isWhole: !query.isTyped }, sums),
    }
  })

/**
 * How good the best hit of a group is, the most important first: whether there is one; whether the question is its whole name; whether
 * the question says which catalog it asks for; whether the hit has every word; how many words it has; and the points of these words, by field and quality. Scores of partial matches are not compared,
 * because they depend on how rare a word is in each catalog. The tools come first when all are equal.
 */
function strengthOf({ total, full, explained }: SearchResult<unknown>, isNamed: boolean): readonly number[] {
  const best = explained?.hits[0] ?? []
  return [
    Number(total > 0),
    Number(explained?.isName ?? false),
    Number(isNamed),
    Number(full > 0),
    best.length,
    pointsOf(best),
  ]
}

const pointsOf = (hits: readonly WordHit[]): number =>
  hits.reduce((sum, { field, quality }) => sum + (FIELD[field] ?? 0) + quality, 0)

function isStronger(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((value, index) => value !== other[index])
  return at !== -1 && (one[at] ?? 0) > (other[at] ?? 0)
}

interface MadeAnswer {
  found: unknown
  match: SearchMatch
  unfound: UnfoundAnswer | undefined
}

const matchOf = ({ total, full }: { total: number; full: number }): SearchMatch => (full < total ? 'partial' : 'full')

/** The answer is cached as JSON, because the cache counts bytes and a page must not change a cached value. */
async function cached<T>(
  ctx: Context,
  name: string,
  query: { q?: string },
  make: (snapshot: Snapshot, nearness?: Nearness) => MadeAnswer,
): Promise<T> {
  const { prepared } = await searchAnswer(ctx, name, query, (snapshot, nearness) => {
    const { found, ...answer } = make(snapshot, nearness)
    return { ...answer, json: Buffer.from(JSON.stringify(found)) }
  })
  return JSON.parse(prepared.json.toString())
}
