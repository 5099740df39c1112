// The vectors of English words that come with the service, read from vectors.bin.
import { stemOf } from '../words/word-forms.ts'

/** Words of similar meaning have rows of similar direction; words that carry more meaning have rows with a larger norm. */
export interface WordVectors {
  dimensions: number
  /** All rows one after another: row r is rows[r * dimensions] to rows[(r + 1) * dimensions - 1], each times scales[r]. */
  rows: Int8Array
  scales: Float32Array
  /** The row of a word as `words` writes it, or else of the most frequent word with the same stem. */
  rowOf(word: string): number | undefined
  /** Whether it is one of the words, spelt as it is. */
  isWord(word: string): boolean
}

const HEADER_BYTES = 20

/**
 * The file, little-endian: "WVEC", version 1, number of words, dimensions, bytes of the word list (four uint32); a scale
 * per word (float32); a row per word (int8); the words, one per line, the most frequent first, each followed by a space
 * and its stem where no more frequent word has that stem.
 */
export function parseVectors(file: Buffer): WordVectors {
  if (file.toString('latin1', 0, 4) !== 'WVEC' || file.readUInt32LE(4) !== 1) {
    throw new Error('This is no file of word vectors of version 1. Restore it, or make it again with scripts/meaning.')
  }
  const count = file.readUInt32LE(8)
  const dimensions = file.readUInt32LE(12)
  const rowsStart = HEADER_BYTES + count * 4
  const listStart = rowsStart + count * dimensions
  if (file.length !== listStart + file.readUInt32LE(16)) {
    throw new Error('The file of word vectors is not complete. Restore it, or make it again with scripts/meaning.')
  }
  const scales = Float32Array.from({ length: count }, (_, row) => file.readFloatLE(HEADER_BYTES + row * 4))
  const rows = new Int8Array(file.buffer, file.byteOffset + rowsStart, count * dimensions)
  const rowByWord = new Map<string, number>()
  const rowByStem = new Map<string, number>()
  for (const [row, line] of file.toString('utf8', listStart).split('\n').entries()) {
    const [word = '', stem] = line.split(' ')
    rowByWord.set(word, row)
    if (stem !== undefined) rowByStem.set(stem, row)
  }
  return {
    ...{ dimensions, rows, scales },
    rowOf: (word) => rowByWord.get(word) ?? rowByStem.get(stemOf(word)),
    isWord: (word) => rowByWord.has(word),
  }
}
