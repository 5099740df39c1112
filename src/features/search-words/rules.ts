// Which words of a language model's answer may be proposed. The answer can be anything, because the texts that the model reads can.
import { isObject } from '../../kernel/values/objects.ts'
import { ASKING_WORDS, FUNCTION_WORDS, words } from '../../search/index.ts'
import { findInstructions } from '../listings/instructions/find-instructions.ts'
import { SEARCH_WORDS_LENGTH } from '../listings/schema.ts'

const MOST_WORDS = 40
const LONGEST_WORD = 30
// More is read than is kept, because much of it is dropped.
const MOST_READ = 100
const TERM_LENGTH = 60
const WORDS_OF_TERM = 5
// Letters, digits and the signs that a term may have.
const TERM = /^[\p{L}\p{N}\p{M} '’&+#-]+$/u
// A single letter, or digits alone.
const NO_WORD = /^(?:[a-z]|\p{N}+)$/u

/** A term of the answer, as its words. */
type Term = readonly string[]

/** The terms of an answer `{ words: ["…", …] }`. Sentences, markup, addresses and instructions are left out. */
export function termsOfAnswer(answer: unknown): Term[] {
  const given = isObject(answer) && Array.isArray(answer.words) ? answer.words.slice(0, MOST_READ) : []
  return given.flatMap((text) => {
    if (typeof text !== 'string' || text.length > TERM_LENGTH || !TERM.test(text)) return []
    const term = words(text)
    return term.length === 0 || term.length > WORDS_OF_TERM || findInstructions(text).length > 0 ? [] : [term]
  })
}

/** Every run of neighbouring words in the terms, also of one word: each may be the name of a product. */
export const phrasesIn = (terms: readonly Term[]): string[] => [...new Set(terms.flatMap(phrasesOf))]

function phrasesOf(term: Term): string[] {
  const phrases: string[] = []
  for (let from = 0; from < term.length; from++)
    for (let to = from + 1; to <= term.length; to++) phrases.push(term.slice(from, to).join(' '))
  return phrases
}

const asOneWord = (text: string): string => words(text).join('')

/**
 * The words to propose, '' when there are none. A term with the name of another product is left out, and so are words that the listing is
 * found by already.
 */
export function proposedWords(
  terms: readonly Term[],
  ownTexts: readonly string[],
  otherNames: readonly string[],
): string {
  const ownWords = new Set(ownTexts.flatMap((text) => words(text)))
  const names = new Set(otherNames.map(asOneWord))
  const isUseful = (word: string): boolean =>
    word.length <= LONGEST_WORD &&
    !(NO_WORD.test(word) || ownWords.has(word) || FUNCTION_WORDS.has(word) || ASKING_WORDS.has(word))
  const useful = terms
    .filter((term) => !phrasesOf(term).some((phrase) => names.has(asOneWord(phrase))))
    .flat()
    .filter(isUseful)
  const list = [...new Set(useful)].slice(0, MOST_WORDS)
  while (list.join(' ').length > SEARCH_WORDS_LENGTH) list.pop()
  const proposed = list.join(' ')
  // Terms that are harmless alone may be an instruction together.
  return findInstructions(proposed).length > 0 ? '' : proposed
}
