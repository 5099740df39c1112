// The part of a listing's text that shows why a question found it, and the words to mark in it.
import { indexedWords, markTerms, words } from '../../../search/index.ts'

export { markTerms }

/**
 * The words that are marked in a text. Two neighbouring marked words are also in the set joined, because a term may be a compound of both.
 * The text is read once for all terms.
 */
export function markedWords(text: string, terms: readonly string[]): ReadonlySet<string> {
  const marked = markTerms(text, new Set(terms)).flatMap(({ text, isMarked }) => (isMarked ? text : []))
  return new Set(marked.flatMap((one, at) => [...indexedWords(one), words(`${one} ${marked[at + 1] ?? ''}`).join('')]))
}

/** Only so many characters of a text are read: its beginning says the most, and the texts of every result of a page are read. */
const READ_CHARACTERS = 4_000
/** A longer sentence begins a little before its first word that was found. */
const LONGEST_WHOLE = 140
/** How many characters before that word are shown. */
const SHOWN_BEFORE = 50
/** Chinese and Japanese have no space after a sentence. */
const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])\s*|\n+/

/** The sentence that has the most of the terms; '' when none has any. */
export function quoteOf(text: string, terms: ReadonlySet<string>): string {
  let best = { sentence: '', count: 0 }
  for (const sentence of text.slice(0, READ_CHARACTERS).split(SENTENCE_END)) {
    const count = new Set(indexedWords(sentence).filter((word) => terms.has(word))).size
    if (count > best.count) best = { sentence: sentence.trim(), count }
  }
  const { sentence } = best
  if (sentence.length <= LONGEST_WHOLE) return sentence
  const [before] = markTerms(sentence, terms)
  const at = before && !before.isMarked ? before.text.length : 0
  if (at <= SHOWN_BEFORE) return sentence
  const blank = sentence.indexOf(' ', at - SHOWN_BEFORE)
  return `…${sentence.slice(blank !== -1 && blank < at ? blank + 1 : at - SHOWN_BEFORE)}`
}

/**
 * Returns a function that tells whether the text has a term of the index as a word. Only the beginning of the text is split into words, and
 * only for a term that is not in the text as it is written.
 */
export function termChecker(text: string): (term: string) => boolean {
  let lower: string | undefined
  let all: ReadonlySet<string> | undefined
  return (term) =>
    hasAsWord((lower ??= text.toLowerCase()), term) ||
    (all ??= new Set(indexedWords(text.slice(0, READ_CHARACTERS)))).has(term)
}

const LETTER = /[\p{L}\p{N}]/u

/** Whether the term is in the text without a letter or digit right before or after it. A regular expression for each term takes longer. */
function hasAsWord(text: string, term: string): boolean {
  for (let at = text.indexOf(term); at !== -1 && at < text.length; at = text.indexOf(term, at + 1)) {
    const end = at + term.length
    if (!LETTER.test(text.slice(Math.max(0, at - 1), at)) && !LETTER.test(text.slice(end, end + 1))) return true
  }
  return false
}

/** Two forms of a word have at least this many letters in common at the beginning, and after them only an ending. */
const SAME_LETTERS = 6
const ENDING = /^(?:e?s|e[dr]?|ing|or|y|ies|i[sz](?:e[ds]?|ing|ation))?$/

/**
 * Returns a function that tells whether the text has a word that looks like a form of the given one, although search keeps both apart:
 * "summary" and "summarise". "follow" is no form of "follow-up". The text is read when the first word is given that is long enough.
 */
export function formChecker(text: () => string): (word: string) => boolean {
  let all: readonly string[] | undefined
  return (word) => {
    const [asked = '', ...others] = indexedWords(word)
    if (asked.length < SAME_LETTERS || others.length > 0) return false
    all ??= [...new Set(indexedWords(text().slice(0, READ_CHARACTERS)))]
    return all.some((one) => {
      let same = 0
      while (same < one.length && one[same] === asked[same]) same++
      return same >= SAME_LETTERS && [one, asked].every((form) => ENDING.test(form.slice(same)))
    })
  }
}
