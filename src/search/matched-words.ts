// Which words of the query the documents of a page have, and where.
import type { Initials } from './initials.ts'
import type { NumberLists } from './number-lists.ts'
import { bestTerms, type WordTerms } from './partial.ts'
import { QUALITY, type Vocabulary } from './vocabulary.ts'

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
  /** The terms of each document, as `term * 4 + field`. */
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
  const hitsOfFull = createMatchedWords(words, sources, true)
  const hitsOfPartial = createMatchedWords(partialWords(words), sources, false)
  return Array.from(documents, (document, at) => (at < full ? hitsOfFull : hitsOfPartial)(document))
}

/** The words as they count in a partial match: without words of asking, each with the terms that `rateWords` takes. */
const partialWords = (words: readonly WordTerms[]): WordTerms[] =>
  words.flatMap((word) => (word.asks ? [] : [{ ...word, terms: bestTerms(word.word, word.terms) }]))

/**
 * For a document: the words that it matches, in the order of the query, each once. The terms of the words are put into a map first,
 * so that a document costs one look at each of its own terms, however many terms a short word matches.
 */
function createMatchedWords(
  words: readonly WordTerms[],
  { vocabulary, termsOf, initials }: MatchedWordsSources,
  withInitials: boolean,
): (document: number) => WordHit[] {
  const wanted = new Map<number, { at: number; quality: number }[]>()
  for (const [at, { terms }] of words.entries())
    for (const entry of terms) {
      const hit = { at, quality: entry & 3 }
      const known = wanted.get(entry >>> 2)
      if (known) known.push(hit)
      else wanted.set(entry >>> 2, [hit])
    }

  return (document) => {
    const best: (WordHit | undefined)[] = words.map(() => undefined)
    const note = (at: number, field: number, quality: number, found: readonly string[] = []) => {
      const known = best[at]
      const isBetter = !known || field < known.field || (field === known.field && quality > known.quality)
      const terms = isBetter ? [...found, ...(known?.terms ?? [])] : [...known.terms, ...found]
      best[at] = {
        ...(isBetter ? { word: words[at]!.word, field, quality } : known),
        terms: terms.slice(0, MOST_TERMS),
      }
    }
    for (const entry of termsOf.valuesOf(document))
      for (const { at, quality } of wanted.get(entry >>> 2) ?? [])
        note(at, entry & 3, quality, [vocabulary.textOf(entry >>> 2)])
    if (withInitials)
      for (const [at, { initial }] of words.entries()) {
        const field = initial === 0 ? -1 : initials.strongestField(document, initial)
        if (field !== -1) note(at, field, QUALITY.prefix)
      }
    const found = new Map<string, WordHit>()
    for (const hit of best) if (hit && !found.has(hit.word)) found.set(hit.word, hit)
    return [...found.values()]
  }
}
