// The part of a listing's text that shows why a question found it, and the words to mark in it.
import { indexedWords, markTerms } from '../../search/index.ts'

export { markTerms }

/** What follows is not read: the beginning of a text says the most, and every result of a page is read. */
const READ = 4_000
/** A longer sentence begins a little before its first word that was found. */
const LONG = 140
const BEFORE = 50

/** The sentence that has the most of the terms; '' when none has any. */
export function quoteOf(text: string, terms: ReadonlySet<string>): string {
  let best = { sentence: '', count: 0 }
  for (const sentence of text.slice(0, READ).split(/(?<=[.!?])\s+|\n+/)) {
    const count = new Set(indexedWords(sentence).filter((word) => terms.has(word))).size
    if (count > best.count) best = { sentence: sentence.trim(), count }
  }
  const { sentence } = best
  if (sentence.length <= LONG) return sentence
  const [before] = markTerms(sentence, terms)
  const at = before && !before.isMarked ? before.text.length : 0
  return at > BEFORE ? `…${sentence.slice(sentence.indexOf(' ', at - BEFORE) + 1)}` : sentence
}
