// How each word of a question was read, for the explanation of a result.
import type { SearchQuery } from './index-interface.ts'
import { type Extent, FIELD } from './matching.ts'
import type { NumberLists } from './number-lists.ts'
import { pointsOf, type RatedWord, rateWords, type WordTerms } from './partial.ts'
import { fieldOf, firstPosting } from './postings.ts'
import { queryWords } from './query-words.ts'
import { QUALITY, type Vocabulary } from './vocabulary.ts'

/**
 * How a word of the question is used. `counted`: for full and for partial matches. `function`: not at all. `asking`: with `lenient` only
 * for the order of full matches. The others are needed for a full match and do not count in a partial one: `asking`, `common` (about a
 * third of the documents have it), `short` (only longer words begin with it, and it is too short for that to count) and `unknown` (no
 * document has it).
 */
export const WORD_USES = ['counted', 'function', 'asking', 'common', 'short', 'unknown'] as const

export interface ExplainedWord {
  word: string
  use: (typeof WORD_USES)[number]
  /** The typed word that was split, when this is one of its two parts. */
  partOf?: string
  /** The word written as one with a neighbour, where documents have that. */
  joined: string[]
  /** In thousandths; undefined for a word of asking and for one that no document has. */
  rarity?: number
  /** What it matches in all documents, the best first, at most MOST_TERMS. */
  terms: { term: string; quality: number }[]
}

/** The best hit of a word in a document. */
export interface ExplainedHit {
  word: string
  term: string
  /** 0 strong, 1 middle, 2 weak. */
  field: number
  /** One of QUALITY. */
  quality: number
  /** Only in a partial match. */
  rarity?: number
  points: number
}

export interface WordSources {
  vocabulary: Vocabulary
  postings: NumberLists
  /** The terms of each document, as `term * 4 + field`. */
  termsOf: NumberLists
  extent(): Extent
}

const MOST_TERMS = 10

/** `resolved`: the words of the question with the terms that match them, as the matcher gives them. */
export function explainWords(
  { vocabulary, postings, extent }: WordSources,
  { q = '', lenient }: SearchQuery,
  resolved: readonly WordTerms[],
): ExplainedWord[] {
  const { size } = extent()
  const isTerm = (text: string) =>
    vocabulary.termsMatching(text, [], false).some((entry) => (entry & 3) >= QUALITY.form)
  const { typed, required } = queryWords(q, lenient)
  let at = 0
  const explained = required.flatMap(({ word, joined }) => {
    const parts = vocabulary.split(word)
    return parts.map((part): ExplainedWord => {
      const { asks, terms } = resolved[at++]!
      const [rated] = rateWords([{ word: part, asks, terms }], postings, size, 0)
      const isCounted = rateWords([{ word: part, asks, terms }], postings, size).length > 0
      const isKnown = terms.length > 0 || vocabulary.isKnown(part)
      return {
        word: part,
        use: asks ? 'asking' : isCounted ? 'counted' : rated ? 'common' : isKnown ? 'short' : 'unknown',
        ...(parts.length > 1 ? { partOf: word } : {}),
        joined: parts.length > 1 ? [] : joined.filter(isTerm),
        ...(rated ? { rarity: rated.rarity } : {}),
        terms: bestOfEach(terms)
          .slice(0, MOST_TERMS)
          .map((entry) => ({ term: vocabulary.textOf(entry >>> 2), quality: entry & 3 })),
      }
    })
  })
  const isRequired = new Set(required.map(({ word }) => word))
  const leftOut = [...new Set(typed)].filter((word) => !isRequired.has(word))
  return [...explained, ...leftOut.map((word) => ({ word, use: 'function' as const, joined: [], terms: [] }))]
}

/** Each term once, with its best quality, the best first. */
function bestOfEach(terms: readonly number[]): number[] {
  const seen = new Set<number>()
  return terms.toSorted((a, b) => (b & 3) - (a & 3)).filter((entry) => !seen.has(entry >>> 2) && seen.add(entry >>> 2))
}

/** For each word its best hit by the points of full matches, or undefined when the document lacks the word. */
export function fullHits(
  sources: WordSources,
  required: readonly WordTerms[],
  document: number,
): (ExplainedHit | undefined)[] {
  const places = placesOf(sources, document)
  const longerThan = (initial: string) =>
    [...places.keys()].flatMap((term) => {
      const text = sources.vocabulary.textOf(term)
      return text.length > 1 && text.startsWith(initial) ? [term * 4 + QUALITY.prefix] : []
    })
  return required.map(({ word, terms, initial }) =>
    bestHit(
      sources,
      { word, terms: initial === 0 ? terms : [...terms, ...longerThan(word)] },
      document,
      places,
      (posting, quality) => FIELD[fieldOf(posting)]! + quality,
    ),
  )
}

/** The words that the document has, each with its best hit by the points of partial matches. */
export function partialHits(sources: WordSources, rated: readonly RatedWord[], document: number): ExplainedHit[] {
  const places = placesOf(sources, document)
  const { lengths, meanLength } = sources.extent()
  return rated.flatMap(({ rarity, ...word }) => {
    const hit = bestHit(sources, word, document, places, (posting, quality) =>
      pointsOf(rarity, posting, quality, lengths[document]!, meanLength),
    )
    return hit ? [{ ...hit, rarity }] : []
  })
}

/** Of equal hits the first in the document wins. `places`: for each term of the document, its place in the document. */
function bestHit(
  { vocabulary, postings }: WordSources,
  { word, terms }: Pick<WordTerms, 'word' | 'terms'>,
  document: number,
  places: ReadonlyMap<number, number>,
  pointsOfHit: (posting: number, quality: number) => number,
): ExplainedHit | undefined {
  const qualities = new Map<number, number>()
  for (const entry of terms)
    if (places.has(entry >>> 2)) qualities.set(entry >>> 2, Math.max(entry & 3, qualities.get(entry >>> 2) ?? 0))
  let best: ExplainedHit | undefined
  for (const [term, quality] of [...qualities].sort(([a], [b]) => places.get(a)! - places.get(b)!)) {
    const posting = postings.firstFrom(term, firstPosting(document))
    const points = pointsOfHit(posting, quality)
    if (best && best.points >= points) continue
    best = { word, term: vocabulary.textOf(term), field: fieldOf(posting), quality, points }
  }
  return best
}

function placesOf({ termsOf }: WordSources, document: number): Map<number, number> {
  const places = new Map<number, number>()
  for (const [at, entry] of termsOf.valuesOf(document).entries())
    if (!places.has(entry >>> 2)) places.set(entry >>> 2, at)
  return places
}
