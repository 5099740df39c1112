// The walks that find the full matches. Each label, range and word of a query is a condition, and each condition is one walk over its lists
// that moves the documents that fulfil it from stage n to stage n + 1. The documents at the last stage are the matches.
import type { NumberRange } from '../index-interface.ts'
import type { Facets } from '../stored/facets.ts'
import { fieldsAt, INITIALS_FIELDS, type Initials } from '../stored/initials.ts'
import type { NumberLists } from '../stored/number-lists.ts'
import { documentOf, fieldOf, qualityOf, termOf } from '../stored/packed-numbers.ts'
import { QUALITY } from '../terms/vocabulary.ts'
import { FIELD } from './match-points.ts'

/** What a search knows of each document. The arrays are reused for the next search. */
export interface MatchState {
  /** By document: how many conditions it has fulfilled so far; -1: it is excluded. */
  stage: Int16Array
  /** By document: its points for the words so far. */
  score: Int32Array
  /** By document: the points of its best hit for the current word, which are part of its score. */
  best: Int16Array
  /** The documents that the last walk for a word has kept, in no order. */
  found: Uint32Array
  /** One more than the highest number of a document. The arrays may have room for more. */
  capacity: number
  marks: FieldMarks
}

/** The documents that may be found: those whose stage is at least `least`. */
export interface Eligible {
  stage: Int16Array
  least: number
  /** One more than the highest number of a document. */
  capacity: number
}

export const newMatchState = (capacity: number, length = capacity): MatchState => ({
  stage: new Int16Array(length),
  score: new Int32Array(length),
  best: new Int16Array(length),
  found: new Uint32Array(length),
  capacity,
  marks: new FieldMarks(),
})

/** The state for a new search: the same one, cleared, or a larger one. */
export function clearedState(state: MatchState, capacity: number): MatchState {
  // A quarter larger than needed, because otherwise every added document would need new arrays.
  if (state.stage.length < capacity) return newMatchState(capacity, Math.ceil(capacity * 1.25))
  state.stage.fill(0)
  state.score.fill(0)
  state.capacity = capacity
  return state
}

/** Excludes the documents that have one of the labels. Returns how many they are. */
export function excludeLabelled({ stage }: MatchState, facets: Facets, labels: readonly string[]): number {
  let count = 0
  for (const label of labels) {
    const facet = facets.numberOf(label)
    if (facet === undefined) continue
    for (const document of facets.documents.valuesOf(facet)) {
      if (stage[document] === -1) continue
      stage[document] = -1
      count++
    }
  }
  return count
}

// Each of the following functions is the walk of one condition: of the documents that have fulfilled all `conditions` before it, it keeps
// those that fulfil this one, too, and returns how many they are.

/** Keeps the documents that have at least one of the labels. */
export function keepLabelled(
  { stage }: MatchState,
  { numberOf, documents }: Facets,
  labels: readonly string[],
  conditions: number,
): number {
  let count = 0
  for (const label of labels) {
    const facet = numberOf(label)
    if (facet === undefined) continue
    const data = documents.dataOf(facet)
    const start = documents.startOf(facet)
    const end = start + documents.length[facet]!
    for (let at = start; at < end; at++) {
      const document = data[at]!
      if (stage[document] !== conditions) continue
      stage[document] = conditions + 1
      count++
    }
  }
  return count
}

/** Keeps those of the documents whose value is in the range. `values`: by document. */
export function keepWithin(
  { stage }: MatchState,
  documents: Uint32Array,
  values: readonly number[],
  range: NumberRange,
  conditions: number,
): number {
  let count = 0
  for (const document of documents) {
    if (stage[document] !== conditions || !isWithin(range, values[document]!)) continue
    stage[document] = conditions + 1
    count++
  }
  return count
}

/** Whether the value of a document is in the range. */
export const isWithin = ({ least, most, below }: NumberRange, value: number): boolean =>
  Number.isFinite(value) &&
  !(value < (least ?? value) || value > (most ?? value) || (below !== undefined && value >= below))

/** Keeps the documents that have one of the terms of a word, and adds the points of the best hit to the score of each. */
export function keepMatching(
  state: MatchState,
  postings: NumberLists,
  terms: readonly number[],
  conditions: number,
): number {
  const { marks, capacity } = state
  // Longer words are the last of the terms.
  const from = terms.findIndex((entry) => qualityOf(entry) === QUALITY.prefix)
  const longer = from === -1 ? [] : terms.slice(from)
  if (countPostings(postings, longer) * LONG_LISTS < capacity) return keepListed(state, postings, terms, conditions)
  marks.set(longer, postings, capacity)
  const count = keepListed(state, postings, terms.slice(0, from), conditions)
  return keepLonger(state, marks, 0, conditions, count)
}

