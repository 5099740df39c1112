// What a result depends on, so that it can be remembered while changes of other documents cannot affect it.
import type { SearchQuery, SearchResult } from '../index-interface.ts'
import { labelPoints } from '../matching/match-points.ts'
import type { Extent, Match, Matcher } from '../matching/matching.ts'
import { LEAST_RARITY, mostPoints, type RatedWord } from '../partial/partial.ts'
import type { PartialSelection } from '../partial/partial-selection.ts'
import type { Documents } from '../stored/documents.ts'
import type { Facets } from '../stored/facets.ts'
import type { NamedOrder, OrderNumber } from '../stored/orders.ts'
import { qualityOf, termOf } from '../stored/packed-numbers.ts'
import { neededWords, type WordTerms } from '../terms/resolve-words.ts'
import { QUALITY, type Vocabulary } from '../terms/vocabulary.ts'
import { queryWords } from '../words/query-words.ts'
import { hasForms, nameStems, stemOf } from '../words/word-forms.ts'
import type { PageSelection } from './page-selection.ts'
import { type Dependence, type DependentWord, mostScore, type PartialDependence } from './recent-changes.ts'

interface Sources {
  matcher: Pick<Matcher, 'resolve' | 'rate'>
  vocabulary: Pick<Vocabulary, 'textOf' | 'version' | 'isKnown'>
  documents: Pick<Documents<unknown>, OrderNumber>
  facets: Pick<Facets, 'labelsOf'>
  orderNamed(name: SearchQuery['order']): NamedOrder
  extent(): Extent
}

/** Returns what a result depends on; undefined when any change may affect it. `changeCount`: the number of changes so far. */
export function dependenceOf(
  sources: Sources,
  query: SearchQuery,
  match: Match,
  { documents: page, partial: selection }: PageSelection,
  result: SearchResult<unknown>,
  changeCount: number,
): Dependence | undefined {
  const { q = '', all = [], any = [], none = [] } = query
  const { words = [], inexact = 0 } = match
  if (q.trim() !== '' && dependsOnAnyChange(query, match, selection)) return undefined
  const dependentWords = new Map(words.map((one) => [one, dependentWord(one, sources)]))
  const { vocabulary } = sources
  const hasUnknown = words.some(({ isKnown }) => !isKnown)
  const resolution = hasUnknown ? resolutionOf(words, sources) : ''
  /** The version of the vocabulary for which the words are known to be resolved alike. */
  let resolvedVersion = vocabulary.version()
  /** A known word stands for itself, so other terms than the known words matter only where a word is unknown. */
  const areResolvedAlike = () =>
    hasUnknown
      ? resolutionOf(sources.matcher.resolve(query), sources) === resolution
      : words.every(({ word }) => vocabulary.isKnown(word))
  const needed = neededWords(words).map((one) => dependentWords.get(one)!)
  const lastOfPage = selection ? undefined : page[query.limit - 1]
  return {
    ...{ all, any, none, result, changeCount, needed, inexact },
    words: [...dependentWords.values()],
    hasUnknown,
    isResolvedAlike() {
      const version = vocabulary.version()
      const isAlike = version === resolvedVersion || areResolvedAlike()
      if (isAlike) resolvedVersion = version
      return isAlike
    },
    partial: selection && partialDependence(sources, query, match, selection, [...dependentWords.values()]),
    isAfterPage: lastOfPage === undefined ? undefined : comesAfter(query, match, lastOfPage, sources, needed),
  }
}

/** Whether any change may affect a result with words, or it would take too long to tell. */
function dependsOnAnyChange({ nearness }: SearchQuery, match: Match, selection: PartialSelection | undefined): boolean {
  const { words = [], total } = match
  // An empty result names the words that no document has, but only if the filters leave a document: so any change may alter the names.
  const isNothing = selection ? selection.documents.length === 0 && words.some(hasNoTerms) : total === 0
  const isRankedElsewhere = selection !== undefined && nearness !== undefined
  return isNothing || isRankedElsewhere || words.some(hasManyMeanings)
}

const hasNoTerms = ({ terms }: WordTerms): boolean => terms.length === 0

