// How each word of a question was read, for the explanation of a result.
import type { SearchQuery } from '../index-interface.ts'
import { FIELD } from '../matching/match-points.ts'
import type { Extent } from '../matching/matching.ts'
import { pointsOf, type RatedWord, rateWords } from '../partial/partial.ts'
import type { NumberLists } from '../stored/number-lists.ts'
import { fieldOf, firstPosting, qualityOf, termEntry, termOf } from '../stored/packed-numbers.ts'
import type { WordTerms } from '../terms/resolve-words.ts'
import { QUALITY, type Vocabulary } from '../terms/vocabulary.ts'
import { queryWords } from '../words/query-words.ts'

/**
 * How a word of the question is used. `counted`: for full and for partial matches. `function`: not at all. The others do not count in a
 * partial match, and a full match needs them: `common` (about a third of the documents have it), `short` (only longer words begin with it,
 * and it is too short for that to count), `unknown` (no document has it) and `asking`, which with `lenient` a full match need not have:
 * then it only decides on the order.
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

/** Where and how a document has a word of the question best. */
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
  /** The terms of each document, as term entries with the field. */
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
    vocabulary.termsMatching(text, [], false).some((entry) => qualityOf(entry) >= QUALITY.form)
  const { typed, required } = queryWords(q, lenient)
  // A word that was split has an entry of `resolved` for each of its parts.
  let at = 0
  const explained = required.flatMap(({ word, joined }) => {
    const parts = vocabulary.split(word)
    return parts.map((part): ExplainedWord => {
      const { asks, terms } = resolved[at++]!
      const [rated] = rateWords([{ word: part, asks, terms }], postings, size, 0)
      const useOf = (): ExplainedWord['use'] => {
        if (asks) return 'asking'
        if (rateWords([{ word: part, asks, terms }], postings, size).length > 0) return 'counted'
        if (rated) return 'common'
        return terms.length > 0 || vocabulary.isKnown(part) ? 'short' : 'unknown'
      }
      return {
        word: part,
        use: useOf(),
        ...(parts.length > 1 ? { partOf: word } : {}),
        joined: parts.length > 1 ? [] : joined.filter(isTerm),
        ...(rated ? { rarity: rated.rarity } : {}),
        terms: bestOfEach(terms)
          .slice(0, MOST_TERMS)
          .map((entry) => ({ term: vocabulary.textOf(termOf(entry)), quality: qualityOf(entry) })),
      }
    })
  })
  const isRequired = new Set(required.map(({ word }) => word))
  const leftOut = [...new Set(typed)].filter((word) => !isRequired.has(word))
  return [...explained, ...leftOut.map((word) => ({ word, use: 'function' as const, joined: [], terms: [] }))]
}

/** Each term once, with its best quality, the best first. */
function bestOfEach(terms: readonly number[]): number[] {
  const entryOfTerm = new Map<number, number>()
  for (const entry of terms.toSorted((a, b) => qualityOf(b) - qualityOf(a)))
    if (!entryOfTerm.has(termOf(entry))) entryOfTerm.set(termOf(entry), entry)
  return [...entryOfTerm.values()]
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
      return text.length > 1 && text.startsWith(initial) ? [termEntry(term, QUALITY.prefix)] : []
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

/** The best hit of a word in a document; of equal hits the first in the document. `places`: see `placesOf`. */
function bestHit(
  { vocabulary, postings }: WordSources,
  { word, terms }: Pick<WordTerms, 'word' | 'terms'>,
  document: number,
  places: ReadonlyMap<number, number>,
  pointsOfHit: (posting: number, quality: number) => number,
): ExplainedHit | undefined {
  const qualities = new Map<number, number>()
  for (const entry of terms) {
    const term = termOf(entry)
    if (places.has(term)) qualities.set(term, Math.max(qualityOf(entry), qualities.get(term) ?? 0))
  }
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
    if (!places.has(termOf(entry))) places.set(termOf(entry), at)
  return places
}
