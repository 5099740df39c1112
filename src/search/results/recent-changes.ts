// Tells whether a result that was kept still holds after writes: compares the documents that changed last with what the result depends on,
// so that the write of one listing does not empty the cache.
import type { SearchResult } from '../index-interface.ts'
import { FIELD, WHOLE_NAME } from '../matching/match-points.ts'
import { ENOUGH_MATCHES } from '../matching/matching.ts'
import type { Documents } from '../stored/documents.ts'
import type { Facets } from '../stored/facets.ts'
import type { NumberLists } from '../stored/number-lists.ts'
import type { OrderNumber } from '../stored/orders.ts'
import { fieldOfTerm, termOf } from '../stored/packed-numbers.ts'
import { MOST_INEXACT, QUALITY, type Vocabulary } from '../terms/vocabulary.ts'
import { hasForms, stemOf } from '../words/word-forms.ts'

/**
 * A word of the query. A document has the word when it has one of the texts, a term with one of the stems, or a term that begins with it.
 */
export interface DependentWord {
  word: string
  /** The word, the word written as one with its neighbours, and the terms that it may be a misspelling of. */
  texts: readonly string[]
  stems: readonly string[]
}

/** What a result depends on. The result stays the same while no changed document may be a match, and the words are read as before. */
export interface Dependence {
  /** The words that a full match must have; empty when the query has none. */
  needed: readonly DependentWord[]
  /** All words of the query: those that a match may lack still decide on the order. */
  words: readonly DependentWord[]
  all: readonly string[]
  any: readonly (readonly string[])[]
  none: readonly string[]
  /** At most this many terms match the words by their beginning or with typos. */
  inexact: number
  /** Whether one of the words is unknown: no term is the word, is a form of it, or begins with it. */
  hasUnknown: boolean
  /** Whether the same words are known as before, and the others are taken for the same terms. */
  isResolvedAlike(): boolean
  /** Only of a result that may have partial matches. */
  partial?: PartialDependence
  /** Only of a page that is full of full matches: whether a match comes after it in the order of the result. */
  isAfterPage?(match: ChangedDocument): boolean
  /** The result itself: its `total` and `full` are brought up to date when only matches after the page have changed. */
  result: Pick<SearchResult<unknown>, 'total' | 'full'>
  /** The number of changes after which the result is known to hold. */
  changeCount: number
}

export interface PartialDependence {
  /** The words that count, with their rarity; `isLonger`: no document has the word itself, so terms that begin with it count. */
  rated: readonly (DependentWord & { rarity: number; isLonger: boolean })[]
  /** Whether words are as rare as they were, and documents as long on average. `isTouched`: whether a changed document has a word. */
  isRatedAlike(isTouched: boolean): boolean
  /** Whether a document of this length, with this sketch and with these words in these fields, cannot be a partial match. */
  cannotMatch(document: Pick<ChangedDocument, 'length' | 'sketch'>, words: readonly RatedHit[]): boolean
}

/** A word that a document has: how rare it is, and the strongest field that may have it. */
export interface RatedHit {
  rarity: number
  field: number
}

/** The documents that changed last, as they were before and after, with their terms and labels. */
export interface RecentChanges {
  /** How many changes there have been. */
  changeCount(): number
  /**
   * `added`: call this before a document is removed (-1), after one is added (1), and before a change of only what is not searched (0);
   * then `popularity` is the new one.
   */
  noteChange(document: number, added: ChangedDocument['added'], popularity?: number): void
  /**
   * Whether the page of the result is still the same, because no match on it or before it has changed since `changeCount`. If so, the
   * numbers of matches and `changeCount` are brought up to date.
   */
  stillHolds(dependence: Dependence): boolean
}

// The changes that are kept; each has some hundred terms. Replacing a document makes two changes. Comparing a result with twice as many
// would take about as long as searching anew.
const MOST_CHANGES = 512

export interface ChangedDocument {
  added: -1 | 0 | 1
  /** Ascending. */
  terms: readonly string[]
  /** By term: the strongest field that has it. */
  fieldOf: ReadonlyMap<string, number>
  /** The same by stem. */
  fieldOfStem: ReadonlyMap<string, number>
  labels: ReadonlySet<string>
  /** The stems of its name. */
  name: string
  /** What the orders compare first. With `added` 0, the popularity is the higher one of before and after. */
  numbers: Readonly<Record<OrderNumber, number>>
  /** In words. */
  length: number
  /** The signs of the numbers of its vector; undefined when the document has none. */
  sketch: Uint32Array | undefined
}

