// The searches of the site: of tools, of directories, and of both at once. Beside the listings they return counts for the filters, and the
// words that each match has. Index, conditions, ranking and caching are the same as those of the operations.
import type { Static } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import type { Nearness } from '../../kernel/embedding-model.ts'
import { type Pagination, paginate, type SearchMatch, type UnfoundAnswer } from '../../kernel/output.ts'
import { FIELD, type SearchQuery, type SearchResult, shortParts, type WordHit, words } from '../../search/index.ts'
import { browsableSlugs } from './browse.ts'
import {
  conditions,
  DIRECTORY_INDEX_ORDERS,
  givenIn,
  includesAdult,
  NO_FILTERS_GIVEN,
  slugsInCondition,
  TOOL_INDEX_ORDERS,
  toolTerms,
} from './conditions.ts'
import type { searchTools } from './operations.ts'
import { type Asked, askIndex, type Question, type Statement } from './question.ts'
import { formsIn, quoteOf, wordsOf } from './quote.rules.ts'
import { unfoundOf, wholeQuestion } from './reads.ts'
import { HAS_ENDED, type Listing, PRICE_STEPS, RATING_STEPS, STAR_STEPS } from './rules.ts'
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
  fullMatches: number
  /** For each listing: why it was found. */
  reasons: Reason[]
  /** How many words were asked for. */
  asked: number
  /** What the question says about listings; `left`: how many match fully without it, where it is one of several and they are more. */
  stated: (Statement & { left?: number })[]
  /** The other words of the question, each with the question without it. None is unknown of which a listing has a form. */
  words: Asked['words']
  /** The misspelt words of the question, with those that were searched for instead. */
  respelt?: Asked['respelt']
  /** Whether the listings have the facts of the question; `othersHaveFacts`: whether others do, where these do not. */
  keepsFacts: boolean
  othersHaveFacts?: boolean
}

/** Why a listing was found; its words are those of the listing. */
export interface Reason {
  /** The words of the question that the listing has, as they were typed. */
  has: string[]
  /** How many words of the question it has, or a form of them. */
  met: number
  /** The words of the question that are in its name, and those in its other texts. */
  named: string[]
  mentioned: string[]
  /** Whether the listing has a word of the question only among its search words, which are not shown. */
  hasUnshown: boolean
  /** The words of the question that a partial match lacks; none of which it has a form. */
  lacks: string[]
  /** The words to mark in its texts. */
  terms: string[]
  /** A sentence of its description with such words; '' when name and tagline have them all. */
  quote: string
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
  /** Counts are returned for at most this many values: those that leave the most listings. */
  most?: number
}

// More options would make the page heavier than the listings on it; the pages of all categories and tags show the rest.
const MOST_TERMS = 30

export type ToolQuery = Omit<Static<typeof searchTools.parameters>, 'pricing' | 'minRating'> & {
  pricing?: readonly (typeof PRICING)[number][]
  /** One of STAR_STEPS. */
  minRating?: string
  sort?: (typeof TOOL_ORDERS)[number]
}

const oneValue = (value: string | undefined): readonly string[] => (value === undefined ? [] : [value])

export const browseTools = (ctx: Context, query: ToolQuery): Promise<Browsed<Tool>> =>
  cached(ctx, 'browse_tools', query, (snapshot, nearness) => {
    const { category, tag, pricing = [], minRating, featured, sort } = query
    const order = sort && TOOL_INDEX_ORDERS[sort]
    const named = toolTerms(snapshot.taxonomy, query)
    const isAdult = includesAdult(snapshot.taxonomy, named, query.includeAdult)
    const { all, none } = conditions({}, { featured, adult: isAdult })
    const found = browse('tool', snapshot, query, { all, none, order, nearness }, [
      {
        ...{ name: 'category', values: browsableSlugs(snapshot, 'category') },
        ...{ chosen: named.category ?? [], most: MOST_TERMS },
      },
      { name: 'tag', values: browsableSlugs(snapshot, 'tag'), chosen: named.tag ?? [], most: MOST_TERMS },
      { name: 'pricing', values: PRICING, chosen: pricing },
      { name: 'minRating', values: STAR_STEPS.map(String), chosen: oneValue(minRating) },
    ])
    const question = wholeQuestion('tools', query, [category, tag, pricing[0], minRating, featured])
    return { found, match: matchOf(found), unfound: unfoundOf(question, found) }
  })

