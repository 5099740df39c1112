// Which questions are counted, and in which form.
import { ASKING_WORDS, FUNCTION_WORDS, words } from '../../search/index.ts'

const MAX_WORDS = 10
/** Longer words are left out: other callers would not use them, and they may be pasted secrets. */
const MAX_WORD_LENGTH = 30

/** A question that fewer callers asked on one day is never stored. */
export const LEAST_CALLERS = 5
/** When the table has this many rows, no new question is stored; questions that it has already are still counted. */
export const MOST_ROWS = 10_000

/** The distinct words that say what is looked for, sorted, so that two wordings of one question are the same; '' when there are none. */
export function contentWordsOf(q: string): string {
  const content = words(q).filter(
    (word) => word.length <= MAX_WORD_LENGTH && !FUNCTION_WORDS.has(word) && !ASKING_WORDS.has(word),
  )
  return [...new Set(content)].slice(0, MAX_WORDS).sort().join(' ')
}
