import type { WordVectors } from './meaning/vectors.ts'
import type { NumberLists } from './number-lists.ts'
import type { Saved } from './saved.ts'
import type { Vocabulary } from './vocabulary.ts'
import { FIELD_WEIGHT } from './word-scores.ts'

/** At most this many documents are compared by their vectors; they are chosen by their sketches. */
export const MOST_COMPARED = 200

/** The documents that may be found: those whose stage is at least `least`. */
export interface Eligible {
  stage: Int16Array
  least: number
  /** One more than the highest number of a document. */
  capacity: number
}

export interface Similarity {
  /** Call this after the terms of a document are set. */
  add(document: number): void
  remove(document: number): void
  /** Call this when a term is removed, because its number will be reused. */
  forget(term: number): void
  /** Sets the query: its words that are neither function words nor words of asking. Returns whether any of them has a vector. */
  ask(words: readonly string[]): boolean
  /** The documents whose sketches are the closest to that of the query, at most MOST_COMPARED: all up to some number of different bits. */
  nearest(eligible: Eligible): number[]
  /** The cosine of the vectors of query and document: how much they have to do with each other. */
  of(document: number): number
  save(): Saved
  restore(saved: Saved): void
}

interface SimilaritySources {
  vocabulary: Vocabulary
  /** The terms of each document, as `term * 4 + field`. */
  termsOf: NumberLists
}

/**
 * Compares query and document by meaning. Each is the sum of the vectors of its words, in a document weighted by the field; the cosine of
 * the two sums says how much they have to do with each other, also when they share no word. The sum of a document is kept in whole numbers
 * from -127 to 127, and its signs as a sketch, one bit for each dimension. Both depend on nothing but the text, so they are the same in
 * every process and stay the same when other documents change.
 */
export function createSimilarity(vectors: WordVectors, { vocabulary, termsOf }: SimilaritySources): Similarity {
  const { dimensions, rows, scales } = vectors
  const cells = Math.ceil(dimensions / 32)
  const query = new Float64Array(dimensions)
  const sum = new Float64Array(dimensions)
  const querySketch = new Uint32Array(cells)
  let queryNorm = 0
  let kept = new Int8Array(dimensions << 10)
  let sketches = new Uint32Array(cells << 10)
  let hasVector = new Uint8Array(1 << 10)
  // The row of each term plus two; 0: not looked up yet; 1: the term has none.
  let rowOfTerm = new Int32Array(1 << 10)

  function add(document: number): void {
    if (document >= hasVector.length) grow(Math.ceil((document + 1) * 1.25))
    sum.fill(0)
    const from = termsOf.start[document]!
    const end = from + termsOf.lengthOf(document)
    for (let at = from; at < end; at++) {
      const entry = termsOf.data[at]!
      const row = rowOf(entry >>> 2)
      if (row >= 0) addRow(sum, row, FIELD_WEIGHT[entry & 3]!)
    }
    let largest = 0
    for (let at = 0; at < dimensions; at++) largest = Math.max(largest, Math.abs(sum[at]!))
    hasVector[document] = largest > 0 ? 1 : 0
    if (largest === 0) return
    const start = document * dimensions
    for (let at = 0; at < dimensions; at++) kept[start + at] = Math.round((sum[at]! * 127) / largest)
    writeSketch(kept, start, dimensions, sketches, document * cells)
  }

  function grow(documents: number): void {
    const larger = new Int8Array(documents * dimensions)
    larger.set(kept)
    kept = larger
    const moreSketches = new Uint32Array(documents * cells)
    moreSketches.set(sketches)
    sketches = moreSketches
    const more = new Uint8Array(documents)
    more.set(hasVector)
    hasVector = more
  }

  function ask(words: readonly string[]): boolean {
    query.fill(0)
    for (const word of words) {
      const row = vectors.rowOf(word)
      if (row !== undefined) addRow(query, row, 1)
    }
    queryNorm = lengthOf(query, 0, dimensions)
    writeSketch(query, 0, dimensions, querySketch, 0)
    return queryNorm > 0
  }

  function nearest({ stage, least, capacity }: Eligible): number[] {
    const counts = new Uint32Array(dimensions + 1)
    const found: number[] = []
    const distances: number[] = []
    const [asked, all, exists] = [querySketch, sketches, hasVector]
    let limit = dimensions
    let total = 0
    for (let document = 0; document < capacity; document++) {
      let ones = 0
      for (let cell = 0, at = document * cells; cell < cells; cell++, at++) ones += onesInBytes(all[at]! ^ asked[cell]!)
      const distance = sumOfBytes(ones)
      if (distance > limit || exists[document] === 0 || stage[document]! < least) continue
      found.push(document)
      distances.push(distance)
      counts[distance]!++
      total++
      // More than MOST_COMPARED documents are within the limit: those at the limit are dropped, and the limit is lowered.
      while (total > MOST_COMPARED) total -= counts[limit--]!
    }
    return found.filter((_, at) => distances[at]! <= limit)
  }

  function of(document: number): number {
    if (hasVector[document] === 0) return 0
    let product = 0
    const start = document * dimensions
    for (let at = 0; at < dimensions; at++) product += query[at]! * kept[start + at]!
    return product / (lengthOf(kept, start, dimensions) * queryNorm)
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

  return {
    add,
    remove(document) {
      hasVector[document] = 0
    },
    forget(term) {
      if (term < rowOfTerm.length) rowOfTerm[term] = 0
    },
    ask,
    nearest,
    of,
    save: () => ({ kept, sketches, hasVector }),
    restore(saved) {
      kept = saved.kept as typeof kept
      sketches = saved.sketches as typeof sketches
      hasVector = saved.hasVector as typeof hasVector
    },
  }
}

type Numbers = Float64Array | Int8Array

/** The Euclidean norm of `count` numbers. */
function lengthOf(values: Numbers, start: number, count: number): number {
  let squares = 0
  for (let at = start; at < start + count; at++) squares += values[at]! * values[at]!
  return Math.sqrt(squares)
}

/** Writes the signs of `count` numbers, one bit for each. */
function writeSketch(values: Numbers, start: number, count: number, to: Uint32Array, cell: number): void {
  for (let at = 0; at < count; at += 32) {
    let bits = 0
    for (let bit = 0; bit < 32 && at + bit < count; bit++) if (values[start + at + bit]! > 0) bits |= 1 << bit
    to[cell + (at >>> 5)] = bits
  }
}

/** How many bits are set in each of the four bytes. Results can be added up to 31 times before a byte is full. */
function onesInBytes(bits: number): number {
  bits -= (bits >>> 1) & 0x55555555
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return (bits + (bits >>> 4)) & 0x0f0f0f0f
}

function sumOfBytes(bytes: number): number {
  const pairs = (bytes & 0x00ff00ff) + ((bytes >>> 8) & 0x00ff00ff)
  return (pairs + (pairs >>> 16)) & 0xffff
}
