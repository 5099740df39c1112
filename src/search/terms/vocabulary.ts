// The terms of all documents, and which of them match a word of a query: exactly, by form, by beginning or with typos.
import { initialOf } from '../stored/initials.ts'
import type { NumberLists } from '../stored/number-lists.ts'
import { termEntry, termOf } from '../stored/packed-numbers.ts'
import { inSteps, type Saved } from '../stored/saved.ts'
import { FUNCTION_WORDS } from '../words/query-words.ts'
import { hasForms, stemOf } from '../words/word-forms.ts'
import { createNearTerms } from './near-terms.ts'
import { SortedTerms } from './sorted-terms.ts'

/** How well a term matches a word of the query; the number is part of the score. */
export const QUALITY = { typo: 0, prefix: 1, form: 2, exact: 3 } as const

/** The terms, that is the distinct words of all documents, by small numbers that are reused after a term is forgotten. */
export interface Vocabulary {
  /** Adds the term when it is new, and returns its number. */
  add(text: string): number
  /** Call this when no document has the term any more. */
  forget(term: number): void
  numberOf(text: string): number | undefined
  textOf(term: number): string
  /**
   * The terms that match a word of the query, each as a term entry with the quality, longer terms last; a term may be listed more than
   * once. `joined`: the word written as one with its neighbours. `mayBeMisspelt`: terms with typos are listed when there is no other term.
   * Of longer terms, and of terms with typos, only the `most` that the most documents have are listed. The longer terms of a word of one
   * letter are not listed: `Initials` finds their documents.
   */
  termsMatching(word: string, joined: readonly string[], mayBeMisspelt: boolean, most?: number): number[]
  /** Whether a term is the word, is a form of it, or begins with it. */
  isKnown(word: string): boolean
  /** Rises with every term that is added or forgotten. */
  version(): number
  /**
   * The term that is probably meant by a word that is not known: one that sounds the same ("foto", "photo"), or else of the most likely
   * terms (see `NearTerms.likelyFor`) the one that the most documents have, of equal ones the first by `<`.
   */
  respelt(word: string, isBold: boolean): string | undefined
  /** For a word that only typos could explain: two terms that are the word when written as one, or the word alone. */
  split(word: string): string[]
  save(): Saved
  restore(saved: Saved): Generator<void>
}

