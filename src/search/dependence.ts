// What a result depends on, so that it can be remembered while changes of other documents cannot affect it.
import type { SearchQuery } from './index-interface.ts'
import type { Extent, Match, Matcher } from './matching.ts'
import { LEAST_RARITY, mostPoints, type RatedWord } from './partial.ts'
import type { PartialSelection } from './partial-selection.ts'
import type { Dependence, PartialDependence } from './recent-changes.ts'
import { QUALITY } from './vocabulary.ts'

interface Sources {
  matcher: Pick<Matcher, 'rate'>
  extent(): Extent
}

/** What a result depends on; undefined: any change may affect it. `at`: the number of changes so far. */
export function dependenceOf(
  sources: Sources,
  query: SearchQuery,
  match: Match,
  selection: PartialSelection | undefined,
  at: number,
): Dependence | undefined {
  const { q = '', all = [], any = [], none = [], nearness } = query
  const { required = [], optional = [], longer = 0 } = match
  // A word was taken for a misspelt one or for two; a model elsewhere ranks the partial matches; or nothing was found.
  if (q.trim() !== '' && (match.longer === undefined || (selection ? nearness : match.total === 0))) return undefined
  const partial = selection && partialDependence(sources, query, match, selection)
  return { words: required, ranking: optional, all, any, none, longer, partial, at }
}

function partialDependence(
  { matcher, extent }: Sources,
  query: SearchQuery,
  match: Match,
  { leastPoints, isTooFar }: PartialSelection,
): PartialDependence {
  const { rated = [], optional = [] } = match
  const { meanLength, size } = extent()
  let ratedSize = size
  const rating = ratingOf(match, meanLength)
  return {
    rated: rated.map(({ word, rarity, terms }) => ({
      ...{ word, rarity, isLonger: !isKnownBy(terms) },
      joined: optional.find((typed) => typed.word === word)?.joined ?? [],
    })),
    isRatedAlike(isTouched) {
      const now = extent()
      if (!isTouched && now.size === ratedSize && now.meanLength === meanLength) return true
      // The words may be in more or fewer documents than at first, so only the size of the last comparison tells that nothing has changed.
      ratedSize = now.size
      return ratingOf(matcher.rate(query, now), now.meanLength) === rating
    },
    cannotMatch: ({ length, sketch }, rarities) =>
      (!sketch || isTooFar(sketch)) &&
      (sumOf(rarities) < LEAST_RARITY ||
        sumOf(rarities.map((rarity) => mostPoints(rarity, length, meanLength))) < leastPoints),
  }
}

/** Equal when the same words count, each as much as before. */
const ratingOf = ({ rated = [], askedRarity }: Pick<Match, 'rated' | 'askedRarity'>, meanLength: number): string =>
  [meanLength, askedRarity, ...rated.map(({ word, rarity, terms }) => `${word} ${rarity} ${isKnownBy(terms)}`)].join()

/** Whether the word itself or a form of it counts, not longer words. */
const isKnownBy = ([first = 0]: RatedWord['terms']): boolean => (first & 3) >= QUALITY.form

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)
