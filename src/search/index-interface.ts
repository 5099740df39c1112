// What callers of the index give and get: documents, queries and results. The rules are the opening comment of index.ts.
import type { Explanation } from './explain/explain.ts'
import type { WordHit } from './matching/matched-words.ts'
import type { WordVectors } from './meaning/vectors.ts'
import type { Arrangement } from './results/arranged.ts'
import type { CountedConditions, CountedFacet } from './results/facet-counts.ts'
import type { Dependence } from './results/recent-changes.ts'
import type { Saved } from './stored/saved.ts'

/** A document with this facet comes after all others in every order. */
export const LAST = 'last'

export interface SearchDocument<Item> {
  id: string
  /** The searched text by weight; parts of a field are joined by a line break. */
  text: readonly [strong: string, middle: string, weak: string]
  /** Labels to filter by. */
  facets: readonly string[]
  /** A non-negative integer. */
  popularity: number
  /** Milliseconds since 1970. */
  recency: number
  /** The numbers by which a NumberOrder sorts; a missing one is 0. */
  numbers?: readonly number[]
  /** Returned unchanged by `get` and `find`. */
  item: Item
  /** Which version of the document this is, in any numbering of the caller; see `revisionOf`. */
  revision?: number
}

/** By the first or second of a document's numbers, the highest first; among equals the default order. */
export type NumberOrder = 'first-number' | 'second-number'

/** The numbers that a range may be about: that of the default order, or one of the document's numbers. */
export type RangedNumber = 'default-number' | NumberOrder

/** Which values of a number are wanted. A document whose number is infinite (it is not known) is in no range. */
export interface NumberRange {
  of: RangedNumber
  least?: number
  most?: number
  /** Less than this. */
  below?: number
}

export interface SearchQuery {
  q?: string
  /**
   * Reads `q` as a question: words of asking ("tool", "need") may be absent in a full match, when `q` has another word, and documents that
   * have them come first; of partial matches with little of what is asked for, only the best few are in the result.
   */
  lenient?: boolean
  /** Words that are spelt right, also when no document has them. */
  spelt?: ReadonlySet<string>
  /** A document must have all of these facets. */
  all?: readonly string[]
  /** Of each of these lists a document must have at least one facet. */
  any?: readonly (readonly string[])[]
  /** A document must have none of these facets. */
  none?: readonly string[]
  /** A document's numbers must be in all of these ranges. */
  ranges?: readonly NumberRange[]
  /**
   * Full matches with the first of these facets come before those without it, of equal ones those with the second, and so on; then in the
   * order of the query. At most MOST_PREFERRED.
   */
  prefer?: readonly string[]
  /** When omitted: by relevance with `q`, in the default order without. */
  order?: 'default' | 'popular-then-newest' | NumberOrder
  /** Adds partial matches when few documents match fully. */
  partial?: boolean
  /** How near in meaning a document is to the query (a cosine), as the caller has measured it: partial matches are also ranked by it. */
  nearness?: (id: string) => number | undefined
  /** When the result is by relevance: moves full matches among each other, and partial matches among each other. */
  arrange?: Arrangement
  /** Adds to the result which words of `q` each document has. */
  explain?: boolean
  /** Adds to the result what it depends on. */
  depend?: boolean
  offset: number
  limit: number
}

export interface SearchResult<Item> {
  items: Item[]
  /** The number of matches on all pages. */
  total: number
  /** How many of them match fully; they come first. */
  full: number
  /** Only with `lenient` and without a full match: the words of `q` that no document has, in the order typed. */
  missing?: string[]
  /** With `depend`, for `stillHolds`. Undefined: the result holds until the next change. */
  dependsOn?: Dependence
  /**
   * With `explain` and words: whether `q` is the whole name of a match, the words of `q` that a full match needs, and for each item the
   * words of `q` that it has.
   */
  explained?: { isName: boolean; asked: string[]; hits: WordHit[][] }
}

export interface SearchIndex<Item> {
  readonly size: number
  /** `changes` rises with every document that is put or removed, `updates` with every one that is updated. */
  readonly counts: { readonly changes: number; readonly updates: number }
  get(id: string): Item | undefined
  /** The revision that the document was put with. 0 when it had none, when it was updated since, and when there is no such document. */
  revisionOf(id: string): number
  find(query: SearchQuery): SearchResult<Item>
  /**
   * `q` with each word that no document has replaced by the word that is probably meant; undefined when no word is replaced. A word that
   * the vectors know (a word of the language) is replaced only with `isBold`, which also allows more typos; a word of `spelt` never is.
   */
  respelt(q: string, isBold: boolean, spelt?: ReadonlySet<string>): string | undefined
  /** Whether the text is the name of a document: its strong field has the same words, however they are inflected and joined. */
  isName(text: string): boolean
  /** Whether `find` would give the same result as the one that depends on this. False, too, when it would take long to tell. */
  stillHolds(dependence: Dependence): boolean
  /** The result of `find`, and why each document is in it; with `named`, the id of a document, also its place or why it has none. */
  explain(query: SearchQuery, named?: string): Explanation<Item>
  /** The facets of the document; empty when there is none. */
  facetsOf(id: string): readonly string[]
  /** How many documents have the facet; costs no search. */
  count(facet: string): number
  /**
   * For each facet and each of its labels: how many documents have the label, of those that `find` gives for these conditions when a
   * document must also have one of the chosen labels of each other facet. The chosen labels of a facet do not narrow its own counts.
   */
  countFacets(query: CountedConditions, facets: readonly CountedFacet[]): number[][]
  /** Inserts the document, or replaces the one with the same id. */
  put(document: SearchDocument<Item>): void
  /** The same for many documents with different ids, and removes those with the other ids. Costs much less than one after the other. */
  putAll(documents: readonly SearchDocument<Item>[], removed: readonly string[]): void
  remove(id: string): boolean
  /** Cheaper than `put`, because the text stays the same. */
  update(id: string, change: { popularity: number; item: Item }): boolean
  items(): IterableIterator<Item>
  /**
   * The state of the index, and the item of each document by its number, undefined where there is none. See LoadableIndex.restore. Store
   * it before `counts.changes` rises. A document that is updated meanwhile may be stored with its old or its new item.
   */
  save(): { saved: Saved; items: readonly (Item | undefined)[] }
}

export interface IndexOptions<Item> {
  /**
   * The default order: by the number, descending, then by the text, ascending, then by id. It is computed once, when a
   * document is put, so it must not depend on `popularity`. When omitted, the default order is newest first.
   */
  defaultKey?: (document: SearchDocument<Item>) => readonly [descending: number, ascending: string]
  /** The orders by a number that are kept; without them such an order is the default order. */
  numberOrders?: readonly NumberOrder[]
  /** Partial matches are also ranked by meaning, with these vectors. */
  vectors?: WordVectors
}
