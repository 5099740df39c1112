// The entries of a search result, and the sentences that say which of them match every search word.
import { html, type Markup } from '../kit/markup.ts'
import { number } from '../kit/values.ts'

/** A part of a search result: a page, or the best of a group. */
export interface FoundPart<T> {
  listings: readonly T[]
  total: number
  /** How many of the whole result match every word; they come first. */
  full: number
  /** For each listing: the search words that it contains. */
  matched: readonly (readonly string[])[]
}

/** What to do when a search with filters finds nothing. */
export const NOTHING_FOUND = 'Try other words, or fewer filters.'

/** The full matches, then the partial ones under a sentence that says so. `first`: the place of the first listing in the result. */
export function foundEntries<T>(
  { listings, total, full, matched }: FoundPart<T>,
  first: number,
  noun: string,
  list: (listings: readonly T[], matched?: readonly (readonly string[])[]) => Markup,
): Markup {
  const fullHere = Math.max(0, Math.min(full - first, listings.length))
  const isPartial = full < total && fullHere < listings.length
  return html`${fullHere > 0 && list(listings.slice(0, fullHere))}
${
  isPartial &&
  html`<p class="note">${partialSentence(full, noun)}</p>
${list(listings.slice(fullHere), matched.slice(fullHere))}`
}`
}

const partialSentence = (full: number, noun: string): string =>
  full === 0
    ? `No ${noun} matches every word. These match best:`
    : `${number(full)} ${full === 1 ? 'matches' : 'match'} every word. These match some of them:`