export interface DirectoryQuery {
  q?: string
  facts?: Question['facts']
  category?: string
  cost?: readonly (typeof COST)[number][]
  badge?: string
  type?: readonly string[]
  /** One of RATING_STEPS. */
  rating?: string
  /** One of PRICE_STEPS. */
  maxPrice?: string
  sort?: (typeof DIRECTORY_ORDERS)[number] | keyof typeof DIRECTORY_ORDER_ALIASES
  page: number
  limit: number
}

export const browseDirectories = (ctx: Context, query: DirectoryQuery): Promise<Browsed<Directory>> =>
  cached(ctx, 'browse_directories', query, (snapshot, nearness) => {
    const { taxonomy } = snapshot
    const { category, cost = [], badge, rating, maxPrice, sort } = query
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
        { name: 'maxPrice', values: PRICE_STEPS.map(String), chosen: oneValue(maxPrice) },
        { name: 'cost', values: COST, chosen: cost },
        { name: 'type', values: USUAL_LINK_TYPES.map((one) => one.toLowerCase()), chosen: types },
        { name: 'badge', values: BADGES, chosen: oneValue(badge) },
      ],
      withDeal,
    )
    const question = wholeQuestion('directories', query, [category, cost[0], badge, types[0], rating, maxPrice])
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
  const question = {
    ...{ q, facts, ...conditions, any, partial: true, explain: true, offset: (page - 1) * limit, limit },
    given: (filter: string) => givenIn(given)(SITE_NAMES[filter] ?? filter),
  }
  const asked = askIndex(kind, listings, taxonomy, question)
  const { query } = asked
  // What the question says about a filter is a condition of every count; what the visitor has chosen is counted for each filter.
  const stated = query.any?.slice(any.length)
  const counts = listings.index.countFacets({ ...query, any: stated }, labelled)
  return {
    ...foundIn(
      kind,
      asked,
      (q) => askIndex(kind, listings, taxonomy, { ...question, q, explain: false, partial: false, limit: 0 }),
      read,
    ),
    pagination: paginate(page, limit, asked.result.total),
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

/** `ask`: the same search for another question, to count what it finds; it is not counted when that is undefined. */
function foundIn(kind: ListedKind, asked: Asked, ask?: (q: string) => Asked, read = parsed): Found<unknown> {
  const { result, stated, words: typed, respelt, keepsFacts, othersHaveFacts } = asked
  const { items, total, full, explained } = result
  const leftWithout = ({ rest }: Statement) => {
    const left = ask && stated.length > 1 && rest !== '' ? ask(rest).result.full : 0
    return left > full && { left }
  }
  const wishes = wishesIn(typed, explained?.asked ?? [])
  const hasForm = items.map((item) => formsIn(() => ownTextOf(kind, item)))
  return {
    ...{
      listings: items.map(read),
      total,
      fullMatches: full,
      respelt,
      keepsFacts,
      othersHaveFacts,
      asked: wishes.length,
    },
    words: typed.map((one) => ({ ...one, isUnknown: one.isUnknown && !hasForm.some((has) => has(one.word)) })),
    stated: stated.map((one) => ({ ...one, ...leftWithout(one) })),
    reasons: items.map((item, at) => {
      const { lacks, ...reason } = reasonOf(explained?.hits[at] ?? [], wishes, kind, item)
      const lacked = lacks.filter((word) => !hasForm[at]?.(word))
      return { ...reason, lacks: lacked.slice(0, MOST_SAID), met: wishes.length - lacked.length }
    }),
  }
}

const MOST_SAID = 6

/** A word that was asked for, with the words of the index that it stands for: "follow-up" is "follow" and "up" there. */
interface Wish {
  word: string
  parts: readonly string[]
  /** Those that say nothing without the others: "made-up" is no mention of "follow-up". */
  short: ReadonlySet<string>
}

/** Every word once, in the order of the question. A part of a compound is a wish of its own only when it was typed alone, too. */
function wishesIn(typed: Asked['words'], asked: readonly string[]): Wish[] {
  const texts = [...new Set(typed.map(({ word }) => word))]
  const compounds = texts.flatMap((word) => {
    const parts = [...new Set(words(word))].filter((part) => asked.includes(part))
    const short = shortParts(word)
    const isShort = parts.every((part) => short.has(part))
    return parts.length > 1 ? [{ word, parts, short: isShort ? new Set<string>() : short }] : []
  })
  const single = [...new Set(asked)].filter(
    (word) => texts.includes(word) || !compounds.some(({ parts }) => parts.includes(word)),
  )
  const placeOf = ({ parts: [first = ''] }: Wish) => asked.indexOf(first)
  return [...compounds, ...single.map((word) => ({ word, parts: [word], short: new Set<string>() }))].sort(
    (one, other) => placeOf(one) - placeOf(other),
  )
}

/** Words of asking are no wishes, so they are no reason, and are not marked. */
function reasonOf(
  found: readonly WordHit[],
  wishes: readonly Wish[],
  kind: ListedKind,
  item: Listing,
): Omit<Reason, 'met'> {
  const isHit = (part: string) => found.some(({ word }) => word === part)
  const isMet = ({ parts }: Wish) => parts.every(isHit)
  // A compound is said by itself only where its parts stand together: "Set things up" mentions set and up, not set-up.
  let own: string | undefined
  const isSaid = (wish: Wish) => wish.parts.length === 1 || isTogether(wish, (own ??= ownWordsOf(kind, item)))
  const said = wishes.filter((wish) => isMet(wish) && isSaid(wish))
  const saidWith = (part: string) => said.filter(({ parts }) => parts.includes(part))
  const hits = found.filter(({ word }) => wishes.some(({ parts, short }) => parts.includes(word) && !short.has(word)))
  const terms = [...new Set(hits.flatMap((hit) => hit.terms))]
  const weak = hits.some(({ field }) => field === 2) ? TEXT_OF[kind](item) : ''
  const isOwn = wordsOf(weak)
  const best = hits.flatMap(({ word, field, terms: [term] }) => (term === undefined ? [] : { word, field, term }))
  const shown = best.filter(({ field, term }) => field !== 2 || isOwn(term))
  const isNamed = ({ parts }: Wish) =>
    parts.every((part) => shown.some(({ word, field }) => word === part && field === 0))
  const saidIn = (isName: boolean) => {
    const all = shown.filter(({ field }) => (field === 0) === isName)
    const sayings = all.flatMap(({ word, term }) => {
      const compounds = saidWith(word).filter((wish) => wish.parts.length > 1 && (!isName || isNamed(wish)))
      return compounds.length > 0 ? compounds.map((wish) => wish.word) : [term]
    })
    return [...new Set(sayings)]
  }
  return {
    has: [
      ...new Set(
        hits.flatMap((hit) => (saidWith(hit.word).length > 0 ? saidWith(hit.word) : [hit]).map(({ word }) => word)),
      ),
    ],
    ...{ named: saidIn(true), mentioned: saidIn(false).slice(0, MOST_SAID), terms },
    hasUnshown: shown.length < best.length,
    lacks: wishes.filter((wish) => !isMet(wish)).map(({ word }) => word),
    quote: weak === '' ? '' : quoteOf(weak, new Set(terms)),
  }
}

/** The weak field of the index, see `toolDocument` and `directoryDocument`. */
const TEXT_OF: Record<ListedKind, (listing: Listing) => string> = {
  tool: ({ json }) => (JSON.parse(json.toString()) as Tool).description,
  directory: ({ extras }) => (JSON.parse(extras.toString()) as Directory).fullDescription ?? '',
}

/** What readers see of a listing in a result, and its description. */
function ownTextOf(kind: ListedKind, listing: Listing): string {
  const { name, tagline, smallDescription }: Partial<Tool & Directory> = JSON.parse(listing.json.toString())
  return [name, tagline, smallDescription, TEXT_OF[kind](listing)].join(' ')
}

/** The same with its terms, read once for a result: a listing may have a megabyte of texts, and a question several compounds. */
function ownWordsOf(kind: ListedKind, listing: Listing): string {
  const { category, categories, tags = [] }: Partial<Tool & Directory> = JSON.parse(listing.json.toString())
  const terms = [category ?? [], categories ?? [], tags].flat().map(({ name }) => name)
  return [...terms, ownTextOf(kind, listing)].join('\n')
}

/** Whether the text has the compound, written as one word, with a hyphen or apart. */
function isTogether({ word }: Wish, text: string): boolean {
  const parts = words(word).map((part) => RegExp.escape(part))
  return new RegExp(parts.join('[^\\p{L}\\p{N}]?'), 'iu').test(text)
}

export interface FoundInBoth {
  tools: Found<Tool>
  directories: Found<Directory>
  /** The group to show first. */
  first: 'tools' | 'directories'
}

const CATALOG_WORDS = { tools: /\btools?\b/i, directories: /\bdirector(?:y|ies)\b/i }

/**
 * The best tools and directories for one question, without adult listings. `isUnfinished`: the visitor still types, so the question is not
 * counted, and what has ended is not suggested. `isCounted: false`: another search of the same page counts the question.
 */
export const searchBoth = (
  ctx: Context,
  query: { q: string; limit: number; facts?: Question['facts']; isUnfinished?: true; isCounted?: boolean },
): Promise<FoundInBoth> =>
  cached(ctx, 'search_both', query, ({ taxonomy, ...catalogs }, nearness) => {
    const { q, limit, facts, isUnfinished, isCounted = !isUnfinished } = query
    const ended = isUnfinished ? [HAS_ENDED] : []
    const search = { limit, facts, partial: true, offset: 0, nearness, given: NO_FILTERS_GIVEN }
    const asking = (kind: ListedKind, explain: boolean) => (q: string) =>
      askIndex(kind, catalogs[TOPIC[kind]], taxonomy, {
        ...{ ...search, q, explain, none: kind === 'tool' ? ['adult', ...ended] : ended },
        ...(!explain && { partial: false, limit: 0 }),
      })
    const [tools, directories] = [asking('tool', true)(q), asking('directory', true)(q)]
    const [foundTools, foundDirectories] = [tools.result, directories.result]
    const ofDirectories = strengthOf(foundDirectories, CATALOG_WORDS.directories.test(q))
    const first = isStronger(ofDirectories, strengthOf(foundTools, CATALOG_WORDS.tools.test(q)))
      ? 'directories'
      : 'tools'
    const sums = {
      total: foundTools.total + foundDirectories.total,
      fullMatches: foundTools.full + foundDirectories.full,
    }
    return {
      found: {
        tools: foundIn('tool', tools, isCounted ? asking('tool', false) : undefined),
        directories: foundIn('directory', directories, isCounted ? asking('directory', false) : undefined),
        first,
      },
      match: matchOf(sums),
      unfound: unfoundOf({ q, searched: 'both', isWhole: isCounted }, sums),
    }
  })

/**
 * How good the best hit of a group is, the most important first: whether there is one; whether the question is its whole name; whether
 * the question says which catalog it asks for; whether the hit has every word; how many words it has; and the points of these words, by
 * field and quality. Scores of partial matches are not compared, because they depend on how rare a word is in each catalog. The tools come
 * first when all are equal.
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

const matchOf = ({ total, fullMatches }: Pick<Found<unknown>, 'total' | 'fullMatches'>): SearchMatch =>
  fullMatches < total ? 'partial' : 'full'

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
