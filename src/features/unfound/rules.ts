// Which questions are counted, and in which form.
import { ASKING_WORDS, FUNCTION_WORDS, words } from '../../search/index.ts'

const MOST_WORDS = 10
/** A longer one is no word that others would use; it may be a secret that was pasted. */
const LONGEST_WORD = 30

/** Words by fewer callers of one day are never stored. */
export const LEAST_CALLERS = 5
/** When the table has this many rows, only questions that it has already are counted. */
export const MOST_ROWS = 10_000

/** The distinct words that say what is looked for, sorted; '' when there are none. Two wordings of one question are equal then. */
export function contentWordsOf(q: string): string {
  const content = words(q).filter(
    (word) => word.length <= LONGEST_WORD && !FUNCTION_WORDS.has(word) && !ASKING_WORDS.has(word),
  )
  return [...new Set(content)].slice(0, MOST_WORDS).sort().join(' ')
}
