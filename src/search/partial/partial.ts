// Scores partial matches by the rarity of their words, as in BM25.
import type { Eligible } from '../matching/match-stages.ts'
import type { NumberLists } from '../stored/number-lists.ts'
import { countOf, documentOf, fieldOf, qualityOf, termOf } from '../stored/packed-numbers.ts'
import type { WordTerms } from '../terms/resolve-words.ts'
import { QUALITY } from '../terms/vocabulary.ts'
import { FIELD_WEIGHT, rarityOf } from './word-scores.ts'

/** A word of the query as it counts in a partial match. */
export interface RatedWord {
  word: string
  /** The terms that count: the word itself and its forms; if there are none, longer words; if there are none either, typos. */
  terms: readonly number[]
  rarity: number
}

/**
 * The least rarity that the words of a partial match must have together: that of one word that a tenth of a large catalog has, or of
 * two that almost a third has. So a document is not found for a common word alone.
 */
export const LEAST_RARITY = 2300

/** A partial match scores at least this part of the best score for the query. */
export const LEAST_PART = 0.3

// BM25 with a weight for the field of a hit: a second occurrence counts a little, a long document's words count a little less.
// SATURATION and LENGTH_PART are k1 and b of BM25.
const FURTHER_OCCURRENCE = 0.3
const SATURATION = 1.2
const LENGTH_PART = 0.6

/** A word with less rarity (about a third of the catalog has it) does not count: it would say little and its list is long. */
export const LEAST_WORD_RARITY = 1100

/** Longer words that begin with a word count only if the word has this many letters, because many words begin with the same two. */
const LEAST_PREFIX = 4

/** How much of a hit counts, by quality: a typo or a longer word may be another word. */
const QUALITY_PART = { [QUALITY.typo]: 0.3, [QUALITY.prefix]: 0.5, [QUALITY.form]: 1, [QUALITY.exact]: 1 } as const

/** The words that count in a partial match, the rarest first. */
export function rateWords(
  words: readonly Pick<WordTerms, 'word' | 'asks' | 'terms'>[],
  postings: NumberLists,
  documents: number,
  leastRarity = LEAST_WORD_RARITY,
): RatedWord[] {
  return words
    .flatMap(({ word, asks, terms }) => {
      const counted = asks ? [] : bestTerms(word, terms)
      if (counted.length === 0) return []
      let count = 0
      for (const term of new Set(counted.map(termOf))) count += postings.lengthOf(term)
      const rarity = rarityOf(Math.min(count, documents), documents)
      return rarity < leastRarity ? [] : [{ word, terms: counted, rarity }]
    })
    .sort((a, b) => b.rarity - a.rarity)
}

export function bestTerms(word: string, terms: readonly number[]): readonly number[] {
  const known = terms.filter((entry) => qualityOf(entry) >= QUALITY.form)
  if (known.length > 0) return known
  // Typos are only looked for when no longer word begins with the word, so the list has one or the other.
  return word.length >= LEAST_PREFIX ? terms : []
}

/** The weight of a hit of this quality by the low four bits of its posting, which hold field and count. */
function weightsOf(quality: number): Float64Array {
  return Float64Array.from({ length: 16 }, (_, bits) => {
    const weight = (FIELD_WEIGHT[fieldOf(bits)] ?? 0) + (countOf(bits) - 1) * FURTHER_OCCURRENCE
    return weight * QUALITY_PART[quality as keyof typeof QUALITY_PART]
  })
}
/** The same for each quality. */
const WEIGHTS = [QUALITY.typo, QUALITY.prefix, QUALITY.form, QUALITY.exact].map(weightsOf)

/** What a hit adds to the score of a document: its rarity, more in the name and when repeated, less in a long document. */
export const pointsOf = (
  rarity: number,
  posting: number,
  quality: number,
  length: number,
  meanLength: number,
): number => points(rarity, WEIGHTS[quality]![posting & 15]!, length, LENGTH_PART / meanLength)

/** The most points that a hit in this field, or in a weaker one, of a document of this length can have. */
export const mostPoints = (rarity: number, field: number, length: number, meanLength: number): number =>
  points(rarity, MOST_WEIGHT[field]!, length, LENGTH_PART / meanLength)