/** With a posting for every eighth document or more, it is faster to mark documents and then walk over all of them once. */
const LONG_LISTS = 8

export function countPostings(postings: NumberLists, terms: readonly number[]): number {
  let count = 0
  for (const entry of terms) count += postings.length[termOf(entry)]!
  return count
}

/** `keepMatching` by the postings of each term. */
function keepListed(
  { stage, score, best, found }: MatchState,
  postings: NumberLists,
  terms: readonly number[],
  conditions: number,
): number {
  let count = 0
  for (const entry of terms) {
    const term = termOf(entry)
    const quality = qualityOf(entry)
    const data = postings.dataOf(term)
    const start = postings.startOf(term)
    const end = start + postings.length[term]!
    for (let at = start; at < end; at++) {
      const posting = data[at]!
      const document = documentOf(posting)
      const reached = stage[document]!
      if (reached === conditions) {
        const points = FIELD[fieldOf(posting)]! + quality
        stage[document] = conditions + 1
        best[document] = points
        score[document]! += points
        found[count++] = document
      } else if (reached === conditions + 1) {
        const gain = FIELD[fieldOf(posting)]! + quality - best[document]!
        if (gain <= 0) continue
        best[document]! += gain
        score[document]! += gain
      }
    }
  }
  return count
}

/**
 * Also keeps the documents that have a longer word. `longer` tells in which fields a document has one: for a word of one letter these are
 * Initials, and `initial` is the bit of the letter; for other words FieldMarks, and `initial` is 0. `count`: how many
 * documents the walk for this word has kept so far.
 */
export function keepLonger(
  { stage, score, best, found, capacity }: MatchState,
  longer: Initials | FieldMarks,
  initial: number,
  conditions: number,
  count: number,
): number {
  for (let document = 0; document < capacity; document++) {
    const reached = stage[document]!
    if (reached !== conditions && reached !== conditions + 1) continue
    const points = LONGER_POINTS[longer.fieldMask(document, initial)]!
    if (points === 0) continue
    if (reached === conditions) {
      stage[document] = conditions + 1
      best[document] = points
      score[document]! += points
      found[count++] = document
    } else if (points > best[document]!) {
      score[document]! += points - best[document]!
      best[document] = points
    }
  }
  return count
}

/** The points of a longer word by the fields that have it, one bit for each. */
const LONGER_POINTS = Int32Array.from({ length: 1 << FIELD.length }, (_, fields) => {
  const strongest = FIELD.find((_, field) => (fields & (1 << field)) !== 0)
  return strongest === undefined ? 0 : strongest + QUALITY.prefix
})

/**
 * Tells which documents have one of many terms: a bit for each document and field. The postings of many terms name documents in random
 * order. Setting bits in random order is fast, because all bits fit into the processor's cache. Changing scores in random order would be
 * slow, because the scores of a million documents do not fit.
 */
export class FieldMarks {
  private marks = new Uint32Array(0)

  /** Replaces all marks by the marks of these terms, each given as a term entry. */
  set(terms: readonly number[], postings: NumberLists, capacity: number): void {
    const needed = Math.ceil(capacity / DOCUMENTS_PER_MARK) * INITIALS_FIELDS
    if (this.marks.length < needed) this.marks = new Uint32Array(Math.ceil(needed * 1.25))
    else this.marks.fill(0)
    const { marks } = this
    for (const entry of terms) {
      const term = termOf(entry)
      const data = postings.dataOf(term)
      const start = postings.startOf(term)
      const end = start + postings.length[term]!
      for (let index = start; index < end; index++) {
        const posting = data[index]!
        const document = documentOf(posting)
        marks[(document >>> 5) * INITIALS_FIELDS + fieldOf(posting)]! |= 1 << (document & 31)
      }
    }
  }

  /** The fields that have one of the terms: bit 0 stands for the strongest. */
  fieldMask(document: number): number {
    const at = (document >>> 5) * INITIALS_FIELDS
    const place = document & 31
    return fieldsAt(this.marks, at, place)
  }
}

/** A mark is a number of 32 bits. */
const DOCUMENTS_PER_MARK = 32
