// Turns the filters and the order of a search of the catalog into conditions and orders of the search index.
import type { NumberRange, SearchQuery } from '../../../search/index.ts'
import type { Taxonomy } from '../rules.ts'
import type { DIRECTORY_ORDERS, TOOL_ORDERS } from '../schema.ts'
import { slugsNamed, type TermMap } from '../terms/term-lists.ts'

/** The values of each filter of a search, by the filter's name. A listing must have one of the values of each filter. */
type FilterValues = Readonly<Record<string, string | readonly string[] | undefined>>

/** The filters as facets that a listing must have (`all`, and one of each list in `any`) and must not have (`none`). */
export function facetConditions(
  values: FilterValues,
  { featured, adult }: { featured?: boolean | undefined; adult: boolean },
) {
  const all: string[] = []
  const any: string[][] = []
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    const labels = [value].flat().map((one) => `${name}:${one}`)
    const [only] = labels
    if (labels.length === 1 && only !== undefined) all.push(only)
    else any.push(labels)
  }
  const none = adult ? [] : ['adult']
  if (featured !== undefined) (featured ? all : none).push('featured')
  return { all, any, none }
}

/** The order of the index for each order that callers name. `toolDocument` and `directoryDocument` say what its numbers are. */
export const TOOL_INDEX_ORDERS = {
  match: undefined,
  opens: 'popular-then-newest',
  newest: 'default',
  rating: 'first-number',
} satisfies Record<(typeof TOOL_ORDERS)[number], SearchQuery['order']>

export const DIRECTORY_INDEX_ORDERS = {
  match: undefined,
  'domain-rating': 'default',
  // All directories have popularity 0, so this order is newest first.
  newest: 'popular-then-newest',
  visits: 'first-number',
  price: 'second-number',
} satisfies Record<(typeof DIRECTORY_ORDERS)[number], SearchQuery['order']>

type RangeName = 'minRating' | 'minDomainRating' | 'maxDomainRating' | 'maxPrice' | 'minPrice'

/** Turns a bound, which a filter or a fact in a question gives, into a condition of the index. */
export const RANGES: Record<RangeName, (value: number, isBelow?: boolean) => NumberRange> = {
  minRating: (value) => ({ of: 'first-number', least: value }),
  minDomainRating: (value) => ({ of: 'default-number', least: value }),
  maxDomainRating: (value, isBelow) => ({ of: 'default-number', ...(isBelow ? { below: value } : { most: value }) }),
  // Prices are negative in the index, because the cheapest come first.
  maxPrice: (value) => ({ of: 'second-number', least: -value }),
  minPrice: (value) => ({ of: 'second-number', most: -value }),
}

/** The ranges of the bounds that the caller has set. */
export const rangesOf = (bounds: Partial<Record<RangeName, number>>): NumberRange[] =>
  Object.entries(RANGES).flatMap(([name, range]) => {
    const value = bounds[name as RangeName]
    return value === undefined ? [] : range(value)
  })

/** Returns the values that the caller has given for the filter of this name; none when it was not given. */
export type GivenFilters = (filter: string) => readonly string[]

export const givenIn =
  (input: object): GivenFilters =>
  (filter) =>
    Object.entries(input).flatMap(([name, value]) =>
      name === filter && value !== undefined ? [value].flat().map(String) : [],
    )

export const NO_FILTERS_GIVEN: GivenFilters = () => []

/** The link types that a filter names. A type is any text and may contain commas: the whole text counts as one, and each of its parts. */
export const linkTypes = (text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : [...new Set([text, ...text.split(',')].map((one) => one.trim().toLowerCase()))]

/** The slugs that a filter by category or tag names; undefined without the filter. */
export const slugsInCondition = (terms: TermMap, text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : slugsNamed(terms, text)

/** A client that names this category, or an adult tag, opts in to adult listings as with `includeAdult`. */
const NSFW = 'nsfw'

interface TermSlugs {
  category?: readonly string[]
  tag?: readonly string[]
}

export const toolTerms = ({ categories, tags }: Taxonomy, named: { category?: string; tag?: string }): TermSlugs => ({
  category: slugsInCondition(categories, named.category),
  tag: slugsInCondition(tags, named.tag),
})

export const includesAdult = ({ tags }: Taxonomy, { category, tag }: TermSlugs, includeAdult?: boolean): boolean =>
  includeAdult === true || category?.includes(NSFW) === true || tag?.some((slug) => tags.get(slug)?.adult) === true
