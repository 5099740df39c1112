// Finds and scores the documents that match the query fully: all its words, labels and ranges. With few of them, the matcher also ranks the
// documents that match some of the words.
import type { RangedNumber, SearchQuery } from '../index-interface.ts'
import { createPartialRanking, type PartialMatches, type RatedWord, rateWords } from '../partial/partial.ts'
import { rarityOf } from '../partial/word-scores.ts'
import type { Facets } from '../stored/facets.ts'
import type { Initials } from '../stored/initials.ts'
import type { NumberLists } from '../stored/number-lists.ts'
import { neededWords, type ResolvedWords, resolveWords, type WordTerms } from '../terms/resolve-words.ts'
import type { Vocabulary } from '../terms/vocabulary.ts'
import { type QueryWords, queryWords } from '../words/query-words.ts'
import { nameStems } from '../words/word-forms.ts'
import { addCompletePoints, addLabelPoints, addNamePoints } from './match-points.ts'
import {
  clearedState,
  countPostings,
  type Eligible,
  excludeLabelled,
  keepLabelled,
  keepLonger,
  keepMatching,
  keepWithin,
  newMatchState,
} from './match-stages.ts'

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
  /** The rarity of the words in `asked` together. A word of two letters or more that no document has counts as the rarest word. */
  askedRarity: number
  /** The documents that fulfil the conditions other than words. */
  eligible: Eligible
  /** Only when the full matches are too few: the documents that match some of the words, full matches among them. */
  partial?: PartialMatches
  /** Only when the full matches are too few: the words that count in `partial`, with their rarity. */
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

/** The part of a query that decides which documents match, and how many points each has. */
export type Conditions = Pick<
  SearchQuery,
  'q' | 'lenient' | 'spelt' | 'all' | 'any' | 'none' | 'ranges' | 'prefer' | 'partial'
>

/** How many documents there are now, and how long they are. */
export interface Extent {
  size: number
  /** One more than the highest number of a document. */
  capacity: number
  /** By document, in words. */
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
  numbers: Record<RangedNumber, readonly number[]>
  /** All documents, in any order. */
  documents(): Uint32Array
  /** Whether it is a word of the language, also when no document has it. */
  isWord?: (word: string) => boolean
}

export interface Matcher {
  /** The result is valid until the next call, which reuses its arrays so that a query allocates almost nothing. */
  match(conditions: Conditions, extent: Extent): Match
  /** The terms that match the words of the query now, without a search. */
  resolve(conditions: Conditions): readonly WordTerms[]
  /** How rare the words of the query are now. The index calls it to learn whether a remembered result still holds. */
  rate(conditions: Conditions, extent: Extent): Pick<Match, 'rated' | 'askedRarity'>
  /** Must be called when a document was added or removed. */
  documentsChanged(): void
}

/** The filters are the first conditions (see `match-stages.ts`), and the words are the last. */
export function createMatcher(sources: MatcherSources): Matcher {
  const { vocabulary, postings, initials, facets, names, isWord } = sources
  let state = newMatchState(0)
  const ranking = createPartialRanking()
  /** The words of the last query with their terms. A page of the site repeats its query for each filter that it counts. */
  let lastResolved:
    | (ResolvedWords & Pick<QueryWords, 'typed'> & Pick<Conditions, 'spelt'> & { key: string })
    | undefined

  function match(wanted: Conditions, extent: Extent): Match {
    const { q = '', prefer = [], partial = false, lenient = false } = wanted
    state = clearedState(state, extent.capacity)
    const filtered = keepFiltered(wanted, extent.size)
    if (!filtered) return NOTHING
    const { total, conditions } = filtered
    const { stage } = state
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
      ...matchAll(typed, needed, conditions, { optional: wordTerms.filter((word) => !needed.includes(word)), prefer }),
      words: wordTerms,
      inexact,
      isLenient: lenient,
    }
    const isEnough = full.total >= ENOUGH_MATCHES || (full.total > 0 && (typed.length === 1 || full.isName))
    if (!partial || isEnough) return full
    const eligible = { stage, least: conditions, capacity: extent.capacity }
    const asked = wordTerms.filter(({ asks }) => !asks).map(({ word }) => word)
    const { rated, askedRarity } = rate(wanted, extent)
    const sources = { postings, ...extent }
    return { ...full, asked, rated, askedRarity, eligible, partial: ranking.rank(rated, eligible, sources) }
  }

  /**
   * Keeps the documents that the filters leave. Returns how many they are and how many conditions they have fulfilled; undefined when a
   * condition leaves none.
   */
  function keepFiltered({ all = [], any = [], none = [], ranges = [] }: Conditions, size: number) {
    let total = size - excludeLabelled(state, facets, none)
    let conditions = 0
    const oneOfEach: (readonly string[])[] = [...[...new Set(all)].map((label) => [label]), ...any]
    for (const labels of oneOfEach) {
      total = keepLabelled(state, facets, labels, conditions++)
      if (total === 0) return undefined
    }
    for (const range of ranges) {
      total = keepWithin(state, sources.documents(), sources.numbers[range.of], range, conditions++)
      if (total === 0) return undefined
    }
    return { total, conditions }
  }

  function rate(conditions: Conditions, { size }: Extent) {
    const { wordTerms } = resolved(conditions)
    const rated = rateWords(wordTerms, postings, size)
    const unknown = wordTerms.filter((one) => !one.asks && one.terms.length === 0 && one.word.length > 1).length
    return { rated, askedRarity: rated.reduce((sum, { rarity }) => sum + rarity, unknown * rarityOf(0, size)) }
  }

  function resolved({ q = '', lenient = false, spelt }: Conditions) {
    const key = `${lenient} ${q}`
    if (lastResolved?.key !== key || lastResolved.spelt !== spelt) {
      const { typed, required } = queryWords(q, lenient)
      const isRight = (word: string) => spelt?.has(word) || isWord?.(word)
      lastResolved = { key, spelt, typed, ...resolveWords(required, vocabulary, isRight) }
    }
    return lastResolved
  }

  /** The documents that match every word; `conditions` is how many conditions they have fulfilled before the words. */
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
      total = keepMatching(state, postings, terms, conditions)
      if (initial !== 0) total = keepLonger(state, initials, initial, conditions, total)
      if (total === 0) return NO_MATCH
      conditions++
    }
    const isName = addNamePoints(state, names, nameStems(typed), conditions)
    const { stage, found, score } = state
    if (optional.length > 0) addCompletePoints(state, postings, optional, conditions)
    addLabelPoints(state, facets, prefer, conditions)
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

  /** Without words: every document that fulfils the conditions, with the points of its preferred labels. */
  function scorePreferred(prefer: readonly string[], conditions: number): Scored {
    const { stage, found, score } = state
    let count = 0
    for (const document of sources.documents()) if (stage[document] === conditions) found[count++] = document
    addLabelPoints(state, facets, prefer, conditions)
    return { documents: found, score }
  }

  function documentsChanged(): void {
    lastResolved = undefined
  }

  return { match, resolve: (conditions) => resolved(conditions).wordTerms, rate, documentsChanged }
}

const NONE: Eligible = { stage: new Int16Array(0), least: 0, capacity: 0 }
const NOTHING: Match = { total: 0, asked: [], askedRarity: 0, eligible: NONE, holds: () => false }
const NO_MATCH = { ...NOTHING, isName: false }
