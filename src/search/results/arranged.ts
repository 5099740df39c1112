// Lets the caller of a search move the documents of a result by relevance a few places.
import type { SearchQuery } from '../index-interface.ts'
import { COMPLETE } from '../matching/match-points.ts'
import type { Match } from '../matching/matching.ts'

/** How the caller moves documents. Documents move only within their class: see `arranged`. */
export interface Arrangement {
  /**
   * A document moves at most this many places. Where it ends depends on at most `reach` documents below it and `2 * reach` above it.
   */
  reach: number
  /** The new order of documents of one class that follow each other, as their old places. */
  order(ids: readonly string[]): readonly number[]
}

/** A query whose result may be arranged. */
type ArrangedQuery = Pick<SearchQuery, 'order' | 'arrange'> & { idOf(document: number): string }

/** The page from `offset` to `to` of the full matches. `documentsAt` returns the matches between two places before they are arranged. */
export function arrangedPage(
  match: Match,
  query: ArrangedQuery,
  [offset, to]: readonly [number, number],
  documentsAt: (from: number, to: number) => number[],
): number[] {
  const reach = arrangementOf(match, query)?.reach ?? 0
  const from = Math.max(0, offset - 2 * reach)
  const around = documentsAt(from, Math.min(match.total, to + reach))
  return arranged(match, query, around).slice(offset - from, to - from)
}

/** The documents in their new order. All of them are full matches (`areFull`), or none is. */
export function arranged(match: Match, query: ArrangedQuery, documents: number[], areFull = true): number[] {
  const arrangement = arrangementOf(match, query)
  if (!arrangement) return documents
  // How many times COMPLETE a score contains says which preferred labels the document has, and whether it has all words of asking ("tool",
  // "need"). Full matches with the same number are one class.
  const classOf = (at: number) => (areFull ? Math.floor((match.scored?.score[documents[at]!] ?? 0) / COMPLETE) : 0)
  const result: number[] = []
  for (let from = 0, to = 1; from < documents.length; from = to++) {
    while (to < documents.length && classOf(to) === classOf(from)) to++
    const run = documents.slice(from, to)
    for (const at of arrangement.order(run.map(query.idOf))) result.push(run[at]!)
  }
  return result
}

/** Only a result by relevance is arranged, and not that of a whole name. */
const arrangementOf = ({ words, isName }: Match, { order, arrange }: ArrangedQuery): Arrangement | undefined =>
  words && order === undefined && !isName ? arrange : undefined
