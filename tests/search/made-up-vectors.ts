import { type WordVectors, words } from '../../src/search/index.ts'

/** Vectors for most of the words, so that some documents are close to a query that shares no word with them. */
export function madeUpVectors(vocabulary: readonly string[]): WordVectors {
  const known = vocabulary.map((text) => words(text)[0] ?? '').filter((_, at) => at % 4 !== 0)
  return {
    dimensions: 40,
    rows: Int8Array.from({ length: known.length * 40 }, (_, at) => ((at * 7919 + (at >> 3) * 104729) % 255) - 127),
    scales: Float32Array.from(known, (_, at) => 0.01 + (at % 5) / 100),
    rowOf: (word) => (known.includes(word) ? known.indexOf(word) : undefined),
    isWord: (word) => known.includes(word),
  }
}
