// The orders in which a result can be listed without relevance.
import type { NumberOrder, SearchQuery } from '../index-interface.ts'
import type { Documents } from './documents.ts'
import { grown } from './number-lists.ts'
import type { Saved } from './saved.ts'

/** The number that an order compares first, after the facet LAST. */
export type OrderNumber = 'popularity' | 'defaultNumber' | 'firstNumber' | 'secondNumber'

export type NamedOrder = Order & { comparesFirst: OrderNumber }

/** The orders of an index, by the name under which each is saved. */
export interface Orders {
  popularOrder: NamedOrder
  defaultOrder: NamedOrder
  'first-number'?: NamedOrder
  'second-number'?: NamedOrder
}

export function createOrders(documents: Documents<unknown>, numberOrders: readonly NumberOrder[]): Orders {
  const { ids, popularity, recency, defaultNumber, defaultText, last } = documents
  const byId = (a: number, b: number) => (ids[a]! < ids[b]! ? -1 : ids[a]! > ids[b]! ? 1 : 0)
  const byDefault = (a: number, b: number) => {
    const byNumber = descending(defaultNumber[a]!, defaultNumber[b]!)
    if (byNumber !== 0) return byNumber
    return defaultText[a] === defaultText[b] ? byId(a, b) : defaultText[a]! < defaultText[b]! ? -1 : 1
  }
  // In every order, the documents with the facet LAST (see index-interface.ts) come after all others.
  const ordered = (comparesFirst: OrderNumber, compare: (a: number, b: number) => number): NamedOrder => ({
    ...createOrder((a, b) => last[a]! - last[b]! || compare(a, b)),
    comparesFirst,
  })
  const orders: Orders = {
    popularOrder: ordered(
      'popularity',
      (a, b) => descending(popularity[a]!, popularity[b]!) || descending(recency[a]!, recency[b]!) || byId(a, b),
    ),
    defaultOrder: ordered('defaultNumber', byDefault),
  }
  for (const name of numberOrders) {
    const comparesFirst = name === 'first-number' ? 'firstNumber' : 'secondNumber'
    const values = documents[comparesFirst]
    orders[name] = ordered(comparesFirst, (a, b) => descending(values[a]!, values[b]!) || byDefault(a, b))
  }
  return orders
}

/** The order that a query names. One that is not kept is the default order. */
export const namedOrder = (orders: Orders, name: SearchQuery['order']): NamedOrder =>
  name === 'popular-then-newest'
    ? orders.popularOrder
    : (name && name !== 'default' && orders[name]) || orders.defaultOrder

const descending = (a: number, b: number) => (a > b ? -1 : a < b ? 1 : 0)

/** Documents in a total order, kept sorted at every change. */
export interface Order {
  /** The documents, first to last; call it again after every change. */
  sequence(): Uint32Array
  /** The place of each document in the sequence, by document number. */
  ranks(): Uint32Array
  insert(document: number): void
  /** Moves every other document once, however many are inserted. */
  insertAll(documents: readonly number[]): void
  /** Call this before you change the values that the order compares, because the document is found by them. */
  remove(document: number): void
  /** Like `remove`, for many documents. */
  removeAll(documents: readonly number[]): void
  save(): Saved
  restore(saved: Saved): void
}

export function createOrder(compare: (a: number, b: number) => number): Order {
  let sequence = new Uint32Array(1 << 10)
  let size = 0
  let ranks = new Uint32Array(1 << 10)
  // Ranks from here on are computed by the next call of `ranks`, so that a thousand changes in a row cost one walk.
  let staleFrom = 0

  function place(document: number, from = 0): number {
    let low = from
    let high = size
    while (low < high) {
      const middle = (low + high) >>> 1
      if (compare(sequence[middle]!, document) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  function take(documents: Uint32Array<ArrayBuffer>): void {
    sequence = documents
    size = documents.length
    ranks = new Uint32Array(documents.reduce((most, document) => Math.max(most, document), 0) + 1)
    staleFrom = 0
  }

  function insertAll(documents: readonly number[]): void {
    const added = [...documents].sort(compare)
    const places: number[] = []
    for (const document of added) {
      places.push(place(document, places.at(-1)))
      if (document >= ranks.length) ranks = grown(ranks, (document + 1) * 2)
    }
    if (size + added.length > sequence.length) sequence = grown(sequence, (size + added.length) * 2)
    // From the last to the first, so that nothing is overwritten before it was moved.
    let end = size
    for (let left = added.length; left > 0; left--) {
      const at = places[left - 1]!
      sequence.copyWithin(at + left, at, end)
      sequence[at + left - 1] = added[left - 1]!
      end = at
    }
    size += added.length
    staleFrom = Math.min(staleFrom, end)
  }

  function removeAll(documents: readonly number[]): void {
    const places = Uint32Array.from(documents, (document) => place(document)).sort()
    for (const [i, at] of places.entries()) sequence.copyWithin(at - i, at + 1, places[i + 1] ?? size)
    size -= places.length
    staleFrom = Math.min(staleFrom, places[0] ?? size)
  }

  return {
    sequence: () => sequence.subarray(0, size),
    ranks() {
      for (let rank = staleFrom; rank < size; rank++) ranks[sequence[rank]!] = rank
      staleFrom = size
      return ranks
    },
    insert: (document) => insertAll([document]),
    insertAll,
    remove: (document) => removeAll([document]),
    removeAll,
    // A copy, because an update of a document that is not stored yet moves it.
    save: () => ({ sequence: sequence.slice(0, size) }),
    restore: (saved) => take(saved.sequence as Uint32Array<ArrayBuffer>),
  }
}
