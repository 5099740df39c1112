// Finds and scores the documents that match the query fully: all its words, labels and ranges.
import type { Facets } from './facets.ts'
import { FieldMarks } from './field-marks.ts'
import { LAST, type NumberRange, type RangedNumber } from './index-interface.ts'
import type { Initials } from './initials.ts'
import type { NumberLists } from './number-lists.ts'
import {
  createPartialRanking,
  neededWords,
  type PartialMatches,
  type RatedWord,
  rateWords,
  type WordTerms,
} from './partial.ts'
import { documentOf, fieldOf } from './postings.ts'
import { type QueryWords, queryWords } from './query-words.ts'
import type { Eligible } from './question-similarity.ts'
import { type ResolvedWords, resolveWords } from './resolve-words.ts'
import { QUALITY, type Vocabulary } from './vocabulary.ts'
import { stemOf } from './word-forms.ts'
import { rarityOf } from './word-scores.ts'

/** Points of a hit by the field it is in; the quality (0 to 3) only decides between hits in the same field. */
export const FIELD = [1000, 100, 10] as const
export const WHOLE_NAME = 500

/** Points of a document that has the words of asking, too. More than the words of any query have together. */
export const COMPLETE = 1_000_000
/** At most this many labels can be preferred. */
export const MOST_PREFERRED = 6
/** Points of a preferred label: more than those of all that come after it, and of everything else, together. */
export const preferredPoints = (labels: readonly string[], at: number): number => COMPLETE * 2 ** (labels.length - at)

/** Points that a document with the facet LAST loses: more than any document has, and few enough for the keys of `best-scored.ts`. */
export const LAST_POINTS = 2 ** 28

/** Whether the value of a document is wanted. */
export const isWithin = ({ least, most, below }: NumberRange, value: number): boolean =>
  Number.isFinite(value) &&
  !(value < (least ?? value) || value > (most ?? value) || (below !== undefined && value >= below))

/** Equal for two texts whose words have the same stems in the same order, however the words are joined ("chat gpt", "ChatGPT"). */
export const nameStems = (words: readonly string[]) => words.map(stemOf).join('')

/** This many full matches are enough: then no partial matches are added. */
export const ENOUGH_MATCHES = 5

/** Documents in no order; `score` is by document. */
export interface Scored {
  documents: Uint32Array
  score: Int32Array
}

export interface Match {
  /** How many documents match fully. */
  total: number
  /** Whether the document fulfils every condition. */
  holds(document: number): boolean
  /** Only with words: the first `total` entries are the documents found. */
  scored?: Scored
  /** The words that say what is asked for, without function words and words of asking. */
  asked: readonly string[]
  /** The rarity of those words together; a word of two letters or more that no document has is as rare as can be. */
  askedRarity: number
  /** The documents that fulfil the conditions other than words. */
  eligible: Eligible
  /** Only when the full matches are too few: the documents that match some of the words, full matches among them. */
  partial?: PartialMatches
  /** The words that count in those, with their rarity. */
  rated?: readonly RatedWord[]
  /** How many longer and misspelt terms were taken for the words. */
  inexact?: number
  /** Only with words: all of them but function words, with the terms that match them. */
  words?: readonly WordTerms[]
  /** Whether the query is the whole name of a full match. */
  isName?: boolean
  /** Whether the query is lenient. */
  isLenient?: boolean
}

export interface Conditions {
  q?: string
  lenient?: boolean
  spelt?: ReadonlySet<string>
  all?: readonly string[]
  any?: readonly (readonly string[])[]
  none?: readonly string[]
  ranges?: readonly NumberRange[]
  prefer?: readonly string[]
  /** Whether partial matches are wanted. */
  partial?: boolean
}

/** The documents that there are now. */
export interface Extent {
  size: number
  /** One more than the highest number of a document. */
  capacity: number
  lengths: Uint32Array
  meanLength: number
}

/** The terms, their postings (ascending), the labels, and the documents by the stems of their name. */
export interface MatcherSources {
  vocabulary: Vocabulary
  postings: NumberLists
  initials: Initials
  facets: Facets
  names: Facets
  /** The numbers of each document. */
  numbers: Record<RangedNumber, readonly number[]>
  /** All documents, in any order. */
  documents(): Uint32Array
  /** Whether it is a word of the language, also when no document has it. */
  isWord?: (word: string) => boolean
}