/** `postings`: which documents have a term. */
export function createVocabulary(postings: NumberLists): Vocabulary {
  const numbers = new Map<string, number>()
  const texts: string[] = []
  const vacant: number[] = []
  const termsByStem = new Map<string, number[]>()
  const sorted = new SortedTerms(texts)
  const nearTerms = createNearTerms(texts)
  let version = 0

  function add(text: string): number {
    const known = numbers.get(text)
    if (known !== undefined) return known
    const term = vacant.pop() ?? texts.length
    // A substring keeps the whole text in memory, a copy does not.
    const own = Buffer.from(text).toString()
    texts[term] = own
    numbers.set(own, term)
    addForm(own, term)
    sorted.insert(term)
    nearTerms.add(term)
    version++
    return term
  }

  function addForm(text: string, term: number): void {
    if (!hasForms(text)) return
    const stem = stemOf(text)
    const terms = termsByStem.get(stem)
    if (terms) terms.push(term)
    else termsByStem.set(stem, [term])
  }

  function forget(term: number): void {
    version++
    nearTerms.remove(term)
    const text = texts[term]!
    numbers.delete(text)
    if (hasForms(text)) {
      const stem = stemOf(text)
      const others = (termsByStem.get(stem) ?? []).filter((other) => other !== term)
      if (others.length > 0) termsByStem.set(stem, others)
      else termsByStem.delete(stem)
    }
    sorted.remove(term)
    texts[term] = ''
    vacant.push(term)
  }

  function termsMatching(
    word: string,
    joined: readonly string[],
    mayBeMisspelt: boolean,
    most = MOST_INEXACT,
  ): number[] {
    const found: number[] = []
    const exact = numbers.get(word)
    if (exact !== undefined) found.push(termEntry(exact, QUALITY.exact))
    for (const term of formsOf(word)) if (term !== exact) found.push(termEntry(term, QUALITY.form))
    for (const text of joined) {
      const term = numbers.get(text)
      if (term !== undefined) found.push(termEntry(term, QUALITY.form))
      for (const form of formsOf(text)) if (form !== term) found.push(termEntry(form, QUALITY.form))
    }
    if (most === 0) return found
    const longer = initialOf(word) === 0 ? longerThan(word, exact) : []
    if (longer.length > 0) return found.concat(mostUsed(longer, most))
    if (found.length > 0 || !mayBeMisspelt) return found
    const meant = meantBy(word)
    return meant.length > most ? mostUsed(inTextOrder(meant), most) : meant
  }

  /** The split whose shorter part is the longest; of two equal ones the first. */
  function split(word: string): string[] {
    let parts = [word]
    if (word.length > LONG || isKnown(word)) return parts
    let longest = 0
    for (let at = 2; at <= word.length - 2; at++) {
      const [first, second] = [word.slice(0, at), word.slice(at)]
      const shorter = Math.min(first.length, second.length)
      if (shorter <= longest || !isPart(first) || !isPart(second)) continue
      longest = shorter
      parts = [first, second]
    }
    return parts
  }

  const isPart = (text: string) =>
    (text.length > 2 || HAS_DIGIT.test(text)) && !FUNCTION_WORDS.has(text) && numbers.has(text)

  function isKnown(word: string): boolean {
    return numbers.has(word) || formsOf(word).length > 0 || sorted.firstWith(word) !== undefined
  }

  const formsOf = (word: string): number[] => (hasForms(word) && termsByStem.get(stemOf(word))) || []

  function longerThan(word: string, exact: number | undefined): number[] {
    const found: number[] = []
    for (const terms of sorted.allWith(word))
      for (const term of terms) if (term !== exact) found.push(termEntry(term, QUALITY.prefix))
    return found
  }

  /** The terms that a misspelt word may stand for, and all forms of each. */
  function meantBy(word: string): number[] {
    const found: number[] = []
    for (const entry of nearTerms.nearTo(word)) {
      const term = termOf(entry)
      found.push(termEntry(term, QUALITY.typo))
      for (const form of formsOf(texts[term]!)) if (form !== term) found.push(termEntry(form, QUALITY.typo))
    }
    return found
  }

  function respelt(word: string, isBold: boolean): string | undefined {
    const soundsAlike = numbers.get(word.replaceAll('f', 'ph'))
    if (soundsAlike !== undefined) return texts[soundsAlike]
    const likely = nearTerms.likelyFor(word, isBold)
    const most = likely.reduce((count, term) => Math.max(count, postings.length[term]!), 0)
    const [first] = likely.flatMap((term) => (postings.length[term] === most ? texts[term]! : [])).sort()
    return first
  }

  /** The same terms in the order of their texts, each once. */
  function inTextOrder(terms: readonly number[]): number[] {
    const entries = new Map(terms.map((entry) => [termOf(entry), entry]))
    return [...sorted.allWith('')].flatMap((block) => block.flatMap((term) => entries.get(term) ?? []))
  }

  /**
   * Returns at most `most` of the terms: the ones that the most documents have, of equal ones the first. The given terms are in the order
   * of their texts. The choice depends on nothing but the documents, so it is the same in every process.
   */
  function mostUsed(terms: number[], most: number): number[] {
    let used = terms
    // Raises the least number of documents until few enough terms are left. Of the terms with just that number, the first fill the room.
    for (let count = 1; used.length > most; count++) {
      const more = used.filter((entry) => postings.length[termOf(entry)]! > count)
      let room = most - more.length
      used = room < 0 ? more : used.filter((entry) => postings.length[termOf(entry)]! > count || room-- > 0)
    }
    return used
  }

  return {
    add,
    forget,
    numberOf: (text) => numbers.get(text),
    textOf: (term) => texts[term]!,
    termsMatching,
    isKnown,
    version: () => version,
    respelt,
    split,
    save: () => ({ texts, masks: nearTerms.save(), sorted: sorted.save() }),
    *restore(saved) {
      nearTerms.restore(saved.masks as Uint32Array<ArrayBuffer>)
      yield* inSteps(saved.texts as string[], (text, term) => {
        texts[term] = text
        if (text === '') return void vacant.push(term)
        numbers.set(text, term)
        addForm(text, term)
      })
      yield* sorted.restore(saved.sorted as Uint32Array)
    },
  }
}

/** At most this many longer or misspelt terms are taken for one query. */
export const MOST_INEXACT = 20_000

/** A word with more characters is not split into two. */
const LONG = 64
const HAS_DIGIT = /[0-9]/
