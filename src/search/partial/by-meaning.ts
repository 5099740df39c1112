// Adds what words and vectors mean to the partial matches: how near a document must be, and how much nearness counts.
import type { Match } from '../matching/matching.ts'
import type { PartialMatches } from './partial.ts'
import type { Similarity } from './question-similarity.ts'
import { UNIT } from './word-scores.ts'

/** The points of a document that means the same as the query: about as many as for four rare words in its tagline. */
export const MEANING_POINTS = 22 * UNIT

/** A document that shares no telling word with the query is found when its meaning is at least this close (1: the same). */
const LEAST_SIMILARITY = 0.3
/**
 * The same for a query of two words. Two words are mostly a name or a fixed term ("product hunt"), and the sum of their vectors is near to
 * many documents that have to do with only one of them. For a query of a single word the lower limit holds: it has partial matches only
 * when no document has the word, and then they can be found by its meaning alone.
 */
const LEAST_SIMILARITY_OF_TWO_WORDS = 0.4

export const leastSimilarity = ({ asked }: Pick<Match, 'asked'>): number =>
  asked.length === 2 ? LEAST_SIMILARITY_OF_TWO_WORDS : LEAST_SIMILARITY

/**
 * A document with some of the words is dropped when its meaning is further away than this, because then its words are probably used in
 * another sense ("the bark of a tree"); but not when it has this part of what is asked for.
 */
export const LEAST_WITH_WORDS = 0.05
export const ENOUGH_WORDS = 0.5

/** A lenient query has partial matches with less than ENOUGH_WORDS in its result only if they are among this many best ones. */
export const MOST_WITH_LITTLE = 3
/**
 * When no partial match has this part of what is asked for and none is this near in meaning, the result has no partial matches: the words
 * that they share with the query are chance.
 */
export const LEAST_WORDS = 0.25
export const LEAST_OF_NEAREST = 0.15

/** The points for a nearness (given by the caller of the search) that is 1 above the average of the documents found. */
export const NEARNESS_POINTS = 20 * UNIT

/** The documents that were found by their words. */
interface FoundByWords {
  /** The best partial matches. */
  byWords: readonly number[]
  /** The full matches. */
  isFull: ReadonlySet<number>
}

/** Adds points for meaning to the scores. Returns the documents that are related to the query, also by meaning alone, in no order. */
export function addMeaning(
  similarity: Similarity,
  match: Match,
  { score, rarity }: PartialMatches,
  { byWords, isFull }: FoundByWords,
): Uint32Array {
  const { eligible, askedRarity } = match
  const least = leastSimilarity(match)
  const related: number[] = []
  const keep = (document: number, points: number) => {
    score[document] = points
    related.push(document)
  }
  for (const document of byWords) {
    const closeness = similarity.cosineOf(document)
    if (closeness >= LEAST_WITH_WORDS || rarity[document]! >= askedRarity * ENOUGH_WORDS)
      keep(document, score[document]! + Math.round(MEANING_POINTS * closeness))
  }
  const isFound = new Set(byWords)
  for (const document of similarity.nearest(eligible)) {
    if (isFull.has(document) || isFound.has(document)) continue
    const closeness = similarity.cosineOf(document)
    if (closeness >= least) keep(document, Math.round(MEANING_POINTS * closeness))
  }
  return Uint32Array.from(related)
}

/**
 * Adds points for a nearness that was measured elsewhere to the scores. Models differ in what they call near, so it counts how much nearer
 * a document is than the average; a document without a nearness gets no points. Returns the average.
 */
export function addNearness(
  nearness: (document: number) => number | undefined,
  documents: Iterable<number>,
  score: Int32Array,
): number {
  const measured = [...documents].flatMap((document) => {
    const value = nearness(document)
    return value === undefined ? [] : [{ document, value }]
  })
  const average = measured.reduce((sum, { value }) => sum + value, 0) / measured.length
  for (const { document, value } of measured) score[document]! += Math.round(NEARNESS_POINTS * (value - average))
  return average
}
