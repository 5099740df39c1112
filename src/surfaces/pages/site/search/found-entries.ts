// The entries of a search result, and the sentences that say which of them match every search word.
import type { Found } from '../../../../features/catalog/site/site-search.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { number } from '../../kit/values.ts'
import type { MatchReason } from './reasons.ts'
import { partialSentence } from './understood.ts'

/** What a visitor can do when nothing is found; undefined when the search has neither words nor filters. */
export function nothingFoundAdvice(q: string, filters: number): string | undefined {
  if (filters === 0) return q ? 'Try other words.' : undefined
  return q ? 'Try other words, or take a filter away.' : 'Take a filter away.'
}

/** How entries are shown. */
export interface ShownEntries {
  why: readonly MatchReason[]
  isPartial: boolean
}

/** As `closest`: no sentence, because the page has already said what is missing. */
export const WITHOUT_SENTENCE = ''

/**
 * The full matches, then the partial matches under a sentence that says so. `first`: the place of the page's first listing in the whole
 * result. `closest`: the sentence where there are only partial matches; by default it says that no listing matches fully. `rest`: the
 * sentence after full matches; by default it counts them. `isSorted`: the visitor has chosen the order.
 */
export function foundEntries<T>(
  found: Found<T>,
  given: {
    first?: number
    noun: string
    why: readonly MatchReason[]
    closest?: string
    rest?: string
    isSorted: boolean
  },
  list: (listings: readonly T[], shown: ShownEntries) => Markup,
): Markup {
  const { listings, total, fullMatches: full } = found
  const { first = 0, noun, why, closest, rest = restSentence(full) } = given
  const fullHere = Math.max(0, Math.min(full - first, listings.length))
  const isPartial = full < total && fullHere < listings.length
  const partial = why.slice(fullHere)
  const isByCount = partial.every(({ met }, at) => at === 0 || met.length <= (partial[at - 1]?.met.length ?? 0))
  const sentence = full > 0 ? rest : (closest ?? partialSentence(found, noun))
  return html`${fullHere > 0 && list(listings.slice(0, fullHere), { why: why.slice(0, fullHere), isPartial: false })}
${
  isPartial &&
  html`${sentence && html`<p class="note">${sentence}</p>`}
${list(listings.slice(fullHere), { why: partial, isPartial: true })}
${!given.isSorted && !isByCount && html`<p class="note">Rare words and closeness in meaning count more than the number of words.</p>`}`
}`
}

const restSentence = (full: number): string =>
  `${number(full)} ${full === 1 ? 'matches' : 'match'} every word. These match some of them:`
