// Tells whether a result that was kept still holds after writes: compares the documents that changed last with what the result depends on,
// so that the write of one listing does not empty the cache.
import type { Facets } from './facets.ts'
import type { NumberLists } from './number-lists.ts'
import type { QueryWord } from './query-words.ts'
import { MOST_INEXACT, type Vocabulary } from './vocabulary.ts'
import { hasForms, stemOf } from './word-forms.ts'

/** What a result depends on: while no changed document fulfils all of these conditions, the result stays the same. */
export interface Dependence {
  /** The words that a match must have; empty when the query has none. */
  words: readonly Pick<QueryWord, 'word' | 'joined'>[]
  /** All words of the query: those that a match may lack still decide on the order. */
  ranking?: readonly Pick<QueryWord, 'word' | 'joined'>[]
  all: readonly string[]
  any: readonly (readonly string[])[]
  none: readonly string[]
  /** An upper bound of how many terms match the words by their beginning. */
  longer: number
  /** Only with partial matches. */
  partial?: PartialDependence
  /** The number of changes up to which the result is known to hold. */
  at: number
}

export interface PartialDependence {
  /** The words that count, with their rarity; `isLonger`: no document has the word itself, so terms that begin with it count. */
  rated: readonly { word: string; joined: readonly string[]; rarity: number; isLonger: boolean }[]
  /** Whether words are as rare as they were, and documents as long on average. `isTouched`: a changed document has one of the words. */
  isRatedAlike(isTouched: boolean): boolean
  /** Whether a document of this length with words of this rarity each, and with this sketch, cannot be a partial match. */
  cannotMatch(document: Pick<ChangedDocument, 'length' | 'sketch'>, rarities: readonly number[]): boolean
}

/** The documents that changed last, as they were before and after, with their terms and labels. */
export interface RecentChanges {
  /** How many changes there have been. */
  count(): number
  /** Call this before a document is removed and after one is added. */
  note(document: number): void
  /** Whether the result is still the same: no change since `at` fulfils the conditions. Then `at` is set to now. */
  stillHolds(dependence: Dependence): boolean
}

// The changes that are kept; each has some hundred terms. Replacing a document makes two changes.
const MOST_CHANGES = 128

export interface ChangedDocument {
  /** Ascending. */
  terms: readonly string[]
  stems: ReadonlySet<string>
  labels: ReadonlySet<string>
  /** In words. */
  length: number
  /** The signs of the numbers of its vector; undefined when the document has none. */
  sketch: Uint32Array | undefined
}

export function createRecentChanges(sources: {
  vocabulary: Vocabulary
  termsOf: NumberLists
  facets: Facets
  lengthOf(document: number): number
  sketchOf(document: number): Uint32Array | undefined
}): RecentChanges {
  const { vocabulary, termsOf, facets, lengthOf, sketchOf } = sources
  let changes: ChangedDocument[] = []
  let count = 0
  /** Whether `stillHolds` was called since the changes were last cleared. Until then no change is kept: an import makes very many. */
  let isAsked = false

  function note(document: number): void {
    count++
    if (changes.length === MOST_CHANGES) {
      changes = []
      isAsked = false
    }
    if (!isAsked) return
    // The two low bits of an entry are the field that has the term.
    const terms = Array.from(termsOf.valuesOf(document), (entry) => vocabulary.textOf(entry >>> 2)).sort()
    const stems = new Set(terms.filter(hasForms).map(stemOf))
    const [length, sketch] = [lengthOf(document), sketchOf(document)]
    changes.push({ terms, stems, labels: new Set(facets.labelsOf(document)), length, sketch })
  }

  function stillHolds(dependence: Dependence): boolean {
    isAsked = true
    const first = changes.length - (count - dependence.at)
    if (first < 0) return false
    const since = changes.slice(first)
    const terms = since.reduce((sum, change) => sum + change.terms.length, 0)
    const { ranking = [] } = dependence
    const isTouched = since.some((change) =>
      ranking.some((word) => startsWith(change.terms, word.word) || hasWord(change, word)),
    )
    const isSame =
      // A word that no document has any more would be compared with all terms for typos.
      (!isTouched || ranking.every(({ word }) => vocabulary.isKnown(word))) &&
      // Of more than MOST_INEXACT longer terms only the most used count, so any change may matter.
      (dependence.words.length === 0 || dependence.longer + terms <= MOST_INEXACT) &&
      !since.some((change) => hasLabels(change, dependence) && mayBeFound(change, dependence)) &&
      (dependence.partial?.isRatedAlike(isTouched) ?? true)
    if (isSame) {
      dependence.at = count
      dependence.longer += terms
    }
    return isSame
  }

  return {
    count: () => count,
    note,
    stillHolds,
  }
}

const hasLabels = ({ labels }: ChangedDocument, { all, any, none }: Dependence): boolean =>
  all.every((label) => labels.has(label)) &&
  any.every((some) => some.some((label) => labels.has(label))) &&
  !none.some((label) => labels.has(label))

function mayBeFound(changed: ChangedDocument, { words, partial }: Dependence): boolean {
  if (words.every((word) => startsWith(changed.terms, word.word) || hasWord(changed, word))) return true
  if (!partial) return false
  const had = partial.rated.filter((word) =>
    word.isLonger ? startsWith(changed.terms, word.word) : hasWord(changed, word),
  )
  return !partial.cannotMatch(
    changed,
    had.map(({ rarity }) => rarity),
  )
}

const hasWord = (changed: ChangedDocument, { word, joined }: Pick<QueryWord, 'word' | 'joined'>): boolean =>
  [word, ...joined].some((text) => has(changed, text))

const has = ({ terms, stems }: ChangedDocument, text: string): boolean =>
  terms[firstFrom(terms, text)] === text || (hasForms(text) && stems.has(stemOf(text)))

const startsWith = (terms: readonly string[], start: string): boolean =>
  terms[firstFrom(terms, start)]?.startsWith(start) ?? false

/** The place of the first text that is not before the given one. */
function firstFrom(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < text) low = middle + 1
    else high = middle
  }
  return low
}
