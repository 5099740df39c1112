// What the headers of a search say about its question: X-Catalog-Understood and X-Catalog-Missing.
import type { SearchResult } from '../../../search/index.ts'
import type { GivenFilters } from './conditions.ts'
import { pairOf, pairsNotGiven } from './statements.ts'
import type { Understood } from './understand.ts'

/**
 * What was understood, as `name=value` with the names of filters, each value as the filter takes it. '' when nothing was understood. When a
 * question rules out every value of a filter, the filter cannot say so, and is left out. `terms`: the facets of categories and tags.
 */
export const understoodHeader = (read: Understood, terms: readonly string[], given: GivenFilters): string =>
  inHeader(
    [...pairsNotGiven(read, given), ...terms.map(pairOf)].flatMap(({ name, value, isBelow }) =>
      value === '' ? [] : `${name}=${encodeURIComponent(isBelow ? justBelow(Number(value)) : value)}`,
    ),
    ', ',
  )

/** Domain Ratings have one decimal, so no rating is between this value and the bound. */
const justBelow = (value: number): number => Math.max(0, Number((value - 0.01).toFixed(2)))

const MOST_MISSING = 5

/** Longer words are left out, because no client would show them. */
const LONGEST_MISSING = 40

/** The words that no listing has; '' with a full match. */
export const missingHeader = ({ missing = [] }: SearchResult<unknown>): string =>
  inHeader(
    missing
      .filter((word) => word.length <= LONGEST_MISSING)
      .slice(0, MOST_MISSING)
      .map(encodeURIComponent),
    ',',
  )

/** Clients and proxies refuse answers with long headers. */
const LONGEST_HEADER = 1_024

/** The distinct values, up to the first for which the header has no room. The values are percent-encoded. */
function inHeader(values: readonly string[], separator: string): string {
  let text = ''
  for (const value of new Set(values)) {
    const longer = text === '' ? value : `${text}${separator}${value}`
    if (longer.length > LONGEST_HEADER) break
    text = longer
  }
  return text
}
