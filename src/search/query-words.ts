import { words } from './words.ts'

export interface QueryWords {
  /** Every word in the order typed, to compare with the names of documents. */
  typed: string[]
  /** The distinct words that a document must match. */
  required: string[]
}

/** Function words are required only when there is nothing else to look for. */
export function queryWords(q: string): QueryWords {
  const typed = words(q)
  const distinct = [...new Set(typed)]
  const contentWords = distinct.filter((word) => !FUNCTION_WORDS.has(word))
  return { typed, required: contentWords.length > 0 ? contentWords : distinct }
}

/** Words that carry grammar and no meaning. "not" and "no" are absent, because they change the meaning. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the and or but of for with to in on at by from into about as than then is are was were be been am do does did ' +
    'has have had can will would should i me my you your he she his her it its we us our they them their this that these ' +
    'those there which who what how when where if so such some any also just via'
  ).split(' '),
)
