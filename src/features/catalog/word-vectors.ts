import { readFileSync } from 'node:fs'
import { parseVectors, type WordVectors } from '../../search/index.ts'

let loaded: WordVectors | undefined

/** The built-in vectors of words, read from their file the first time (scripts/meaning makes that file). */
export function loadVectors(): WordVectors {
  loaded ??= parseVectors(readFileSync(new URL('../../search/meaning/vectors.bin', import.meta.url)))
  return loaded
}
