// Selects the documents of one page of a search: by relevance, in a named order, or with partial matches.
import type { SearchQuery } from '../index-interface.ts'
import type { Match } from '../matching/matching.ts'
import type { PartialMatches } from '../partial/partial.ts'
import { type PartialQuery, type PartialSelection, selectPartial } from '../partial/partial-selection.ts'
import type { Similarity } from '../partial/question-similarity.ts'
import type { Documents } from '../stored/documents.ts'
import { namedOrder, type Orders } from '../stored/orders.ts'
import { arrangedPage } from './arranged.ts'
import { createBestSelection } from './best-scored.ts'

/** The page of a result: its documents, by number, and the numbers of matches on all pages. */
export interface PageSelection {
  documents: ArrayLike<number>
  total: number
  full: number
  /** Only of a result that may have partial matches. */
  partial?: PartialSelection
}

export interface PageSelector {
  select(match: Match, query: SearchQuery): PageSelection
  /** The whole result of a search that may have partial matches. */
  withPartial(match: Match, partial: PartialMatches, query?: PartialQuery): PartialSelection
}

export function createPageSelector({
  documents: { ids, last },
  orders,
  similarity,
}: {
  documents: Pick<Documents<unknown>, 'ids' | 'last'>
  orders: Orders
  similarity: Similarity | undefined
}): PageSelector {
  const selectByRelevance = createBestSelection(orders.popularOrder)
  /** By order: the same for documents that have points only for preferred labels. */
  const selectPreferred = new Map(Object.values(orders).map((order) => [order, createBestSelection(order)]))
  const idOf = (document: number) => ids[document]!
  const orderNamed = (name: SearchQuery['order']) => namedOrder(orders, name)

  function select(match: Match, { order, nearness, arrange, offset, limit }: SearchQuery): PageSelection {
    if (match.partial) {
      const partial = withPartial(match, match.partial, { order, nearness, arrange })
      const { documents, full } = partial
      return { documents: documents.slice(offset, offset + limit), total: documents.length, full, partial }
    }
    const { total, scored } = match
    const to = Math.min(total, offset + limit)
    if (offset >= to) return { documents: [], total, full: total }
    // A named order leaves relevance out. Without words, documents with preferred labels come first in every order.
    const selectBest = match.words ? order === undefined && selectByRelevance : selectPreferred.get(orderNamed(order))
    const documents =
      scored && selectBest
        ? arrangedPage(match, { order, arrange, idOf }, [offset, to], (from, end) =>
            selectBest(scored, total, from, end),
          )
        : inOrder(orderNamed(order).sequence(), match, offset, to)
    return { documents, total, full: total }
  }

  const withPartial = (match: Match, partial: PartialMatches, query: PartialQuery = {}) =>
    selectPartial({ similarity, selectByRelevance, orderNamed, idOf, last }, match, partial, query)

  return { select, withPartial }
}

/** The matches from place `from` to place `to` of those in the sequence. */
function inOrder(sequence: Uint32Array, match: Match, from: number, to: number): ArrayLike<number> {
  if (match.total === sequence.length) return sequence.subarray(from, to)
  const documents: number[] = []
  let passed = 0
  for (let at = 0; at < sequence.length && passed < to; at++) {
    if (match.holds(sequence[at]!) && passed++ >= from) documents.push(sequence[at]!)
  }
  return documents
}
