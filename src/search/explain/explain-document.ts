// Explains one document of a result: its words, and the parts of its score. They are computed again for the document, so that an ordinary
// search does not have to record them; a property test checks that they add up to the score.
import type { RangedNumber, SearchQuery } from '../index-interface.ts'
import { COMPLETE, preferredPoints, WHOLE_NAME } from '../matching/match-points.ts'
import type { Match } from '../matching/matching.ts'
import { MEANING_POINTS, NEARNESS_POINTS } from '../partial/by-meaning.ts'
import type { RatedWord } from '../partial/partial.ts'
import type { PartialSelection } from '../partial/partial-selection.ts'
import type { Similarity } from '../partial/question-similarity.ts'
import type { Facets } from '../stored/facets.ts'
import type { Order } from '../stored/orders.ts'
import type { WordTerms } from '../terms/resolve-words.ts'
import { type ExplainedHit, fullHits, partialHits, type WordSources } from './explain-words.ts'

export interface MeaningPart {
  cosine: number
  points: number
}

export interface ExplainedDocument {
  /** `none`: it is not found. Then score and hits are the ones that it would have as a partial match by words. */
  match: 'full' | 'partial' | 'none'
  score: number
  hits: ExplainedHit[]
  /** Points because the question is the whole name; 0 otherwise. */
  wholeName: number
  /** Points of a full match for the labels that the query prefers, and for having the words that only ask ("find", "best") too. */
  preferred?: number
  /** By the built-in vectors. */
  meaning?: MeaningPart
  /** By the nearness that the caller of the search gave. */
  nearness?: MeaningPart
}

export interface ExplainerSources extends WordSources {
  facets: Facets
  names: Facets
  numbers: Record<RangedNumber, readonly number[]>
  similarity: Similarity | undefined
  orderNamed(name: SearchQuery['order']): Order
  idOf(document: number): string
}

/** A search that has been made, its arrays still valid. */
export interface MadeSearch {
  query: SearchQuery
  match: Match
  /** The words of the question, whatever the filters. */
  allWords: readonly WordTerms[]
  /** The words of `allWords` that a full match must have. */
  required: readonly WordTerms[]
  partial: PartialSelection | undefined
  /** The words that count in a partial match. The same for every document, so they are rated once. */
  rated: readonly RatedWord[]
  /** The number of the list in `names` of the documents whose whole name is the question. */
  wholeName: number | undefined
}

export function explainFull(
  sources: ExplainerSources,
  { query, match, allWords, required, wholeName }: MadeSearch,
  document: number,
): ExplainedDocument {
  const { prefer = [] } = query
  /** Whether the document has all words of the question, also those that only ask. */
  const isComplete =
    required.length < allWords.length &&
    fullHits(sources, allWords, document).every((hit, at) => hit !== undefined || required.includes(allWords[at]!))
  const preferred = prefer.reduce(
    (sum, label, at) => sum + (hasLabel(sources, document, label) ? preferredPoints(prefer, at) : 0),
    isComplete ? COMPLETE : 0,
  )
  return {
    match: 'full',
    score: match.scored?.score[document] ?? 0,
    hits: fullHits(sources, required, document).filter((hit) => hit !== undefined),
    wholeName:
      wholeName !== undefined && sources.names.facetsByDocument.valuesOf(document).includes(wholeName) ? WHOLE_NAME : 0,
    ...(preferred > 0 && { preferred }),
  }
}

export function explainPartial(sources: ExplainerSources, search: MadeSearch, document: number): ExplainedDocument {
  const { query, match, partial, rated } = search
  const cosine = meaningCosine(sources, search, document)
  const average = partial?.averageNearness
  const nearness = average === undefined ? undefined : query.nearness?.(sources.idOf(document))
  return {
    match: 'partial',
    score: match.partial?.score[document] ?? 0,
    // The words of a document that was found by meaning alone add nothing.
    hits: partial?.byWords.includes(document) ? partialHits(sources, rated, document) : [],
    wholeName: 0,
    ...(cosine !== undefined && { meaning: { cosine, points: Math.round(MEANING_POINTS * cosine) } }),
    ...(average !== undefined &&
      nearness !== undefined && {
        nearness: { cosine: nearness, points: Math.round(NEARNESS_POINTS * (nearness - average)) },
      }),
  }
}

/** How near the document is in meaning by the vectors; undefined when they were not asked. */
export const meaningCosine = (
  { similarity }: ExplainerSources,
  { partial }: MadeSearch,
  document: number,
): number | undefined => (partial?.byMeaning ? similarity?.cosineOf(document) : undefined)

export function hasLabel({ facets }: ExplainerSources, document: number, label: string): boolean {
  const list = facets.numberOf(label)
  return list !== undefined && facets.facetsByDocument.valuesOf(document).includes(list)
}
