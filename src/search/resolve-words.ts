// Looks up the words of a query among the terms of the index; unknown ones are split or taken for misspelt.
import { initialOf } from './initials.ts'
import type { WordTerms } from './partial.ts'
import type { QueryWord, QueryWords } from './query-words.ts'
import { MOST_INEXACT, QUALITY, type Vocabulary } from './vocabulary.ts'

/** At most this many unknown words of a query are taken for misspelt ones. */
export const MOST_MISSPELT = 10

export interface ResolvedWords {
  wordTerms: WordTerms[]
  /** How many longer and misspelt terms were taken for the words. */
  inexact: number
}

/**
 * The terms that match each word. Only the first unknown words are compared with all terms for typos, because that takes time, and the
 * number of longer and misspelt terms is limited for all words together. An unknown word for which `isWord` holds is not misspelt:
 * "dictation" does not mean "citation".
 */
export function resolveWords(
  required: readonly QueryWord[],
  vocabulary: Vocabulary,
  isWord: (word: string) => boolean | undefined,
): ResolvedWords {
  let unknown = 0
  let room = MOST_INEXACT
  const resolved = (typed: QueryWord, isKnown: boolean, typos: boolean): WordTerms => {
    const { word, joined, asks, isOptional, isWhole } = typed
    const terms = vocabulary.termsMatching(word, joined, typos, isWhole ? 0 : room)
    room -= terms.filter((entry) => (entry & 3) <= QUALITY.prefix).length
    return { word, joined, isKnown, asks, isOptional, isWhole, terms, initial: isWhole ? 0 : initialOf(word) }
  }
  const wordTerms = required.flatMap((typed) => {
    const { word } = typed
    const isKnown = vocabulary.isKnown(word)
    const parts = vocabulary.split(word)
    if (parts.length > 1) return parts.map((part) => resolved({ ...typed, word: part, joined: [] }, false, false))
    const typos = unknown < MOST_MISSPELT && !isKnown && !isWord(word)
    if (typos) unknown++
    return [resolved(typed, isKnown, typos)]
  })
  return { wordTerms, inexact: MOST_INEXACT - room }
}

/**
 * The words of a query with each unknown one replaced by the term that is probably meant, or undefined when there is none to replace.
 * `isBold`: words for which `isWord` holds may be misspelt, too; those of `spelt` never are.
 */
export function respell(
  { typed, required }: QueryWords,
  vocabulary: Vocabulary,
  isWord: ((word: string) => boolean) | undefined,
  isBold: boolean,
  spelt?: ReadonlySet<string>,
): string[] | undefined {
  const isUnknown = ({ word, joined, asks }: QueryWord) =>
    !asks && !spelt?.has(word) && !(isWord?.(word) && !isBold) && ![word, ...joined].some(vocabulary.isKnown)
  const meant = new Map(
    required
      .filter(isUnknown)
      .slice(0, MOST_MISSPELT)
      .map(({ word }) => [word, vocabulary.respelt(word, isBold) ?? word]),
  )
  const respelt = typed.map((word) => meant.get(word) ?? word)
  return respelt.some((word, at) => word !== typed[at]) ? respelt : undefined
}
