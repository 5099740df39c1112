// The terms of all documents, and which of them match a word of a query: exactly, by form, by beginning or with typos.
import { initialOf } from './initials.ts'
import { grown, type NumberLists } from './number-lists.ts'
import { FUNCTION_WORDS } from './query-words.ts'
import { inSteps, type Saved } from './saved.ts'
import { SortedTerms } from './sorted-terms.ts'
import {
  boldTyposAllowed,
  CONSONANTS,
  consonantsOf,
  letterMask,
  maskDifference,
  typosAllowed,
  withinTypos,
} from './typos.ts'
import { hasForms, stemOf } from './word-forms.ts'

/** How well a term matches a word of the query; the number is part of the score. */
export const QUALITY = { typo: 0, prefix: 1, form: 2, exact: 3 } as const

/** The terms, that is the distinct words of all documents, by small numbers that are reused after a term is forgotten. */
export interface Vocabulary {
  /** The number of the term, which is added when it is new. */
  number(text: string): number
  forget(term: number): void
  numberOf(text: string): number | undefined
  textOf(term: number): string
  /**
   * The terms that match a word of the query, each as `term * 4 + quality`, longer terms last; a term may be listed more than once.
   * `joined`: the word written as one with its neighbours. `typos`: whether an unknown word may be misspelt. For a word of
   * one letter, `Initials` finds the longer terms. Of longer or misspelt terms, only the `most` that the most documents have are listed.
   */
  termsMatching(word: string, joined: readonly string[], typos: boolean, most?: number): number[]
  /** Whether a term is the word, a form of it, or begins with it. */
  isKnown(word: string): boolean
  /** Rises with every term that is added or forgotten. */
  version(): number
  /**
   * The term that is probably meant by a word that is not known: with the fewest typos; of equal ones one that begins with the same letter,
   * then one of which letters were swapped, then one of which a letter was left out, then the one that the most documents have, then the
   * first by `<`. `isBold`: it must begin alike, and one typo more is allowed if it has
   * the same consonants ("disgn" is "design", not "digi") or one letter more than three ("wok" is "work"). A term that only sounds the same
   * ("foto", "photo") comes first.
   */
  respelt(word: string, isBold: boolean): string | undefined
  /** For a word that only typos could explain: two terms that are the word when written as one, or the word alone. */
  split(word: string): string[]
  save(): Saved
  restore(saved: Saved): Generator<void>
}

/** The terms that are as many typos away from a word as it may have, each as `term * 4 + typos`. */
interface NearTerms {
  limit: number
  mask: number
  terms: Uint32Array
  /** Those of the terms that are the most likely ones but for the number of documents that have them; undefined until it is asked. */
  likely?: readonly number[]
}

