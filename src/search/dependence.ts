// What a result depends on, so that it can be remembered while changes of other documents cannot affect it.
import type { Selection } from './explain.ts'
import type { SearchQuery } from './index-interface.ts'
import type { Extent, Match, Matcher } from './matching.ts'
import { LEAST_RARITY, mostPoints, neededWords, type RatedWord, type WordTerms } from './partial.ts'
import type { PartialSelection } from './partial-selection.ts'
import type { Dependence, DependentWord, PartialDependence } from './recent-changes.ts'
import { QUALITY, type Vocabulary } from './vocabulary.ts'
import { hasForms, stemOf } from './word-forms.ts'

interface Sources {
  matcher: Pick<Matcher, 'resolve' | 'rate'>
  vocabulary: Pick<Vocabulary, 'textOf'>
  extent(): Extent
}

/** What a result depends on; undefined: any change may affect it. `at`: the number of changes so far. */
export function dependenceOf(
  sources: Sources,
  query: SearchQuery,
  match: Match,
  { documents, partial: selection }: Selection,
  at: number,
): Dependence | undefined {
  const { q = '', all = [], any = [], none = [], nearness } = query
  const { words = [], inexact = 0 } = match
  // Words that no document has are named in a result of nothing, but only where the filters leave a document.
  const isNothing = selection ? selection.documents.length === 0 && words.some(isMissing) : match.total === 0
  // Or a model elsewhere ranks the partial matches, or a word may be a misspelling of very many.
  if (q.trim() !== '' && (isNothing || (selection && nearness) || words.some(isVague))) return undefined
  const wordOf = new Map(words.map((one) => [one, dependentWord(one, sources)]))
  const resolved = resolutionOf(words, sources)
  return {
    ...{ all, any, none, at },
    words: neededWords(words).map((one) => wordOf.get(one)!),
    ranking: [...wordOf.values()],
    inexact,
    hasUnknown: words.some(({ isKnown }) => !isKnown),
    isResolvedAlike: () => resolutionOf(sources.matcher.resolve(query), sources) === resolved,
    partial: selection && partialDependence(sources, query, match, selection, [...wordOf.values()]),
    leastScore: selection ? undefined : leastScoreOf(query, match, documents),
  }
}

/** Undefined if the score of a document depends on more than which words of the query it has, or the order on more than the score. */
function leastScoreOf(query: SearchQuery, match: Match, page: ArrayLike<number>): number | undefined {
  const { words = [], scored, isName } = match
  const { order, arrange, ranges = [], prefer = [], limit } = query
  // With a match of that name, partial matches are not looked for.
  const isByWords = order === undefined && !arrange && !isName && ranges.length + prefer.length === 0
  if (!isByWords || page.length < limit || words.some((word) => word.isOptional || word.isWhole)) return undefined
  return scored?.score[page[limit - 1] ?? -1]
}

const isMissing = ({ terms }: WordTerms): boolean => terms.length === 0

const isVague = ({ isKnown, terms }: WordTerms): boolean => !isKnown && terms.length > MOST_MEANT

/** The texts of so many terms are kept with a result. */
const MOST_MEANT = 200

/** A word that the index knows is the same while it does. The others: the terms that they are taken for. */
const resolutionOf = (words: readonly WordTerms[], { vocabulary }: Sources): string =>
  words
    .map(({ word, isKnown, terms }) => {
      const near = isKnown ? [] : terms.filter((entry) => (entry & 3) !== QUALITY.prefix)
      return [isKnown, word, ...near.map((entry) => `${entry & 3}${vocabulary.textOf(entry >>> 2)}`)].join(' ')
    })
    .join()

function dependentWord({ word, joined, terms }: WordTerms, { vocabulary }: Sources): DependentWord {
  const texts = [word, ...joined]
  const misspelt = terms.filter((entry) => (entry & 3) === QUALITY.typo)
  return {
    word,
    texts: [...texts, ...misspelt.map((entry) => vocabulary.textOf(entry >>> 2))],
    stems: texts.filter(hasForms).map(stemOf),
  }
}

function partialDependence(
  { matcher, extent }: Sources,
  query: SearchQuery,
  match: Match,
  { leastPoints, isTooFar }: PartialSelection,
  words: readonly DependentWord[],
): PartialDependence {
  const { rated = [] } = match
  const { meanLength, size } = extent()
  let ratedSize = size
  const rating = ratingOf(match, meanLength)
  return {
    rated: rated.map(({ word, rarity, terms: [first = 0] }) => ({
      ...words.find((one) => one.word === word)!,
      ...{ rarity, isLonger: (first & 3) === QUALITY.prefix },
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