export interface Matcher {
  /** The result is valid until the next call, which reuses its arrays so that a query allocates almost nothing. */
  match(conditions: Conditions, extent: Extent): Match
  /** The terms that match the words of the query now. */
  resolve(conditions: Conditions): readonly WordTerms[]
  /** How rare the words of the query are now. */
  rate(conditions: Conditions, extent: Extent): Pick<Match, 'rated' | 'askedRarity'>
  /** Must be called when a document was added or removed. */
  changed(): void
}

/**
 * Every facet and every word of the query is a condition. `stage` counts, for each document, the conditions it has
 * fulfilled so far. Each condition is one walk over its lists that moves documents from stage n to stage n + 1, and the
 * documents at the last stage are the matches.
 */
export function createMatcher(sources: MatcherSources): Matcher {
  const { vocabulary, postings, initials, facets, names, isWord } = sources
  let state = stateFor(0)
  let capacity = 0
  const marks = new FieldMarks()
  const ranking = createPartialRanking()
  // The words of the last question with their terms: a page asks its question once more for each filter that it counts.
  let last: (ResolvedWords & Pick<QueryWords, 'typed'> & Pick<Conditions, 'spelt'> & { key: string }) | undefined

  function match(wanted: Conditions, extent: Extent): Match {
    const { q = '', all = [], any = [], none = [], ranges = [], prefer = [], partial = false, lenient = false } = wanted
    const { size } = extent
    capacity = extent.capacity
    // A quarter larger than needed, because otherwise every added document would need new arrays.
    if (state.stage.length < capacity) state = stateFor(Math.ceil(capacity * 1.25))
    else {
      state.stage.fill(0)
      state.score.fill(0)
    }
    const { stage } = state
    let total = size - exclude(none)
    let conditions = 0
    for (const labels of [...new Set(all)].map((label) => [label]).concat(any.map((labels) => [...labels]))) {
      total = keepLabelled(labels, conditions++)
      if (total === 0) return NOTHING
    }
    for (const range of ranges) {
      total = keepWithin(range, conditions++)
      if (total === 0) return NOTHING
    }
    if (q.trim() === '') {
      return {
        total,
        asked: [],
        askedRarity: 0,
        eligible: NONE,
        holds: (document) => stage[document] === conditions,
        ...(prefer.length > 0 && { scored: scorePreferred(prefer, conditions) }),
      }
    }

    const { typed, wordTerms, inexact } = resolved(wanted)
    const needed = neededWords(wordTerms)
    const full = {
      ...matchAll(typed, needed, conditions, {
        optional: wordTerms.filter((word) => !needed.includes(word)),
        prefer,
      }),
      words: wordTerms,
      inexact,
      isLenient: lenient,
    }
    const isEnough = full.total >= ENOUGH_MATCHES || (full.total > 0 && (typed.length === 1 || full.isName))
    if (!partial || isEnough) return full
    const eligible = { stage, least: conditions, capacity }
    const asked = wordTerms.filter(({ asks }) => !asks).map(({ word }) => word)
    const { rated, askedRarity } = rate(wanted, extent)
    const sources = { postings, ...extent }
    return { ...full, asked, rated, askedRarity, eligible, partial: ranking.rank(rated, eligible, sources) }
  }

  function rate(conditions: Conditions, { size }: Extent) {
    const { wordTerms } = resolved(conditions)
    const rated = rateWords(wordTerms, postings, size)
    const unknown = wordTerms.filter((one) => !one.asks && one.terms.length === 0 && one.word.length > 1).length
    return { rated, askedRarity: rated.reduce((sum, { rarity }) => sum + rarity, unknown * rarityOf(0, size)) }
  }

  function resolved({ q = '', lenient = false, spelt }: Conditions) {
    const key = `${lenient} ${q}`
    if (last?.key !== key || last.spelt !== spelt) {
      const { typed, required } = queryWords(q, lenient)
      const isRight = (word: string) => spelt?.has(word) || isWord?.(word)
      last = { key, spelt, typed, ...resolveWords(required, vocabulary, isRight) }
    }
    return last
  }

  /** The documents that match every word; `conditions` is how many conditions a document has fulfilled so far. */
  function matchAll(
    typed: readonly string[],
    words: readonly WordTerms[],
    conditions: number,
    { optional, prefer }: { optional: readonly WordTerms[]; prefer: readonly string[] },
  ): Match & { isName: boolean } {
    // Shortest lists first, so that a query without matches ends before the long lists are walked.
    const byEffort = words.map(({ initial, terms }) => ({
      initial,
      terms,
      effort: countPostings(postings, terms),
    }))
    if (words.length === 0 || byEffort.some(({ initial, effort }) => initial === 0 && effort === 0)) return NO_MATCH
    let total = 0
    for (const { initial, terms } of byEffort.sort((a, b) => a.initial - b.initial || a.effort - b.effort)) {
      total = keepMatching(terms, conditions)
      if (initial !== 0) total = keepLonger(initials, initial, conditions, total)
      if (total === 0) return NO_MATCH
      conditions++
    }
    const isName = rewardName(nameStems(typed), conditions)
    const { stage, found, score } = state
    if (optional.length > 0) rewardComplete(state, postings, optional, conditions)
    rewardFacets(state, facets, prefer, conditions)
    return {
      total,
      isName,
      asked: [],
      askedRarity: 0,
      eligible: NONE,
      holds: (document) => stage[document] === conditions,
      scored: { documents: found, score },
    }
  }

  /** Returns how many documents it excluded. */
  function exclude(labels: readonly string[]): number {
    const { stage } = state
    let count = 0
    for (const label of labels) {
      const facet = facets.list(label)
      if (facet === undefined) continue
      for (const document of facets.documents.valuesOf(facet)) {
        if (stage[document] === -1) continue
        stage[document] = -1
        count++
      }
    }
    return count
  }

  /** Keeps the documents that have at least one of the labels. */
  function keepLabelled(labels: readonly string[], condition: number): number {
    const { stage } = state
    const { documents } = facets
    let count = 0
    for (const label of labels) {
      const facet = facets.list(label)
      if (facet === undefined) continue
      const data = documents.dataOf(facet)
      const start = documents.startOf(facet)
      const end = start + documents.length[facet]!
      for (let at = start; at < end; at++) {
        const document = data[at]!
        if (stage[document] !== condition) continue
        stage[document] = condition + 1
        count++
      }
    }
    return count
  }

  /** Keeps the documents whose number is in the range. */
  function keepWithin(range: NumberRange, condition: number): number {
    const { stage } = state
    const values = sources.numbers[range.of]
    let count = 0
    for (const document of sources.documents()) {
      if (stage[document] !== condition || !isWithin(range, values[document]!)) continue
      stage[document] = condition + 1
      count++
    }
    return count
  }

  /** Without words: every document that fulfils the conditions, with the points of what it has of the preferred labels. */
  function scorePreferred(prefer: readonly string[], conditions: number): Scored {
    const { stage, found, score } = state
    let count = 0
    for (const document of sources.documents()) if (stage[document] === conditions) found[count++] = document
    rewardFacets(state, facets, prefer, conditions)
    return { documents: found, score }
  }

  /** The score of a word is that of its best hit in the document, the score of a document the sum over the words. */
  function keepMatching(terms: readonly number[], condition: number): number {
    // Longer words are the last of the terms.
    const from = terms.findIndex((entry) => (entry & 3) === QUALITY.prefix)
    const longer = from === -1 ? [] : terms.slice(from)
    if (countPostings(postings, longer) * LONG_LISTS < capacity) return keepListed(terms, condition)
    marks.set(longer, postings, capacity)
    return keepLonger(marks, 0, condition, keepListed(terms.slice(0, from), condition))
  }

  function keepListed(terms: readonly number[], condition: number): number {
    const { stage, score, best, found } = state
    let count = 0
    for (const entry of terms) {
      const term = entry >>> 2
      const quality = entry & 3
      const data = postings.dataOf(term)
      const start = postings.startOf(term)
      const end = start + postings.length[term]!
      for (let at = start; at < end; at++) {
        const posting = data[at]!
        const document = documentOf(posting)
        const reached = stage[document]!
        if (reached === condition) {
          const points = FIELD[fieldOf(posting)]! + quality
          stage[document] = condition + 1
          best[document] = points
          score[document]! += points
          found[count++] = document
        } else if (reached === condition + 1) {
          const gain = FIELD[fieldOf(posting)]! + quality - best[document]!
          if (gain <= 0) continue
          best[document]! += gain
          score[document]! += gain
        }
      }
    }
    return count
  }

  /** Adds the documents that have a longer word, by what `longer` says, to the `count` documents found so far. */
  function keepLonger(longer: Initials | FieldMarks, initial: number, condition: number, count: number): number {
    const { stage, score, best, found } = state
    for (let document = 0; document < capacity; document++) {
      const reached = stage[document]!
      if (reached !== condition && reached !== condition + 1) continue
      const points = LONGER_POINTS[longer.fieldMask(document, initial)]!
      if (points === 0) continue
      if (reached === condition) {
        stage[document] = condition + 1
        best[document] = points
        score[document]! += points
        found[count++] = document
      } else if (points > best[document]!) {
        score[document]! += points - best[document]!
        best[document] = points
      }
    }
    return count
  }

  /** Returns whether the query is the whole name of a full match. */
  function rewardName(key: string, conditions: number): boolean {
    const name = names.list(key)
    if (name === undefined) return false
    const { stage, score } = state
    let isName = false
    for (const document of names.documents.valuesOf(name)) {
      if (stage[document] !== conditions) continue
      score[document]! += WHOLE_NAME
      isName = true
    }
    return isName
  }

  function changed(): void {
    last = undefined
  }

  return { match, resolve: (conditions) => resolved(conditions).wordTerms, rate, changed }
}

