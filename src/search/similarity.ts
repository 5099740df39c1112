import type { WordVectors } from './meaning/vectors.ts'
import type { NumberLists } from './number-lists.ts'
import { FIELD_WEIGHT } from './rarity.ts'
import { maskDifference as differentBits } from './typos.ts'
import type { Vocabulary } from './vocabulary.ts'

/** So many documents are compared by their vectors, because that takes microseconds for each; they are chosen by their sketches. */
export const MOST_COMPARED = 200

export interface Similarity {
  /** Call this after the terms of a document are set. */
  add(document: number): void
  /** The number of a term now stands for nothing. */
  forget(term: number): void
  /** Sets the query: its words that are neither function words nor words of asking. Returns whether any of them has a vector. */
  ask(words: readonly string[]): boolean
  /** The documents whose sketches are the closest to that of the query, at most MOST_COMPARED: all up to some number of different bits. */
  nearest(mayBeFound: (document: number) => boolean, capacity: number): number[]
  /** The cosine of the vectors of query and document: how much they have to do with each other. */
  of(document: number): number
}

interface SimilaritySources {
  vocabulary: Vocabulary
  /** The terms of each document, as `term * 4 + field`. */
  termsOf: NumberLists
}

/**
 * Compares query and document by meaning. Each is the sum of the vectors of its words, in a document weighted by the field; the cosine of
 * the two sums says how much they have to do with each other, also when they share no word. A sketch is the signs of a sum, one bit for
 * each dimension. Both depend on nothing but the text, so they are the same in every process and stay the same when other documents change.
 */
export function createSimilarity(vectors: WordVectors, { vocabulary, termsOf }: SimilaritySources): Similarity {
  const { dimensions, rows, scales } = vectors
  const cells = Math.ceil(dimensions / 32)
  const query = new Float64Array(dimensions)
  const sum = new Float64Array(dimensions)
  const querySketch = new Uint32Array(cells)
  let queryLength = 0
  let sketches = new Uint32Array(cells << 10)
  let distances = new Uint16Array(0)
  // The row of each term plus two; 0: not looked up yet; 1: the term has none.
  let rowOfTerm = new Int32Array(1 << 10)

  function add(document: number): void {
    if ((document + 1) * cells > sketches.length) {
      const grown = new Uint32Array((document + 1) * cells * 2)
      grown.set(sketches)
      sketches = grown
    }
    sumUp(document)
    sketch(sum, sketches, document * cells)
  }

  function ask(words: readonly string[]): boolean {
    query.fill(0)
    for (const word of words) {
      const row = vectors.rowOf(word)
      if (row !== undefined) addRow(query, row, 1)
    }
    queryLength = lengthOf(query)
    sketch(query, querySketch, 0)
    return queryLength > 0
  }

  function nearest(mayBeFound: (document: number) => boolean, capacity: number): number[] {
    if (distances.length < capacity) distances = new Uint16Array(Math.ceil(capacity * 1.25))
    const counts = new Uint32Array(dimensions + 1)
    for (let document = 0; document < capacity; document++) {
      distances[document] = dimensions + 1
      if (termsOf.lengthOf(document) === 0 || !mayBeFound(document)) continue
      let different = 0
      const start = document * cells
      for (let cell = 0; cell < cells; cell++) different += differentBits(sketches[start + cell]!, querySketch[cell]!)
      distances[document] = different
      counts[different]!++
    }
    let limit = -1
    let total = 0
    while (limit < dimensions && (total += counts[limit + 1]!) <= MOST_COMPARED) limit++
    const found: number[] = []
    for (let document = 0; document < capacity; document++) if (distances[document]! <= limit) found.push(document)
    return found
  }

  function of(document: number): number {
    sumUp(document)
    const length = lengthOf(sum)
    if (length === 0) return 0
    let product = 0
    for (let at = 0; at < dimensions; at++) product += query[at]! * sum[at]!
    return product / (length * queryLength)
  }

  function sumUp(document: number): void {
    sum.fill(0)
    const start = termsOf.start[document]!
    const end = start + termsOf.lengthOf(document)
    for (let at = start; at < end; at++) {
      const entry = termsOf.data[at]!
      const row = rowOf(entry >>> 2)
      if (row >= 0) addRow(sum, row, FIELD_WEIGHT[entry & 3]!)
    }
  }

  function addRow(to: Float64Array, row: number, weight: number): void {
    const factor = weight * scales[row]!
    const start = row * dimensions
    for (let at = 0; at < dimensions; at++) to[at]! += factor * rows[start + at]!
  }

  function rowOf(term: number): number {
    if (term >= rowOfTerm.length) {
      const grown = new Int32Array((term + 1) * 2)
      grown.set(rowOfTerm)
      rowOfTerm = grown
    }
    if (rowOfTerm[term] === 0) rowOfTerm[term] = (vectors.rowOf(vocabulary.textOf(term)) ?? -1) + 2
    return rowOfTerm[term]! - 2
  }

  function forget(term: number): void {
    if (term < rowOfTerm.length) rowOfTerm[term] = 0
  }

  return { add, forget, ask, nearest, of }
}

function lengthOf(vector: Float64Array): number {
  let squares = 0
  for (const value of vector) squares += value * value
  return Math.sqrt(squares)
}

/** Writes the signs of a vector, one bit for each dimension. */
function sketch(vector: Float64Array, to: Uint32Array, start: number): void {
  to.fill(0, start, start + Math.ceil(vector.length / 32))
  for (const [at, value] of vector.entries()) if (value > 0) to[start + (at >>> 5)]! |= 1 << (at & 31)
}
