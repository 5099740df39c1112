import type { WordTerms } from './partial.ts'
import type { QueryWord } from './query-words.ts'
import { MOST_INEXACT, QUALITY, type Vocabulary } from './vocabulary.ts'

/** At most this many unknown words of a query are taken for misspelt ones. */
export const MOST_MISSPELT = 10

export interface ResolvedWords {
  wordTerms: WordTerms[]
  /** How many longer terms were taken for the words; undefined when a word was taken for a misspelt one or for two. */
  longer?: number
}

/**
 * The terms that match each word. Only the first unknown words are compared with all terms for typos, because that takes time, and the
 * number of longer and misspelt terms is limited for all words together. An unknown word for which `isWord` holds is not misspelt:
 * "dictation" does not mean "citation".
 */
export function resolveWords(
  required: readonly QueryWord[],
  vocabulary: Vocabulary,
  isWord?: (word: string) => boolean,
): ResolvedWords {
  let unknown = 0
  let isKnown = true
  let room = MOST_INEXACT
  const resolved = (word: string, joined: readonly string[], asks: boolean, typos: boolean): WordTerms => {
    const terms = vocabulary.termsMatching(word, joined, typos, room)
    room -= terms.filter((entry) => (entry & 3) <= QUALITY.prefix).length
    return { word, asks, terms }
  }
  const wordTerms = required.flatMap(({ word, joined, asks }) => {
    isKnown &&= vocabulary.isKnown(word)
    const parts = vocabulary.split(word)
    if (parts.length > 1) return parts.map((part) => resolved(part, [], asks, false))
    const typos = unknown < MOST_MISSPELT && !vocabulary.isKnown(word) && !isWord?.(word)
    if (typos) unknown++
    return [resolved(word, joined, asks, typos)]
  })
  return { wordTerms, longer: isKnown ? MOST_INEXACT - room : undefined }
}