/** The points that `rewardFacets` gives a document with these labels. */
export const facetPoints = (labels: ReadonlySet<string>, prefer: readonly string[]): number =>
  prefer.reduce(
    (sum, label, at) => sum + (labels.has(label) ? preferredPoints(prefer, at) : 0),
    labels.has(LAST) ? -LAST_POINTS : 0,
  )

/** Adds points to the documents that have a preferred label, and takes points from those that come last. */
function rewardFacets(
  state: ReturnType<typeof stateFor>,
  facets: Facets,
  prefer: readonly string[],
  conditions: number,
): void {
  for (const [at, label] of prefer.entries()) reward(state, facets, label, preferredPoints(prefer, at), conditions)
  reward(state, facets, LAST, -LAST_POINTS, conditions)
}

/** Adds the points to the documents that have the label. */
function reward(
  { stage, score }: ReturnType<typeof stateFor>,
  facets: Facets,
  label: string,
  points: number,
  conditions: number,
): void {
  const facet = facets.list(label)
  if (facet === undefined) return
  const data = facets.documents.dataOf(facet)
  const start = facets.documents.startOf(facet)
  const end = start + facets.documents.length[facet]!
  for (let at = start; at < end; at++) if (stage[data[at]!] === conditions) score[data[at]!]! += points
}