/** By field. */
const MOST_WEIGHT = FIELD_WEIGHT.map((_, field) =>
  Math.max(...WEIGHTS.flatMap((weights) => [...weights].filter((_, bits) => fieldOf(bits) === field))),
)

const points = (rarity: number, weight: number, length: number, lengthPart: number): number =>
  Math.round((rarity * (SATURATION + 1) * weight) / (weight + SATURATION * (1 - LENGTH_PART + lengthPart * length)))

export interface PartialSources {
  postings: NumberLists
  /** The number of words of each document. */
  lengths: Uint32Array
  meanLength: number
  capacity: number
}

export interface PartialMatches {
  /** The first `count` entries are the documents, in no order; `score` and `rarity` are by document. */
  documents: Uint32Array
  count: number
  score: Int32Array
  /** The rarity of the words that a document has, together. */
  rarity: Int32Array
  /** The best score of a document with enough rarity. */
  highest: number
}

export interface PartialRanking {
  /** The result is valid until the next call. */
  rank(words: readonly RatedWord[], eligible: Eligible, sources: PartialSources): PartialMatches
}

export function createPartialRanking(): PartialRanking {
  let score = new Int32Array(0)
  let best = new Int32Array(0)
  let rarity = new Int32Array(0)
  // By document: the place of the last word that it has, counted from 1; 0: none yet.
  let wordOf = new Uint16Array(0)
  let found = new Uint32Array(0)

  function rank(
    words: readonly RatedWord[],
    eligible: Eligible,
    { postings, lengths, meanLength, capacity }: PartialSources,
  ): PartialMatches {
    if (score.length < capacity) {
      const length = Math.ceil(capacity * 1.25)
      score = new Int32Array(length)
      best = new Int32Array(length)
      rarity = new Int32Array(length)
      wordOf = new Uint16Array(length)
      found = new Uint32Array(length)
    } else wordOf.fill(0)
    const { stage, least } = eligible
    let count = 0
    /** The rarity of this and all later words together. */
    let rest = words.reduce((sum, word) => sum + word.rarity, 0)
    const lengthPart = LENGTH_PART / meanLength
    for (const [at, word] of words.entries()) {
      // Whether a document without any earlier word can still reach the least rarity, with the words that are left.
      const canBeFirstWord = rest >= LEAST_RARITY
      rest -= word.rarity
      for (const entry of word.terms) {
        const term = termOf(entry)
        const weights = WEIGHTS[qualityOf(entry)]!
        const data = postings.dataOf(term)
        const start = postings.startOf(term)
        const end = start + postings.length[term]!
        for (let index = start; index < end; index++) {
          const posting = data[index]!
          const document = documentOf(posting)
          const before = wordOf[document]!
          if (before === 0) {
            if (!canBeFirstWord || stage[document]! < least) continue
            found[count++] = document
            score[document] = 0
            rarity[document] = 0
          }
          const gained = points(word.rarity, weights[posting & 15]!, lengths[document]!, lengthPart)
          if (before !== at + 1) {
            wordOf[document] = at + 1
            best[document] = gained
            score[document]! += gained
            rarity[document]! += word.rarity
          } else if (gained > best[document]!) {
            score[document]! += gained - best[document]!
            best[document] = gained
          }
        }
      }
    }
    return { documents: found, ...keepRelated(count), score, rarity }
  }

  /** Keeps the documents that have enough of the query's rarity and of the best score. */
  function keepRelated(count: number): { count: number; highest: number } {
    let highest = 0
    for (let at = 0; at < count; at++) {
      const document = found[at]!
      if (rarity[document]! >= LEAST_RARITY) highest = Math.max(highest, score[document]!)
    }
    let kept = 0
    for (let at = 0; at < count; at++) {
      const document = found[at]!
      if (rarity[document]! >= LEAST_RARITY && score[document]! >= highest * LEAST_PART) found[kept++] = document
    }
    return { count: kept, highest }
  }

  return { rank }
}
