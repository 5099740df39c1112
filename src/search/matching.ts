import type { Facets } from './facets.ts'
import type { NumberLists } from './number-lists.ts'
import { queryWords } from './query-words.ts'
import type { Vocabulary } from './vocabulary.ts'
import { stemOf } from './word-forms.ts'

/** Points of a hit by the field it is in; the quality (0 to 3) only decides between hits in the same field. */
export const FIELD = [1000, 100, 10] as const
export const WHOLE_NAME = 500

/** Equal for two texts whose words have the same stems in the same order. */
export const nameStems = (words: readonly string[]) => words.map(stemOf).join(' ')

export interface Match {
  total: number
  /** Whether the document fulfils every condition. */
  holds(document: number): boolean
  /** Only with words: the first `total` entries are the documents found, in no order, and `score` is by document. */
  scored?: { documents: Uint32Array; score: Int32Array; highest: number }
}

export interface Conditions {
  q?: string
  all?: readonly string[]
  none?: readonly string[]
}

/** The terms, their postings (`document * 4 + field`, ascending), the labels, and the documents by the stems of their name. */
export interface MatcherSources {
  vocabulary: Vocabulary
  postings: NumberLists
  facets: Facets
  names: Facets
}

export interface Matcher {
  /** The result is valid until the next call, which reuses its arrays so that a query allocates almost nothing. */
  match(conditions: Conditions, size: number, capacity: number): Match
}

/**
 * Every facet and every word of the query is a condition. `stage` counts, for each document, the conditions it has
 * fulfilled so far. Each condition is one walk over its lists that moves documents from stage n to stage n + 1, and the
 * documents at the last stage are the matches.
 */
export function createMatcher({ vocabulary, postings, facets, names }: MatcherSources): Matcher {
  let stage = new Int32Array(0)
  let score = new Int32Array(0)
  let best = new Int32Array(0)
  let found = new Uint32Array(0)

  function match({ q, all = [], none = [] }: Conditions, size: number, capacity: number): Match {
    if (stage.length < capacity) {
      // A quarter larger than needed, because otherwise every added document would need new arrays.
      const length = Math.ceil(capacity * 1.25)
      stage = new Int32Array(length)
      score = new Int32Array(length)
      best = new Int32Array(length)
      found = new Uint32Array(length)
    } else {
      stage.fill(0)
      score.fill(0)
    }
    let total = size - exclude(none)
    let conditions = 0
    for (const label of new Set(all)) {
      total = keepLabelled(label, conditions++)
      if (total === 0) return NOTHING
    }
    const inStage = stage
    if (q === undefined || q.trim() === '') {
      return { total, holds: (document) => inStage[document] === conditions }
    }

    const { typed, required } = queryWords(q)
    const termLists: number[][] = []
    for (const word of required) {
      const terms = vocabulary.termsMatching(word)
      if (terms.length === 0) return NOTHING
      termLists.push(terms)
    }
    if (termLists.length === 0) return NOTHING
    // Shortest lists first, so that a query without matches ends before the long lists are walked.
    const byEffort = termLists.map((terms) => ({ terms, effort: countPostings(terms) }))
    for (const { terms } of byEffort.sort((a, b) => a.effort - b.effort)) {
      total = keepMatching(terms, conditions++)
      if (total === 0) return NOTHING
    }
    rewardName(nameStems(typed), conditions)
    const highest = termLists.length * (FIELD[0] + 3) + WHOLE_NAME
    return {
      total,
      holds: (document) => inStage[document] === conditions,
      scored: { documents: found, score, highest },
    }
  }

  /** Returns how many documents it excluded. */
  function exclude(labels: readonly string[]): number {
    let count = 0
    for (const label of labels) {
      const facet = facets.list(label)
      if (facet === undefined) continue
      const { data, start, length } = facets.documents
      const end = start[facet]! + length[facet]!
      for (let at = start[facet]!; at < end; at++) {
        const document = data[at]!
        if (stage[document] === -1) continue
        stage[document] = -1
        count++
      }
    }
    return count
  }

  function keepLabelled(label: string, condition: number): number {
    const facet = facets.list(label)
    if (facet === undefined) return 0
    const { data, start, length } = facets.documents
    const end = start[facet]! + length[facet]!
    let count = 0
    for (let at = start[facet]!; at < end; at++) {
      const document = data[at]!
      if (stage[document] !== condition) continue
      stage[document] = condition + 1
      count++
    }
    return count
  }

  function countPostings(terms: number[]): number {
    let count = 0
    for (const entry of terms) count += postings.length[entry >>> 2]!
    return count
  }

  /** The score of a word is that of its best hit in the document, the score of a document the sum over the words. */
  function keepMatching(terms: number[], condition: number): number {
    const { data, start, length } = postings
    let count = 0
    for (const entry of terms) {
      const term = entry >>> 2
      const quality = entry & 3
      const end = start[term]! + length[term]!
      for (let at = start[term]!; at < end; at++) {
        const posting = data[at]!
        const document = posting >>> 2
        const reached = stage[document]!
        if (reached === condition) {
          const points = FIELD[posting & 3]! + quality
          stage[document] = condition + 1
          best[document] = points
          score[document]! += points
          found[count++] = document
        } else if (reached === condition + 1) {
          const gain = FIELD[posting & 3]! + quality - best[document]!
          if (gain <= 0) continue
          best[document]! += gain
          score[document]! += gain
        }
      }
    }
    return count
  }

  function rewardName(key: string, conditions: number): void {
    const name = names.list(key)
    if (name === undefined) return
    const { data, start, length } = names.documents
    for (let at = 0; at < length[name]!; at++) {
      const document = data[start[name]! + at]!
      if (stage[document] === conditions) score[document]! += WHOLE_NAME
    }
  }

  return { match }
}

const NOTHING: Match = { total: 0, holds: () => false }
