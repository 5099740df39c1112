import { initialOf } from './initials.ts'
import { grown, NumberLists } from './number-lists.ts'
import { FUNCTION_WORDS } from './query-words.ts'
import { inSteps, partOf, type Saved, savedAs } from './saved.ts'
import { letterMask, maskDifference, typosAllowed, withinTypos } from './typos.ts'
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
   * `joined`: the word written as one with its neighbours. `typos`: whether an unknown word may be misspelt. Longer terms that begin with a
   * word of one plain letter are left to `Initials`.
   */
  termsMatching(word: string, joined: readonly string[], typos: boolean): number[]
  /** Whether a term is the word, a form of it, or begins with it. */
  isKnown(word: string): boolean
  /** For a word that only typos could explain: two terms that are the word when written as one, or the word alone. */
  split(word: string): string[]
  save(): Saved
  restore(saved: Saved): Generator<void>
}

export function createVocabulary(): Vocabulary {
  const numbers = new Map<string, number>()
  const texts: string[] = []
  const vacant: number[] = []
  const forms = new Map<string, number[]>()
  // By first character, then by the first two: small enough to keep sorted at every change.
  const byBeginning = new Map<string, Map<string, number[]>>()
  // A misspelt word is compared with the terms of about its length; all terms longer than LONG share one list.
  const byLength = new NumberLists()
  let masks = new Uint32Array(1 << 10)

  function number(text: string): number {
    const known = numbers.get(text)
    if (known !== undefined) return known
    const term = vacant.pop() ?? texts.length
    // A substring keeps the whole text in memory, a copy does not.
    const own = Buffer.from(text).toString()
    if (term >= masks.length) masks = grown(masks, (term + 1) * 2)
    texts[term] = own
    masks[term] = letterMask(own)
    byLength.insert(Math.min(own.length, LONG), term)
    numbers.set(own, term)
    addForm(own, term)
    const bucket = bucketFor(own)
    bucket.splice(firstFrom(bucket, own), 0, term)
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
    const text = texts[term]!
    numbers.delete(text)
    if (hasForms(text)) {
      const stem = stemOf(text)
      const others = (forms.get(stem) ?? []).filter((other) => other !== term)
      if (others.length > 0) forms.set(stem, others)
      else forms.delete(stem)
    }
    const bucket = bucketFor(text)
    bucket.splice(firstFrom(bucket, text), 1)
    texts[term] = ''
    byLength.remove(Math.min(text.length, LONG), term)
    vacant.push(term)
  }

  function bucketFor(text: string): number[] {
    const first = text.charAt(0)
    const buckets = byBeginning.get(first) ?? new Map<string, number[]>()
    if (buckets.size === 0) byBeginning.set(first, buckets)
    const bucket = buckets.get(text.slice(0, 2)) ?? []
    if (bucket.length === 0) buckets.set(text.slice(0, 2), bucket)
    return bucket
  }

  /** The index in a sorted bucket of the first term that is not below the text. */
  function firstFrom(bucket: number[], text: string): number {
    let low = 0
    let high = bucket.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (texts[bucket[middle]!]! < text) low = middle + 1
      else high = middle
    }
    return low
  }

  function termsMatching(word: string, joined: readonly string[], typos: boolean): number[] {
    const found: number[] = []
    const exact = numbers.get(word)
    if (exact !== undefined) found.push(exact * 4 + QUALITY.exact)
    for (const term of formsOf(word)) if (term !== exact) found.push(term * 4 + QUALITY.form)
    for (const text of joined) {
      const term = numbers.get(text)
      if (term !== undefined) found.push(term * 4 + QUALITY.form)
      for (const form of formsOf(text)) if (form !== term) found.push(form * 4 + QUALITY.form)
    }
    if (initialOf(word) === 0) addLonger(word, found)
    if (found.length === 0 && typos) addMisspelt(word, found)
    return found
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
    return numbers.has(word) || formsOf(word).length > 0 || beginsTerm(word)
  }

  function beginsTerm(word: string): boolean {
    const buckets = byBeginning.get(word.charAt(0))
    if (!buckets) return false
    if (word.length === 1) return buckets.values().some(({ length }) => length > 0)
    const bucket = buckets.get(word.slice(0, 2))
    const term = bucket?.[firstFrom(bucket, word)]
    return term !== undefined && texts[term]!.startsWith(word)
  }

  const formsOf = (word: string): number[] => (hasForms(word) && forms.get(stemOf(word))) || []

  function addLonger(word: string, found: number[]): void {
    const buckets = byBeginning.get(word.charAt(0))
    if (!buckets) return
    if (word.length === 1) {
      for (const bucket of buckets.values()) addFrom(bucket, 0, word, found)
      return
    }
    const bucket = buckets.get(word.slice(0, 2))
    if (bucket) addFrom(bucket, firstFrom(bucket, word), word, found)
  }

  function addFrom(bucket: number[], from: number, word: string, found: number[]): void {
    for (let at = from; at < bucket.length; at++) {
      const term = bucket[at]!
      const text = texts[term]!
      if (!text.startsWith(word)) return
      if (text.length > word.length) found.push(term * 4 + QUALITY.prefix)
    }
  }

  function addMisspelt(word: string, found: number[]): void {
    const limit = typosAllowed(word)
    if (limit === 0) return
    const mask = letterMask(word)
    const longest = Math.min(word.length + limit, LONG)
    for (let length = Math.min(word.length - limit, LONG); length <= longest; length++) {
      const from = byLength.start[length]!
      const to = from + byLength.lengthOf(length)
      for (let at = from; at < to; at++) {
        const term = byLength.data[at]!
        if (maskDifference(masks[term]!, mask) > 2 * limit || !withinTypos(texts[term]!, word, limit)) continue
        found.push(term * 4 + QUALITY.typo)
        for (const form of formsOf(texts[term]!)) if (form !== term) found.push(form * 4 + QUALITY.typo)
      }
    }
  }

  return {
    number,
    forget,
    numberOf: (text) => numbers.get(text),
    textOf: (term) => texts[term]!,
    termsMatching,
    isKnown,
    split,
    save: () => ({ texts, masks: masks.subarray(0, texts.length), ...savedAs('byLength', byLength.save()) }),
    *restore(saved) {
      masks = saved.masks as typeof masks
      byLength.restore(partOf(saved, 'byLength'))
      yield* inSteps(saved.texts as string[], (text, term) => {
        texts[term] = text
        if (text === '') return void vacant.push(term)
        numbers.set(text, term)
        addForm(text, term)
        bucketFor(text).push(term)
      })
      for (const buckets of byBeginning.values())
        for (const bucket of buckets.values()) {
          bucket.sort((a, b) => (texts[a]! < texts[b]! ? -1 : 1))
          yield
        }
    },
  }
}

const LONG = 64
const HAS_DIGIT = /[0-9]/
