// Makes the result of a search with partial matches: which of them are in it, and in which order.
import type { SearchQuery } from '../index-interface.ts'
import type { Match } from '../matching/matching.ts'
import { arranged } from '../results/arranged.ts'
import type { SelectBest } from '../results/best-scored.ts'
import type { Order } from '../stored/orders.ts'
import { addMeaning, addNearness, ENOUGH_WORDS, LEAST_OF_NEAREST, LEAST_WORDS, MOST_WITH_LITTLE } from './by-meaning.ts'
import { LEAST_PART, type PartialMatches } from './partial.ts'
import { MOST_COMPARED, type Similarity } from './question-similarity.ts'

/** A result with partial matches has at most this many documents. */
export const MOST_IN_PARTIAL = 100

export type PartialQuery = Pick<SearchQuery, 'order' | 'nearness' | 'arrange'>

/** A result with partial matches, and how it came about. */
export interface PartialSelection {
  /** The full matches, then the best partial ones, then the documents with the facet LAST. */
  documents: number[]
  full: number
  /** The best partial matches by words, the best first. */
  byWords: readonly number[]
  /** All partial matches that were compared, the best first. */
  ranked: readonly number[]
  /** Those of `ranked` that have enough of what is asked for (see `keepEnoughOfQuestion`). */
  enoughOfQuestion: readonly number[]
  /** The part of what is asked for that the words of a document have together, by rarity. */
  shareOfQuestion(document: number): number
  /** Whether the vectors know a word of the query. */
  byMeaning: boolean
  /** A document whose words have fewer points than this is not in `byWords`. */
  leastPoints: number
  /** Whether a document with this sketch is too far from the query to be found by its meaning. */
  isTooFar(sketch: Uint32Array): boolean
  /** Only when the caller of the search gave a nearness. */
  averageNearness?: number
}

interface SelectionSources {
  similarity: Similarity | undefined
  selectByRelevance: SelectBest
  orderNamed(name: SearchQuery['order']): Order
  idOf(document: number): string
  /** By document: 1 if it has the facet LAST. */
  last: readonly number[]
}

/** Makes the result. A named order holds among the full matches, among the partial ones, and among the documents with the facet LAST. */
export function selectPartial(
  { similarity, selectByRelevance, orderNamed, idOf, last }: SelectionSources,
  match: Match,
  partial: PartialMatches,
  { order, nearness, arrange }: PartialQuery,
): PartialSelection {
  const full = match.scored ? selectByRelevance(match.scored, match.total, 0, match.total) : []
  const isFull = new Set(full)
  const count = keepPartial(partial, isFull)
  const byWords = selectByRelevance(partial, count, 0, Math.min(count, MOST_COMPARED))
  const leastPoints =
    byWords.length < MOST_COMPARED ? partial.highest * LEAST_PART : partial.score[byWords.at(-1) ?? 0]!
  let ranked = byWords
  let averageNearness: number | undefined
  const byMeaning = similarity?.setQuery(match.asked) ?? false
  if (byMeaning || nearness) {
    const related =
      similarity && byMeaning ? addMeaning(similarity, match, partial, { byWords, isFull }) : Uint32Array.from(byWords)
    if (nearness) averageNearness = addNearness((document) => nearness(idOf(document)), related, partial.score)
    ranked = selectByRelevance({ score: partial.score, documents: related }, related.length, 0, related.length)
  }
  const isByWords = new Set(byWords)
  const shareOfQuestion = (document: number) =>
    isByWords.has(document) ? partial.rarity[document]! / match.askedRarity : 0
  const isNear = (document: number) => !byMeaning || (similarity?.cosineOf(document) ?? 0) >= LEAST_OF_NEAREST
  const enoughOfQuestion = match.isLenient ? keepEnoughOfQuestion(ranked, shareOfQuestion, isNear) : ranked
  const best = enoughOfQuestion.slice(0, MOST_IN_PARTIAL - full.length)
  if (order) {
    const ranks = orderNamed(order).ranks()
    for (const list of [full, best]) list.sort((a, b) => ranks[a]! - ranks[b]!)
  }
  const query = { order, arrange, idOf }
  const found = [...arranged(match, query, full), ...arranged(match, query, best, false)]
  const isLast = (document: number) => last[document] === 1
  // `full` counts only the full matches at the front. Those with the facet LAST come after the partial matches that lack it.
  const lastFull = best.every(isLast) ? 0 : full.filter(isLast).length
  return {
    documents: [...found.filter((document) => !isLast(document)), ...found.filter(isLast)],
    full: full.length - lastFull,
    byWords,
    ranked,
    enoughOfQuestion,
    shareOfQuestion,
    byMeaning,
    leastPoints,
    isTooFar: similarity && byMeaning ? similarity.farCheck() : () => true,
    averageNearness,
  }
}

/** Moves the documents that are no full matches to the front of `partial.documents`. Returns how many they are. */
function keepPartial(partial: PartialMatches, isFull: ReadonlySet<number>): number {
  let count = 0
  for (let at = 0; at < partial.count; at++) {
    const document = partial.documents[at]!
    if (!isFull.has(document)) partial.documents[count++] = document
  }
  return count
}

/**
 * For a lenient query. Documents with little of what is asked for are near misses: only the best few of them stay. When even the best
 * documents have little and none is near in meaning, none stays.
 */
function keepEnoughOfQuestion(
  ranked: readonly number[],
  shareOfQuestion: (document: number) => number,
  isNear: (document: number) => boolean,
): readonly number[] {
  if (!ranked.some((document) => shareOfQuestion(document) >= LEAST_WORDS || isNear(document))) return []
  return ranked.filter((document, at) => at < MOST_WITH_LITTLE || shareOfQuestion(document) >= ENOUGH_WORDS)
}