/** Rewards the documents that match all of these words, too. */
function rewardComplete(
  { stage, score }: ReturnType<typeof stateFor>,
  postings: NumberLists,
  words: readonly WordTerms[],
  conditions: number,
): void {
  const matched = new Uint16Array(stage.length)
  for (const [index, { terms }] of words.entries()) {
    const isLast = index === words.length - 1
    for (const term of new Set(terms.map((entry) => entry >>> 2))) {
      const data = postings.dataOf(term)
      const start = postings.startOf(term)
      const end = start + postings.length[term]!
      for (let at = start; at < end; at++) {
        const document = documentOf(data[at]!)
        if (stage[document] !== conditions || matched[document] !== index) continue
        matched[document] = index + 1
        if (isLast) score[document]! += COMPLETE
      }
    }
  }
}

function countPostings(postings: NumberLists, terms: readonly number[]): number {
  let count = 0
  for (const entry of terms) count += postings.length[entry >>> 2]!
  return count
}

/** The points of a longer word by the fields that have it, one bit for each. */
const LONGER_POINTS = Int32Array.from({ length: 1 << FIELD.length }, (_, fields) => {
  const strongest = FIELD.find((_, field) => (fields & (1 << field)) !== 0)
  return strongest === undefined ? 0 : strongest + QUALITY.prefix
})

/** With a posting for every eighth document or more, it is faster to mark documents and then walk over all of them once. */
const LONG_LISTS = 8

/** By document: how far it got, its score, and the points of its best hit of the current word. `found` lists documents. */
const stateFor = (length: number) => ({
  stage: new Int16Array(length),
  score: new Int32Array(length),
  best: new Int16Array(length),
  found: new Uint32Array(length),
})

const NONE: Eligible = { stage: new Int16Array(0), least: 0, capacity: 0 }
const NOTHING: Match = { total: 0, asked: [], askedRarity: 0, eligible: NONE, holds: () => false }
const NO_MATCH = { ...NOTHING, isName: false }
