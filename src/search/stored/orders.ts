// The orders in which a result can be listed without relevance.

import type { NumberOrder, SearchQuery } from '../index-interface.ts'
import type { Documents } from './documents.ts'
import { createOrder, type Order } from './order.ts'

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
