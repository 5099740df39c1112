// A search with a question: what the question says in facts is a condition like a filter, the rest is searched as words. REST, MCP, the
// site and the operator's explanation all search through `askIndex`, so that they agree.
import { MOST_PREFERRED, type SearchQuery, type SearchResult } from '../../search/index.ts'
import { conditions, RANGES } from './conditions.ts'
import type { ListingIndex } from './listing-states.ts'
import type { Listing, Taxonomy } from './rules.ts'
import type { ListedKind } from './schema.ts'
import { slugsSpelled, type TermMap } from './term-lists.ts'
import { isSaidInAsking, type Understood, understand } from './understand.ts'

export interface Question extends SearchQuery {
  /** off: the question is searched as words alone. */
  facts?: 'on' | 'off'
  /** Whether the caller has set this filter. */
  isGiven(filter: string): boolean
}

export interface Asked {
  result: SearchResult<Listing>
  /** The query that gave the result. */
  query: SearchQuery
  /** What was understood, as filters; '' when nothing was. */
  understood: string
  /** The words that no listing has, separated by commas; '' with a full match. */
  missing: string
  /** Whether the result would still be the same; undefined: it holds until the next change. */
  stillHolds?: () => boolean
}

export function askIndex(
  kind: ListedKind,
  listings: ListingIndex,
  taxonomy: Taxonomy,
  { facts, isGiven, ...query }: Question,
): Asked {
  const { index } = listings
  const { q = '' } = query
  if (facts === 'off' || q.trim() === '') return withoutFacts(listings, query)
  // A reader who types the whole name of a listing looks for that listing, whatever facts its name seems to state.
  if (index.isName(q)) return whileNamed(listings, q, withoutFacts(listings, query))
  const read = understand(kind, q, isGiven)
  const terms = termsIn(kind, listings, taxonomy, read, isGiven)
  const understood = textOf(read, terms)
  const { first, withoutFacts: others } = readings(kind, query, read, terms)
  let asked = respelt(index, read, first, false) ?? found(index, first)
  if (asked.result.total === 0) asked = respelt(index, read, first, true) ?? asked
  const lacking = asked.result.total === 0 && others ? found(index, others) : asked
  if (lacking.result.total > 0) asked = lacking
  const result = asked.query === others ? { ...asked.result, full: 0 } : asked.result
  const { dependsOn } = result
  return whileNamed(listings, q, {
    result,
    query: asked.query,
    understood,
    missing: missingIn(result),
    ...(dependsOn && asked.query === first && { stillHolds: () => index.stillHolds(dependsOn) }),
  })
}

function withoutFacts({ index }: ListingIndex, query: SearchQuery): Asked {
  const result = index.find(query)
  const { dependsOn } = result
  return {
    ...{ result, query, understood: '', missing: '' },
    ...(dependsOn && { stillHolds: () => index.stillHolds(dependsOn) }),
  }
}

/** Whether the question is the name of a listing decides how it is read. */
function whileNamed({ index }: ListingIndex, q: string, asked: Asked): Asked {
  const { stillHolds } = asked
  const isName = index.isName(q)
  return stillHolds ? { ...asked, stillHolds: () => index.isName(q) === isName && stillHolds() } : asked
}

const found = (index: ListingIndex['index'], query: SearchQuery) => ({ query, result: index.find(query) })

/** The result for what was probably meant by misspelt words. It is right only if listings match every word. */
function respelt(index: ListingIndex['index'], { words }: Understood, query: SearchQuery, isBold: boolean) {
  const isShort = words.filter((word) => !isSaidInAsking(word)).length <= MOST_RESPELT
  const q = isShort && query.q !== undefined ? index.respelt(query.q, isBold) : undefined
  if (q === undefined) return undefined
  const asked = found(index, { ...query, q })
  return asked.result.full > 0 ? asked : undefined
}

