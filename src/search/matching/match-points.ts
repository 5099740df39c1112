// The points of full matches: what a hit, a whole name, a preferred label and the words of asking count.
import { LAST } from '../index-interface.ts'
import type { Facets } from '../stored/facets.ts'
import type { NumberLists } from '../stored/number-lists.ts'
import { documentOf, termOf } from '../stored/packed-numbers.ts'
import type { WordTerms } from '../terms/resolve-words.ts'
import type { MatchState } from './match-stages.ts'

/** Points of a hit by the field it is in; the quality (0 to 3) only decides between hits in the same field. */
export const FIELD = [1000, 100, 10] as const
export const WHOLE_NAME = 500

/** Points of a document that has the words of asking, too. More than the words of any query have together. */
export const COMPLETE = 1_000_000
export const MOST_PREFERRED = 6
/** Points of a preferred label: more than a document can have for all labels after it and for everything else together. */
export const preferredPoints = (labels: readonly string[], at: number): number => COMPLETE * 2 ** (labels.length - at)

/** Points that a document with the facet LAST loses: more than any document has, and few enough for the keys of `best-scored.ts`. */
export const LAST_POINTS = 2 ** 28

/** The points that `addLabelPoints` gives a document with these labels. */
export const labelPoints = (labels: ReadonlySet<string>, prefer: readonly string[]): number =>
  prefer.reduce(
    (sum, label, at) => sum + (labels.has(label) ? preferredPoints(prefer, at) : 0),
    labels.has(LAST) ? -LAST_POINTS : 0,
  )

/** Adds points to the matches that have a preferred label, and takes points from those that come last. */
export function addLabelPoints(state: MatchState, facets: Facets, prefer: readonly string[], conditions: number): void {
  for (const [at, label] of prefer.entries())
    addPointsOfLabel(state, facets, label, preferredPoints(prefer, at), conditions)
  addPointsOfLabel(state, facets, LAST, -LAST_POINTS, conditions)
}

function addPointsOfLabel(
  { stage, score }: MatchState,
  facets: Facets,
  label: string,
  points: number,
  conditions: number,
): void {
  const facet = facets.numberOf(label)
  if (facet === undefined) return
  const data = facets.documents.dataOf(facet)
  const start = facets.documents.startOf(facet)
  const end = start + facets.documents.length[facet]!
  for (let at = start; at < end; at++) if (stage[data[at]!] === conditions) score[data[at]!]! += points
}

/** Adds WHOLE_NAME to the matches that are called so. Returns whether there is one. `stems`: the `nameStems` of the query. */
export function addNamePoints({ stage, score }: MatchState, names: Facets, stems: string, conditions: number): boolean {
  const name = names.numberOf(stems)
  if (name === undefined) return false
  let isName = false
  for (const document of names.documents.valuesOf(name)) {
    if (stage[document] !== conditions) continue
    score[document]! += WHOLE_NAME
    isName = true
  }
  return isName
}

/** Adds COMPLETE to the matches that have all of these words, too. */
export function addCompletePoints(
  { stage, score }: MatchState,
  postings: NumberLists,
  words: readonly WordTerms[],
  conditions: number,
): void {
  // By document: how many of the words it has, as long as it lacks none of them.
  const matched = new Uint16Array(stage.length)
  for (const [index, { terms }] of words.entries()) {
    const isLast = index === words.length - 1
    for (const term of new Set(terms.map(termOf))) {
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
