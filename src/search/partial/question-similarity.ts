// How near in meaning a question and a document are, by the sums of the vectors of their words.
import type { Eligible } from '../matching/match-stages.ts'
import type { WordVectors } from '../meaning/vectors.ts'
import type { NumberLists } from '../stored/number-lists.ts'
import { fieldOfTerm, termOf } from '../stored/packed-numbers.ts'
import { partOf, type Saved, savedAs } from '../stored/saved.ts'
import type { Vocabulary } from '../terms/vocabulary.ts'
import { FIELD_WEIGHT } from './word-scores.ts'

/** At most this many documents are compared by their vectors; they are chosen by their sketches. */
export const MOST_COMPARED = 200

export interface Similarity {
  /** Call this after the terms of a document are set. */
  add(document: number): void
  remove(document: number): void
  /** Call this when a term is removed, because its number will be reused. */
  forget(term: number): void
  /**
   * Sets the query, with which the other functions compare documents: its words that are neither function words nor words of asking.
   * Returns whether any of them has a vector.
   */
  setQuery(words: readonly string[]): boolean
  /**
   * The documents whose sketches differ from that of the query in the fewest bits, at most MOST_COMPARED. If they do not all fit, those of
   * one number of different bits are left out together.
   */
  nearest(eligible: Eligible): number[]
  /**
   * Returns a function for the query that is set now: whether a document with this sketch would not be among the nearest, even if one of
   * those that `nearest` returned were removed.
   */
  farCheck(): (sketch: Uint32Array) => boolean
  /** Undefined for a document without a vector. */
  sketchOf(document: number): Uint32Array | undefined
  /** The cosine of the vectors of query and document: how much they have to do with each other. 0 for a document without a vector. */
  cosineOf(document: number): number
  save(): Saved
  restore(saved: Saved): void
}

// The vectors are kept in pages, because one array of all of them would have to be copied when it is full: at a million documents that
// stops the process for almost half a second.
const PAGE_BITS = 12
const PAGE_MASK = (1 << PAGE_BITS) - 1

/** The vectors and sketches of 4,096 documents, one after another. The names are those of the stored lists, too. */
interface Page {
  /** The vectors, in whole numbers. */
  kept: Int8Array<ArrayBuffer>
  sketches: Uint32Array<ArrayBuffer>
  /** 1 for a document that has a vector. */
  hasVector: Uint8Array<ArrayBuffer>
}

interface SimilaritySources {
  vocabulary: Vocabulary
  /** The terms of each document, as term entries with the field. */
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
  /** How many numbers of 32 bits a sketch has. */
  const cells = Math.ceil(dimensions / 32)
  const query = new Float64Array(dimensions)
  const sum = new Float64Array(dimensions)
  const querySketch = new Uint32Array(cells)
  let queryNorm = 0
  /** In how many bits the sketches of the nearest documents may differ from that of the query. */
  let furthest = 0
  const pages: Page[] = []
  // By term: the row of its vector plus two; 0: not looked up yet; 1: the term has none.
  let rowOfTerm = new Int32Array(1 << 10)

  function add(document: number): void {
    const page = document >>> PAGE_BITS
    while (pages.length <= page) pages.push(newPage())
    const { kept, sketches, hasVector } = pages[page]!
    const place = document & PAGE_MASK
    sum.fill(0)
    const data = termsOf.dataOf(document)
    const from = termsOf.startOf(document)
    const end = from + termsOf.lengthOf(document)
    for (let at = from; at < end; at++) {
      const entry = data[at]!
      const row = rowOf(termOf(entry))
      if (row >= 0) addRow(sum, row, FIELD_WEIGHT[fieldOfTerm(entry)]!)
    }
    let largest = 0
    for (let at = 0; at < dimensions; at++) largest = Math.max(largest, Math.abs(sum[at]!))
    hasVector[place] = largest > 0 ? 1 : 0
    if (largest === 0) return
    const start = place * dimensions
    for (let at = 0; at < dimensions; at++) kept[start + at] = Math.round((sum[at]! * 127) / largest)
    writeSketch(kept, start, dimensions, sketches, place * cells)
  }

  const newPage = (): Page => ({
    kept: new Int8Array(dimensions << PAGE_BITS),
    sketches: new Uint32Array(cells << PAGE_BITS),
    hasVector: new Uint8Array(1 << PAGE_BITS),
  })

  function setQuery(words: readonly string[]): boolean {
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
    /** By the number of different bits: how many of the documents found have it. */
    const counts = new Uint32Array(dimensions + 1)
    const found: number[] = []
    const distances: number[] = []
    const asked = querySketch
    /** The most bits in which a document may still differ. */
    let limit = dimensions
    let total = 0
    for (const [page, { sketches, hasVector }] of pages.entries()) {
      const first = page << PAGE_BITS
      const end = Math.min(1 << PAGE_BITS, capacity - first)
      for (let place = 0; place < end; place++) {
        let ones = 0
        for (let cell = 0, at = place * cells; cell < cells; cell++, at++)
          ones += onesInBytes(sketches[at]! ^ asked[cell]!)
        const distance = sumOfBytes(ones)
        if (distance > limit || hasVector[place] === 0 || stage[first + place]! < least) continue
        found.push(first + place)
        distances.push(distance)
        counts[distance]!++
        total++
        // More than MOST_COMPARED documents are within the limit: those at the limit are dropped, and the limit is lowered.
        while (total > MOST_COMPARED) total -= counts[limit--]!
      }
    }
    furthest = limit
    return found.filter((_, at) => distances[at]! <= limit)
  }

  function farCheck(): (sketch: Uint32Array) => boolean {
    const [asked, limit] = [querySketch.slice(), furthest]
    // If a document at the limit were removed, those that are one bit further away might be among the nearest.
    return (sketch) => {
      let ones = 0
      for (let cell = 0; cell < cells; cell++) ones += onesInBytes(sketch[cell]! ^ asked[cell]!)
      return sumOfBytes(ones) > limit + 1
    }
  }

  function sketchOf(document: number): Uint32Array | undefined {
    const { sketches, hasVector } = pages[document >>> PAGE_BITS]!
    const place = document & PAGE_MASK
    return hasVector[place] === 0 ? undefined : sketches.slice(place * cells, (place + 1) * cells)
  }

  function cosineOf(document: number): number {
    const { kept, hasVector } = pages[document >>> PAGE_BITS]!
    const place = document & PAGE_MASK
    if (hasVector[place] === 0) return 0
    let product = 0
    const start = place * dimensions
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
      const larger = new Int32Array((term + 1) * 2)
      larger.set(rowOfTerm)
      rowOfTerm = larger
    }
    if (rowOfTerm[term] === 0) rowOfTerm[term] = (vectors.rowOf(vocabulary.textOf(term)) ?? -1) + 2
    return rowOfTerm[term]! - 2
  }

  return {
    add,
    remove(document) {
      pages[document >>> PAGE_BITS]!.hasVector[document & PAGE_MASK] = 0
    },
    forget(term) {
      if (term < rowOfTerm.length) rowOfTerm[term] = 0
    },
    setQuery,
    nearest,
    farCheck,
    sketchOf,
    cosineOf,
    save: () => Object.assign({}, ...pages.map((page, at) => savedAs(String(at), { ...page }))),
    restore(saved) {
      for (let at = 0; saved[`${at}.kept`]; at++) {
        const { kept, sketches, hasVector } = partOf(saved, String(at))
        pages.push({
          kept: kept as Page['kept'],
          sketches: sketches as Page['sketches'],
          hasVector: hasVector as Page['hasVector'],
        })
      }
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
