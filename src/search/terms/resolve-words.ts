// Looks up the words of a query among the terms of the index. An unknown word is split into two terms or taken for a misspelt term.
import { initialOf } from '../stored/initials.ts'
import { qualityOf } from '../stored/packed-numbers.ts'
import type { QueryWord, QueryWords } from '../words/query-words.ts'
import { MOST_INEXACT, QUALITY, type Vocabulary } from './vocabulary.ts'

/** At most this many unknown words of a query are taken for misspelt ones. */
export const MOST_MISSPELT = 10

/** A word of the query with the terms that match it, each as a term entry with the quality. */
export interface WordTerms extends QueryWord {
  /** Whether a term is the word, a form of it, or begins with it. False for a part of an unknown word that was split. */
  isKnown: boolean
  terms: readonly number[]
  /** For a word of one letter, which longer words match, too: see `initialOf`. 0 for others. */
  initial: number
}

/** The words that a full match must have: those that are not optional, or all if there is no other. */
export function neededWords<T extends { isOptional: boolean }>(words: readonly T[]): readonly T[] {
  const needed = words.filter(({ isOptional }) => !isOptional)
  return needed.length > 0 ? needed : words
}

export interface ResolvedWords {
  wordTerms: WordTerms[]
  /** How many longer and misspelt terms were taken for the words. */
  inexact: number
}

/**
 * Finds the terms that match each word. Only the first unknown words are compared with all terms for typos, because that takes time, and
 * the number of longer and misspelt terms is limited for all words together. An unknown word for which `isWord` holds is not misspelt:
 * "dictation" does not mean "citation".
 */
export function resolveWords(
  required: readonly QueryWord[],
  vocabulary: Vocabulary,
  isWord: (word: string) => boolean | undefined,
): ResolvedWords {
  let unknown = 0
  let room = MOST_INEXACT
  const withTerms = (typed: QueryWord, isKnown: boolean, mayBeMisspelt: boolean): WordTerms => {
    const { word, joined, isWhole } = typed
    const terms = vocabulary.termsMatching(word, joined, mayBeMisspelt, isWhole ? 0 : room)
    room -= terms.filter((entry) => qualityOf(entry) <= QUALITY.prefix).length
    return { ...typed, isKnown, terms, initial: isWhole ? 0 : initialOf(word) }
  }
  const wordTerms = required.flatMap((typed) => {
    const { word } = typed
    const isKnown = vocabulary.isKnown(word)
    const parts = vocabulary.split(word)
    if (parts.length > 1) return parts.map((part) => withTerms({ ...typed, word: part, joined: [] }, false, false))
    const mayBeMisspelt = unknown < MOST_MISSPELT && !isKnown && !isWord(word)
    if (mayBeMisspelt) unknown++
    return [withTerms(typed, isKnown, mayBeMisspelt)]
  })
  return { wordTerms, inexact: MOST_INEXACT - room }
}

/**
 * The words of a query with each unknown one replaced by the term that is probably meant, or undefined when there is none to replace.
 * `isBold`: words for which `isWord` holds may be misspelt, too. Words of `spelt` never are.
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
