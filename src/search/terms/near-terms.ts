// Finds the terms that a misspelt word may stand for. A look at every term takes long, so the last words are remembered with their terms.
import { grown } from '../stored/number-lists.ts'
import { termEntry, termOf, typosOf } from '../stored/packed-numbers.ts'
import {
  boldTyposAllowed,
  CONSONANTS,
  consonantsOf,
  letterMask,
  maskDifference,
  typosAllowed,
  withinTypos,
} from '../words/typos.ts'

export interface NearTerms {
  /** Call this when the text of a new term is known. */
  add(term: number): void
  /** Call this while the text of the term is still known. */
  remove(term: number): void
  /** The terms that are as many typos away from the word as it may have, each as a term entry with the typos. */
  nearTo(word: string): Uint32Array
  /**
   * The most likely of the terms near the word, whatever the number of documents that have them: the terms with the fewest typos; of equal
   * ones those that begin with the same letter, then those of which letters were swapped, then those of which a letter was left out.
   * `isBold`: a term must begin alike, and may be one typo further away if it has the same consonants ("disgn" is "design", not "digi"), or
   * if it has four letters and the word has three ("wok" is "work").
   */
  likelyFor(word: string, isBold: boolean): readonly number[]
  save(): Uint32Array<ArrayBuffer>
  restore(saved: Uint32Array<ArrayBuffer>): void
}

interface RememberedWord {
  limit: number
  mask: number
  terms: Uint32Array
  /** What `likelyFor` returns for the word when it is not bold; undefined until it is asked. */
  likely?: readonly number[]
}

/** `texts`: by term. */
export function createNearTerms(texts: readonly string[]): NearTerms {
  let masks = new Uint32Array(1 << 10)
  /** The words that were asked for last are at the end. */
  const remembered = new Map<string, RememberedWord>()

  function add(term: number): void {
    if (term >= masks.length) masks = grown(masks, (term + 1) * 2)
    masks[term] = letterMask(texts[term]!)
    for (const [word, known] of remembered) {
      const typos = typosAway(term, word, known)
      if (typos === undefined) continue
      known.terms = Uint32Array.of(...known.terms, termEntry(term, typos))
      known.likely = undefined
      if (known.terms.length > MOST_REMEMBERED) remembered.delete(word)
    }
  }

  function remove(term: number): void {
    for (const known of remembered.values()) {
      if (maskDifference(masks[term]!, known.mask) > 2 * known.limit) continue
      known.terms = known.terms.filter((entry) => termOf(entry) !== term)
      known.likely = undefined
    }
    masks[term] = 0
  }

  function lookUp(word: string): RememberedWord {
    const known = remembered.get(word)
    if (known) {
      remembered.delete(word)
      remembered.set(word, known)
      return known
    }
    const found: RememberedWord = {
      limit: typosAllowed(word),
      mask: letterMask(word),
      terms: new Uint32Array(),
    }
    const list: number[] = []
    for (let term = 0; found.limit > 0 && term < texts.length; term++) {
      const typos = typosAway(term, word, found)
      if (typos !== undefined) list.push(termEntry(term, typos))
    }
    found.terms = Uint32Array.from(list)
    if (remembered.size >= MOST_REMEMBERED) remembered.delete(remembered.keys().next().value ?? '')
    if (list.length <= MOST_REMEMBERED) remembered.set(word, found)
    return found
  }

  function typosAway(term: number, word: string, { mask, limit }: RememberedWord): number | undefined {
    return maskDifference(masks[term]!, mask) > 2 * limit ? undefined : typosIn(texts[term]!, word, 1, limit)
  }

  /** The terms that are near the word only with `isBold`; see `likelyFor`. */
  function furtherFrom(word: string): number[] {
    const [first, limit] = [typosAllowed(word) + 1, boldTyposAllowed(word)]
    const [mask, consonants] = [letterMask(word), consonantsOf(word)]
    const isShort = word.length <= SHORTEST
    const found: number[] = []
    for (let term = 0; first <= limit && term < texts.length; term++) {
      const hasOtherConsonants = ((masks[term]! ^ mask) & CONSONANTS) !== 0
      if (hasOtherConsonants && !isShort) continue
      const text = texts[term]!
      if (!beginsAlike(text, word)) continue
      const isLonger = isShort && text.length > SHORTEST
      if (!isLonger && (hasOtherConsonants || consonantsOf(text) !== consonants)) continue
      const typos = typosIn(text, word, first, limit)
      if (typos !== undefined) found.push(termEntry(term, typos))
    }
    return found
  }

  function likelyFor(word: string, isBold: boolean): readonly number[] {
    const known = lookUp(word)
    if (!isBold) return (known.likely ??= mostLikely(texts, word, known.terms))
    const near = [...known.terms, ...furtherFrom(word)]
    return mostLikely(
      texts,
      word,
      near.filter((entry) => beginsAlike(texts[termOf(entry)]!, word)),
    )
  }

  return {
    add,
    remove,
    nearTo: (word) => lookUp(word).terms,
    likelyFor,
    save: () => masks.subarray(0, texts.length),
    restore(saved) {
      masks = saved
    },
  }
}

/** At most this many words are remembered with the terms near them; words with more than this many such terms are not. */
const MOST_REMEMBERED = 500

/** A shorter term is not taken for what was meant. In a word of this length one letter may be missing. */
const SHORTEST = 3

/** The terms of the entries that are the most like the word. Typos count first, then the first letter, then the kind of mistake. */
function mostLikely(texts: readonly string[], word: string, entries: Iterable<number>): number[] {
  let likely: number[] = []
  let least = Number.POSITIVE_INFINITY
  for (const entry of entries) {
    const text = texts[termOf(entry)]!
    const typos = typosOf(entry)
    if (text.length < SHORTEST || typos * UNLIKENESSES > least) continue
    const unlikeness = typos * UNLIKENESSES + (text[0] === word[0] ? 0 : MISTAKES) + mistakeOf(text, word)
    if (unlikeness < least) likely = []
    if (unlikeness <= least) likely.push(termOf(entry))
    least = Math.min(least, unlikeness)
  }
  return likely
}

/** The kind of mistake that made a word of a term, the most frequent first: letters swapped, left out, or another one. */
const mistakeOf = (text: string, word: string): number =>
  text.length > word.length ? 1 : text.length === word.length && lettersOf(text) === lettersOf(word) ? 0 : 2

/** How many results `mistakeOf` has. */
const MISTAKES = 3
/** The same, for terms that begin with the same letter as the word and for those that do not. */
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