/** Whether the word may be a misspelling of very many terms. */
const hasManyMeanings = ({ isKnown, terms }: WordTerms): boolean => !isKnown && terms.length > MOST_MEANT

/** An unknown word may stand for at most this many terms, because the texts of all of them are kept with the result. */
const MOST_MEANT = 200

/**
 * Returns a function that tells whether a match comes after the document, in the order of the result. Returns undefined when it cannot be
 * told which of the changed documents match, or when scores depend on more than the labels of a document and the words that it has.
 */
function comesAfter(
  { q = '', lenient, order, arrange, ranges = [], prefer = [] }: SearchQuery,
  { words, scored, isName }: Match,
  document: number,
  { documents, facets, orderNamed }: Sources,
  needed: readonly DependentWord[],
): Dependence['isAfterPage'] {
  const isByRelevance = words !== undefined && order === undefined
  // While the query is the whole name of a match, no partial matches are added. When that match is renamed, they may be.
  const cannotTell = isName || ranges.length > 0 || words?.some((word) => word.isOptional || word.isWhole)
  if (cannotTell || (isByRelevance && arrange)) return undefined
  const preferred = words && order ? [] : prefer
  const score = isByRelevance ? scored!.score[document]! : labelPoints(new Set(facets.labelsOf(document)), preferred)
  // Equally relevant matches are in the order of popularity.
  const compared = orderNamed(isByRelevance ? 'popular-then-newest' : order).comparesFirst
  const number = documents[compared][document]!
  const name = nameStems(queryWords(q, lenient).typed)
  return (match) => {
    const most = labelPoints(match.labels, preferred) + (isByRelevance ? mostScore(match, needed, name) : 0)
    return most < score || (most === score && match.numbers[compared] < number)
  }
}

/** Equal when the same words are known, and the unknown ones are taken for the same terms. */
const resolutionOf = (words: readonly WordTerms[], { vocabulary }: Sources): string =>
  words
    .map(({ word, isKnown, terms }) => {
      const near = isKnown ? [] : terms.filter((entry) => qualityOf(entry) !== QUALITY.prefix)
      return [isKnown, word, ...near.map((entry) => `${qualityOf(entry)}${vocabulary.textOf(termOf(entry))}`)].join(' ')
    })
    .join()

function dependentWord({ word, joined, terms }: WordTerms, { vocabulary }: Sources): DependentWord {
  const texts = [word, ...joined]
  const misspelt = terms.filter((entry) => qualityOf(entry) === QUALITY.typo)
  return {
    word,
    texts: [...texts, ...misspelt.map((entry) => vocabulary.textOf(termOf(entry)))],
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
  // The words may be in more or fewer documents than at first, so only the size of the last comparison tells that nothing has changed.
  let ratedSize = size
  const rating = ratingOf(match, meanLength)
  return {
    rated: rated.map(({ word, rarity, terms: [first = 0] }) => ({
      ...words.find((one) => one.word === word)!,
      ...{ rarity, isLonger: qualityOf(first) === QUALITY.prefix },
    })),
    isRatedAlike(isTouched) {
      const now = extent()
      if (!isTouched && now.size === ratedSize && now.meanLength === meanLength) return true
      ratedSize = now.size
      return ratingOf(matcher.rate(query, now), now.meanLength) === rating
    },
    cannotMatch: ({ length, sketch }, hits) =>
      (!sketch || isTooFar(sketch)) &&
      (sumOf(hits.map(({ rarity }) => rarity)) < LEAST_RARITY ||
        sumOf(hits.map(({ rarity, field }) => mostPoints(rarity, field, length, meanLength))) < leastPoints),
  }
}

/** Equal when the same words count, each as much as before. */
const ratingOf = ({ rated = [], askedRarity }: Pick<Match, 'rated' | 'askedRarity'>, meanLength: number): string =>
  [meanLength, askedRarity, ...rated.map(({ word, rarity, terms }) => `${word} ${rarity} ${isKnownBy(terms)}`)].join()

/** Whether the word itself or a form of it counts, not longer words. */
const isKnownBy = ([first = 0]: RatedWord['terms']): boolean => qualityOf(first) >= QUALITY.form

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)