/** The way to read the question, and one for when that finds nothing: listings that lack a fact are shown as partial matches. */
function readings(
  kind: ListedKind,
  query: SearchQuery,
  read: Understood,
  terms: readonly string[],
): { first: SearchQuery; withoutFacts?: SearchQuery } {
  const lenient = { ...query, lenient: true }
  const hasFacts = Object.keys(read.values).length + read.bounds.length > 0
  if (!hasFacts) return { first: { ...lenient, ...preferring(query, terms) } }
  const found = conditions(labelled(read.values), undefined, true)
  const withFacts = {
    ...lenient,
    all: [...(query.all ?? []), ...found.all],
    any: [...(query.any ?? []), ...found.any],
    ranges: [...(query.ranges ?? []), ...read.bounds.map(({ bound, value, isBelow }) => RANGES[bound](value, isBelow))],
    ...preferring(query, [...read.first, ...terms]),
  }
  if (read.isFactsAlone) return { first: { ...withFacts, q: undefined, order: query.order ?? ORDER_OF_FACTS[kind] } }
  return { first: { ...withFacts, q: read.rest }, ...(query.partial && { withoutFacts: lenient }) }
}

/** Of a longer question not every word is misspelt; each costs a look at all words of the catalog. */
const MOST_RESPELT = 4

/** A chosen order holds for all of the result. */
const preferring = ({ order }: SearchQuery, labels: readonly string[]): Pick<SearchQuery, 'prefer'> =>
  order === undefined && labels.length > 0 ? { prefer: [...new Set(labels)].slice(0, MOST_PREFERRED) } : {}

/** The order of listings that have the facts of a question without other words, as of equally relevant ones. */
const ORDER_OF_FACTS = { tool: 'popular-then-newest', directory: 'default' } as const satisfies Record<
  ListedKind,
  SearchQuery['order']
>

/** Facets have link types in lower case. */
const labelled = ({ type, ...values }: Understood['values']) => ({
  ...values,
  ...(type && { type: type.map((one) => one.toLowerCase()) }),
})

const LONGEST_NAME = 6

/**
 * The facets of the categories and tags whose whole name is in the question, those with the longest names first. A name of one word counts
 * only when nothing else is asked for: "speech to text" is not about the category Speech.
 */
function termsIn(
  kind: ListedKind,
  { index }: ListingIndex,
  { categories, tags, directoryCategories }: Taxonomy,
  { words }: Understood,
  isGiven: (filter: string) => boolean,
): string[] {
  const lists: Record<string, TermMap<{ slug: string; name: string; adult?: boolean }>> = kind === 'tool'
    ? { category: categories, tag: tags }
    : { category: directoryCategories }
  const asked = Object.entries(lists).filter(([filter]) => !isGiven(filter))
  const isTaken = new Set<number>()
  const telling = words.filter((word) => !isSaidInAsking(word))
  const found: string[] = []
  for (let length = LONGEST_NAME; length > 0; length--)
    for (let from = 0; from + length <= words.length; from++) {
      const spelled = words.slice(from, from + length)
      if (
        spelled.every(isSaidInAsking) ||
        (length === 1 && telling.length > 1) ||
        spelled.some((_, at) => isTaken.has(from + at))
      )
        continue
      const labels = asked.flatMap(([filter, terms]) =>
        slugsSpelled(terms, spelled)
          .filter((slug) => !terms.get(slug)?.adult)
          .map((slug) => `${filter}:${slug}`),
      )
      const used = labels.filter((label) => index.count(label) > 0)
      if (used.length === 0) continue
      found.push(...used)
      for (let at = from; at < from + length; at++) isTaken.add(at)
    }
  return found
}

/** As `name=value`, with the names of filters. */
function textOf({ values, bounds, first }: Understood, terms: readonly string[]): string {
  const pairs = [
    ...Object.entries(values).map(([filter, named]) => {
      const only = first.find((label) => label.startsWith(`${filter}:`))?.slice(filter.length + 1)
      return [filter, only && named.length === 2 ? only : named.join(',')] as const
    }),
    ...bounds.map(({ bound, value }) => [bound, String(value)] as const),
    ...terms.map((label) => label.split(':', 2) as [string, string]),
  ]
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join(', ')
}

const MOST_MISSING = 5

const missingIn = ({ missing = [] }: SearchResult<unknown>): string =>
  missing.slice(0, MOST_MISSING).map(encodeURIComponent).join(',')
