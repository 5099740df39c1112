// Which words of the query the documents of a page have, and where.
import { bestTerms } from '../partial/partial.ts'
import type { Initials } from '../stored/initials.ts'
import type { NumberLists } from '../stored/number-lists.ts'
import { fieldOfTerm, qualityOf, termOf } from '../stored/packed-numbers.ts'
import type { WordTerms } from '../terms/resolve-words.ts'
import { QUALITY, type Vocabulary } from '../terms/vocabulary.ts'

/** A word of the query that a document matches, with the best of its hits there. */
export interface WordHit {
  word: string
  /** 0 strong, 1 middle, 2 weak. */
  field: number
  /** One of QUALITY. */
  quality: number
  /** The terms of the document that match the word, the best first, at most MOST_TERMS. */
  terms: string[]
}

const MOST_TERMS = 8

export interface MatchedWordsSources {
  vocabulary: Pick<Vocabulary, 'textOf'>
  /** The terms of each document, as term entries with the field. */
  termsOf: NumberLists
  initials: Initials
}

/** The words that each document of a page matches. The first `full` documents are full matches, the others partial ones. */
export function hitsOfPage(
  words: readonly WordTerms[],
  sources: MatchedWordsSources,
  documents: ArrayLike<number>,
  full: number,
): WordHit[][] {
  const hitsOfFull = createHitFinder(words, sources, true)
  const hitsOfPartial = createHitFinder(partialWords(words), sources, false)
  return Array.from(documents, (document, at) => (at < full ? hitsOfFull : hitsOfPartial)(document))
}

/** The words as they count in a partial match: without words of asking, each with the terms that `rateWords` takes. */
const partialWords = (words: readonly WordTerms[]): WordTerms[] =>
  words.flatMap((word) => (word.asks ? [] : [{ ...word, terms: bestTerms(word.word, word.terms) }]))

/**
 * Returns a function that finds the words that a document matches, in the order of the query, each once. The terms of the words are put
 * into a map first, so that each term of a document is looked up once, however many terms a short word matches.
 */
function createHitFinder(
  words: readonly WordTerms[],
  { vocabulary, termsOf, initials }: MatchedWordsSources,
  /** Whether a word of one letter matches longer words. */
  withInitials: boolean,
): (document: number) => WordHit[] {
  /** By term: the words that it matches, by their places in `words`, and with which quality. */
  const matches = new Map<number, { at: number; quality: number }[]>()
  for (const [at, { terms }] of words.entries())
    for (const entry of terms) {
      const match = { at, quality: qualityOf(entry) }
      const known = matches.get(termOf(entry))
      if (known) known.push(match)
      else matches.set(termOf(entry), [match])
    }

  return (document) => {
    const best: (WordHit | undefined)[] = words.map(() => undefined)
    const addHit = (at: number, field: number, quality: number, found: readonly string[] = []) => {
      const known = best[at]
      const isBetter = !known || field < known.field || (field === known.field && quality > known.quality)
      const terms = isBetter ? [...found, ...(known?.terms ?? [])] : [...known.terms, ...found]
      best[at] = {
        ...(isBetter ? { word: words[at]!.word, field, quality } : known),
        terms: terms.slice(0, MOST_TERMS),
      }
    }
    for (const entry of termsOf.valuesOf(document))
      for (const { at, quality } of matches.get(termOf(entry)) ?? [])
        addHit(at, fieldOfTerm(entry), quality, [vocabulary.textOf(termOf(entry))])
    if (withInitials)
      for (const [at, { initial }] of words.entries()) {
        const field = initial === 0 ? -1 : initials.strongestField(document, initial)
        if (field !== -1) addHit(at, field, QUALITY.prefix)
      }
    const found = new Map<string, WordHit>()
    for (const hit of best) if (hit && !found.has(hit.word)) found.set(hit.word, hit)
    return [...found.values()]
  }
}
