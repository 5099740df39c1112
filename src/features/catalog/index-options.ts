import type { IndexOptions } from '../../search/index.ts'
import type { Listing } from './listing-json.ts'
import { NUMBER_ORDERS } from './rules.ts'
import type { ListedKind } from './schema.ts'
import { loadVectors } from './word-vectors.ts'

/** A function, because the vectors are read when the first index is made: commands that load no catalog do not need them. */
export const indexOptions = (kind: ListedKind): IndexOptions<Listing> => ({
  defaultKey: (document) => document.item.order ?? [document.recency, ''],
  numberOrders: NUMBER_ORDERS[kind],
  vectors: loadVectors(),
})