/** `postings`: which documents have a term. */
export function createVocabulary(postings: NumberLists): Vocabulary {
  const numbers = new Map<string, number>()
  const texts: string[] = []
  const vacant: number[] = []
  const forms = new Map<string, number[]>()
  const sorted = new SortedTerms(texts)
  let masks = new Uint32Array(1 << 10)
  /** By word: the terms that `nearTo` has found. The words that were asked for last are at the end. */
  const near = new Map<string, NearTerms>()
  let version = 0

  function number(text: string): number {
    const known = numbers.get(text)
    if (known !== undefined) return known
    const term = vacant.pop() ?? texts.length
    // A substring keeps the whole text in memory, a copy does not.
    const own = Buffer.from(text).toString()
    if (term >= masks.length) masks = grown(masks, (term + 1) * 2)
    texts[term] = own
    masks[term] = letterMask(own)
    numbers.set(own, term)
    addForm(own, term)
    sorted.insert(term)
    version++
    for (const [word, to] of near) {
      const typos = typosAway(term, word, to)
      if (typos === undefined) continue
      to.terms = Uint32Array.of(...to.terms, term * 4 + typos)
      to.likely = undefined
      if (to.terms.length > MOST_REMEMBERED) near.delete(word)
    }
    return term
  }

  function addForm(text: string, term: number): void {
    if (!hasForms(text)) return
    const stem = stemOf(text)
    const group = forms.get(stem)
    if (group) group.push(term)
    else forms.set(stem, [term])
  }

  function forget(term: number): void {
    version++
    for (const to of near.values()) {
      if (maskDifference(masks[term]!, to.mask) > 2 * to.limit) continue
      to.terms = to.terms.filter((entry) => entry >>> 2 !== term)
      to.likely = undefined
    }
    const text = texts[term]!
    numbers.delete(text)
    if (hasForms(text)) {
      const stem = stemOf(text)
      const others = (forms.get(stem) ?? []).filter((other) => other !== term)
      if (others.length > 0) forms.set(stem, others)
      else forms.delete(stem)
    }
    sorted.remove(term)
    texts[term] = ''
    masks[term] = 0
    vacant.push(term)
  }

  function termsMatching(word: string, joined: readonly string[], typos: boolean, most = MOST_INEXACT): number[] {
    const found: number[] = []
    const exact = numbers.get(word)
    if (exact !== undefined) found.push(exact * 4 + QUALITY.exact)
    for (const term of formsOf(word)) if (term !== exact) found.push(term * 4 + QUALITY.form)
    for (const text of joined) {
      const term = numbers.get(text)
      if (term !== undefined) found.push(term * 4 + QUALITY.form)
      for (const form of formsOf(text)) if (form !== term) found.push(form * 4 + QUALITY.form)
    }
    if (most === 0) return found
    const longer = initialOf(word) === 0 ? longerThan(word, exact) : []
    if (longer.length > 0) return found.concat(mostUsed(longer, most))
    if (found.length > 0 || !typos) return found
    const mistaken = misspelt(word)
    return mistaken.length > most ? mostUsed(inTextOrder(mistaken), most) : mistaken
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

  const formsOf = (word: string): number[] => (hasForms(word) && forms.get(stemOf(word))) || []

  function longerThan(word: string, exact: number | undefined): number[] {
    const found: number[] = []
    for (const terms of sorted.allWith(word))
      for (const term of terms) if (term !== exact) found.push(term * 4 + QUALITY.prefix)
    return found
  }

  function nearTo(word: string): NearTerms {
    const known = near.get(word)
    if (known) {
      near.delete(word)
      near.set(word, known)
      return known
    }
    const to: NearTerms = { limit: typosAllowed(word), mask: letterMask(word), terms: new Uint32Array() }
    const list: number[] = []
    for (let term = 0; to.limit > 0 && term < texts.length; term++) {
      const typos = typosAway(term, word, to)
      if (typos !== undefined) list.push(term * 4 + typos)
    }
    to.terms = Uint32Array.from(list)
    if (near.size >= MOST_REMEMBERED) near.delete(near.keys().next().value ?? '')
    if (list.length <= MOST_REMEMBERED) near.set(word, to)
    return to
  }

  function typosAway(term: number, word: string, { mask, limit }: NearTerms): number | undefined {
    return maskDifference(masks[term]!, mask) > 2 * limit ? undefined : typosIn(texts[term]!, word, 1, limit)
  }

  /** The terms that are more typos away than `nearTo` finds, begin alike and have the same consonants, or one letter more than three. */
  function furtherFrom(word: string): number[] {
    const [first, limit] = [typosAllowed(word) + 1, boldTyposAllowed(word)]
    const [mask, consonants] = [letterMask(word), consonantsOf(word)]
    const found: number[] = []
    for (let term = 0; first <= limit && term < texts.length; term++) {
      const isOther = ((masks[term]! ^ mask) & CONSONANTS) !== 0
      if (isOther && word.length > SHORTEST) continue
      const text = texts[term]!
      if (!beginsAlike(text, word)) continue
      if ((isOther || consonantsOf(text) !== consonants) && (word.length > SHORTEST || text.length <= SHORTEST))
        continue
      const typos = typosIn(text, word, first, limit)
      if (typos !== undefined) found.push(term * 4 + typos)
    }
    return found
  }

  function misspelt(word: string): number[] {
    const found: number[] = []
    for (const entry of nearTo(word).terms) {
      const term = entry >>> 2
      found.push(term * 4 + QUALITY.typo)
      for (const form of formsOf(texts[term]!)) if (form !== term) found.push(form * 4 + QUALITY.typo)
    }
    return found
  }

  function respelt(word: string, isBold: boolean): string | undefined {
    const sound = numbers.get(word.replaceAll('f', 'ph'))
    if (sound !== undefined) return texts[sound]
    const to = nearTo(word)
    if (!isBold) to.likely ??= mostLikely(word, to.terms)
    const alike = (entry: number) => beginsAlike(texts[entry >>> 2]!, word)
    const likely = isBold ? mostLikely(word, [...to.terms, ...furtherFrom(word)].filter(alike)) : to.likely!
    const most = likely.reduce((count, term) => Math.max(count, postings.length[term]!), 0)
    const [first] = likely.flatMap((term) => (postings.length[term] === most ? texts[term]! : [])).sort()
    return first
  }

  /** Of terms with their typos those that are the most likely ones, whatever the number of documents that have them. */
  function mostLikely(word: string, entries: Iterable<number>): number[] {
    let likely: number[] = []
    let least = Number.POSITIVE_INFINITY
    for (const entry of entries) {
      const text = texts[entry >>> 2]!
      if (text.length < SHORTEST || (entry & 3) * UNLIKENESSES > least) continue
      const unlikeness = (entry & 3) * UNLIKENESSES + (text[0] === word[0] ? 0 : MISTAKES) + mistakeOf(text, word)
      if (unlikeness < least) likely = []
      if (unlikeness <= least) likely.push(entry >>> 2)
      least = Math.min(least, unlikeness)
    }
    return likely
  }

  /** The same terms in the order of their texts, each once. */
  function inTextOrder(terms: readonly number[]): number[] {
    const entries = new Map(terms.map((entry) => [entry >>> 2, entry]))
    return [...sorted.allWith('')].flatMap((block) => block.flatMap((term) => entries.get(term) ?? []))
  }

  /**
   * Returns at most `most` of the terms, which are in the order of their texts: those that the most documents have, of equal ones the first.
   * The choice depends on nothing but the documents, so it is the same in every process.
   */
  function mostUsed(terms: number[], most: number): number[] {
    let used = terms
    for (let count = 1; used.length > most; count++) {
      const more = used.filter((entry) => postings.length[entry >>> 2]! > count)
      let room = most - more.length
      used = room < 0 ? more : used.filter((entry) => postings.length[entry >>> 2]! > count || room-- > 0)
    }
    return used
  }

  return {
    number,
    forget,
    numberOf: (text) => numbers.get(text),
    textOf: (term) => texts[term]!,
    termsMatching,
    isKnown,
    version: () => version,
    respelt,
    split,
    save: () => ({ texts, masks: masks.subarray(0, texts.length), sorted: sorted.save() }),
    *restore(saved) {
      masks = saved.masks as typeof masks
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

/** At most this many words are remembered with the terms near them; words with more than this many such terms are not. */
const MOST_REMEMBERED = 500

/** A shorter term is not taken for what was meant. In a word of this length one letter may be missing. */
const SHORTEST = 3

/** The kind of mistake that made a word of a term, the most frequent first: letters swapped, left out, or another one. */
const mistakeOf = (text: string, word: string): number =>
  text.length > word.length ? 1 : text.length === word.length && lettersOf(text) === lettersOf(word) ? 0 : 2

/** How many results `mistakeOf` has, and with both first letters. */
const MISTAKES = 3
const UNLIKENESSES = 2 * MISTAKES

const lettersOf = (word: string): string => [...word].sort().join('')

/** How many typos two words are apart, if that is from `first` to `limit`. */
function typosIn(text: string, word: string, first: number, limit: number): number | undefined {
  if (!withinTypos(text, word, limit)) return undefined
  let typos = first
  while (typos < limit && !withinTypos(text, word, typos)) typos++
  return typos
}

/** Whether two words begin with the same letter, or with the same two in another order. */
const beginsAlike = (a: string, b: string): boolean => a[0] === b[0] || (a[0] === b[1] && a[1] === b[0])

/** A word with more characters is not split into two. */
const LONG = 64
const HAS_DIGIT = /[0-9]/