export function createRecentChanges(sources: {
  documents: Pick<Documents<unknown>, OrderNumber>
  vocabulary: Vocabulary
  termsOf: NumberLists
  facets: Facets
  names: Facets
  lengthOf(document: number): number
  sketchOf(document: number): Uint32Array | undefined
}): RecentChanges {
  const { documents, vocabulary, termsOf, facets, names, lengthOf, sketchOf } = sources
  let changes: ChangedDocument[] = []
  let count = 0
  /** The number of changes when `stillHolds` was called last. */
  let comparedAt = Number.NEGATIVE_INFINITY

  function noteChange(document: number, added: ChangedDocument['added'], popularity = 0): void {
    count++
    // No change is kept while no result is compared with them: an import makes very many.
    if (count - comparedAt > MOST_CHANGES) {
      changes = []
      return
    }
    if (changes.length === MOST_CHANGES) changes = changes.slice(MOST_CHANGES / 2)
    // The two low bits of an entry are the field that has the term.
    const fieldOf = new Map(
      Array.from(termsOf.valuesOf(document), (entry) => [vocabulary.textOf(termOf(entry)), fieldOfTerm(entry)]),
    )
    const terms = [...fieldOf.keys()].sort()
    const fieldOfStem = fieldsOfStems(fieldOf)
    const numbers = {
      popularity: Math.max(popularity, documents.popularity[document]!),
      defaultNumber: documents.defaultNumber[document]!,
      firstNumber: documents.firstNumber[document]!,
      secondNumber: documents.secondNumber[document]!,
    }
    const [labels, [name = '']] = [new Set(facets.labelsOf(document)), names.labelsOf(document)]
    const [length, sketch] = [lengthOf(document), sketchOf(document)]
    changes.push({ added, terms, fieldOf, fieldOfStem, labels, name, numbers, length, sketch })
  }

  function stillHolds(dependence: Dependence): boolean {
    comparedAt = count
    const first = changes.length - (count - dependence.changeCount)
    // Some of the changes are not kept any more.
    if (first < 0) return false
    const since = changes.slice(first)
    if (since.length === 0) return true
    // The changes have added at most this many terms that match the words by their beginning.
    const moreTerms = since.reduce((sum, { added, terms }) => sum + (added > 0 ? longerTerms(terms, dependence) : 0), 0)
    const isTouched = since.some((change) =>
      dependence.words.some((word) => startsWith(change.terms, word.word) || hasWord(change, word)),
    )
    const possibleMatches = since.filter((change) => hasLabels(change, dependence) && mayBeFound(change, dependence))
    const moreMatches = possibleMatches.reduce((sum, { added }) => sum + added, 0)
    const isSame =
      // Of MOST_INEXACT terms or more only the most used may have been taken, so that any change may let in another.
      (dependence.needed.length === 0 || dependence.inexact + moreTerms < MOST_INEXACT) &&
      possibleMatches.every((change) => dependence.isAfterPage?.(change) === true) &&
      // With fewer full matches, partial ones are added.
      (moreMatches === 0 || dependence.result.total + moreMatches >= ENOUGH_MATCHES) &&
      // A word may have become known or unknown, and an unknown word is compared with all terms for typos.
      ((!isTouched && !dependence.hasUnknown) || dependence.isResolvedAlike()) &&
      (dependence.partial?.isRatedAlike(isTouched) ?? true)
    if (isSame) {
      dependence.changeCount = count
      dependence.inexact += moreTerms
      dependence.result.total += moreMatches
      dependence.result.full += moreMatches
    }
    return isSame
  }

  return { changeCount: () => count, noteChange, stillHolds }
}

function fieldsOfStems(fieldOf: ReadonlyMap<string, number>): Map<string, number> {
  const fieldOfStem = new Map<string, number>()
  for (const [term, field] of fieldOf)
    if (hasForms(term)) fieldOfStem.set(stemOf(term), Math.min(field, fieldOfStem.get(stemOf(term)) ?? field))
  return fieldOfStem
}

const hasLabels = ({ labels }: ChangedDocument, { all, any, none }: Dependence): boolean =>
  all.every((label) => labels.has(label)) &&
  any.every((some) => some.some((label) => labels.has(label))) &&
  !none.some((label) => labels.has(label))

/** Whether the document may be a full or a partial match, going by its words. */
function mayBeFound(changed: ChangedDocument, { needed, partial }: Dependence): boolean {
  if (needed.every((word) => startsWith(changed.terms, word.word) || hasWord(changed, word))) return true
  if (!partial) return false
  const had = partial.rated.filter((word) =>
    word.isLonger ? startsWith(changed.terms, word.word) : hasWord(changed, word),
  )
  return !partial.cannotMatch(
    changed,
    had.map((word) => ({ rarity: word.rarity, field: strongestField(changed, word) })),
  )
}

/** The most points that the words of a full match may have. `name`: the stems of the query. */
export const mostScore = (changed: ChangedDocument, words: readonly DependentWord[], name: string): number =>
  words.reduce(
    (sum, word) => sum + FIELD[strongestField(changed, word)]! + QUALITY.exact,
    changed.name === name ? WHOLE_NAME : 0,
  )

/** The strongest field of the document that has the word, or may have it. */
function strongestField(
  { terms, fieldOf, fieldOfStem }: ChangedDocument,
  { word, texts, stems }: DependentWord,
): number {
  const hits = [...texts.map((text) => fieldOf.get(text)), ...stems.map((stem) => fieldOfStem.get(stem))]
  for (let at = firstFrom(terms, word); terms[at]?.startsWith(word); at++) hits.push(fieldOf.get(terms[at]!))
  return Math.min(...hits.map((field) => field ?? FIELD.length))
}

const hasWord = ({ fieldOf, fieldOfStem }: ChangedDocument, word: DependentWord): boolean =>
  word.texts.some((text) => fieldOf.has(text)) || word.stems.some((stem) => fieldOfStem.has(stem))

/** How many of the terms begin with a word, counted for each word. */
function longerTerms(terms: readonly string[], { words }: Dependence): number {
  let count = 0
  for (const { word } of words) for (let at = firstFrom(terms, word); terms[at]?.startsWith(word); at++) count++
  return count
}

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
