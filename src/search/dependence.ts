// What a result depends on, so that it can be remembered while changes of other documents cannot affect it.
import type { Documents } from './documents.ts'
import type { Selection } from './explain.ts'
import type { Facets } from './facets.ts'
import type { SearchQuery, SearchResult } from './index-interface.ts'
import { type Extent, facetPoints, type Match, type Matcher } from './matching.ts'
import type { NamedOrder, OrderNumber } from './orders.ts'
import { LEAST_RARITY, mostPoints, neededWords, type RatedWord, type WordTerms } from './partial.ts'
import type { PartialSelection } from './partial-selection.ts'
import { type Dependence, type DependentWord, mostScore, type PartialDependence } from './recent-changes.ts'
import { QUALITY, type Vocabulary } from './vocabulary.ts'
import { hasForms, stemOf } from './word-forms.ts'

interface Sources {
  matcher: Pick<Matcher, 'resolve' | 'rate'>
  vocabulary: Pick<Vocabulary, 'textOf' | 'version'>
  documents: Pick<Documents<unknown>, OrderNumber>
  facets: Pick<Facets, 'labelsOf'>
  orderNamed(name: SearchQuery['order']): NamedOrder
  extent(): Extent
}

/** What a result depends on; undefined: any change may affect it. `at`: the number of changes so far. */
export function dependenceOf(
  sources: Sources,
  query: SearchQuery,
  match: Match,
  { documents: page, partial: selection }: Selection,
  [result, at]: [result: SearchResult<unknown>, at: number],
): Dependence | undefined {
  const { q = '', all = [], any = [], none = [], nearness } = query
  const { words = [], inexact = 0 } = match
  // Words that no document has are named in a result of nothing, but only where the filters leave a document.
  const isNothing = selection ? selection.documents.length === 0 && words.some(isMissing) : match.total === 0
  // Or a model elsewhere ranks the partial matches, or a word may be a misspelling of very many.
  if (q.trim() !== '' && (isNothing || (selection && nearness) || words.some(isVague))) return undefined
  const wordOf = new Map(words.map((one) => [one, dependentWord(one, sources)]))
  const resolved = resolutionOf(words, sources)
  let resolvedWith = sources.vocabulary.version()
  const needed = neededWords(words).map((one) => wordOf.get(one)!)
  const lastOfPage = selection ? undefined : page[query.limit - 1]
  return {
    ...{ all, any, none, result, at },
    words: needed,
    ranking: [...wordOf.values()],
    inexact,
    hasUnknown: words.some(({ isKnown }) => !isKnown),
    isResolvedAlike() {
      const version = sources.vocabulary.version()
      const isAlike = version === resolvedWith || resolutionOf(sources.matcher.resolve(query), sources) === resolved
      if (isAlike) resolvedWith = version
      return isAlike
    },
    partial: selection && partialDependence(sources, query, match, selection, [...wordOf.values()]),
    isAfterPage: lastOfPage === undefined ? undefined : comesAfter(query, match, lastOfPage, sources, needed),
  }
}

/**
 * Returns a function that tells whether a match comes after the one with this number. Undefined if it is not known which of the changed
 * documents match, or if the score of one depends on more than its labels and on which words of the query it has.
 */
function comesAfter(
  { order, arrange, ranges = [], prefer = [] }: SearchQuery,
  { words, scored, isName }: Match,
  document: number,
  { documents, facets, orderNamed }: Sources,
  needed: readonly DependentWord[],
): Dependence['isAfterPage'] {
  const isByWords = words !== undefined && order === undefined
  // With a match of that name, partial matches are not looked for.
  const isUnsure = isName || ranges.length > 0 || words?.some((word) => word.isOptional || word.isWhole)
  if (isUnsure || (isByWords && arrange)) return undefined
  const preferred = words && order ? [] : prefer
  const score = isByWords ? scored!.score[document]! : facetPoints(new Set(facets.labelsOf(document)), preferred)
  const compared = orderNamed(order).comparesFirst
  const number = documents[compared][document]!
  return (match) => {
    const most = facetPoints(match.labels, preferred) + (isByWords ? mostScore(match, needed) : 0)
    return most < score || (!isByWords && most === score && match.numbers[compared] < number)
  }
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
