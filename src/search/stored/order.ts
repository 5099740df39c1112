import { grown } from './number-lists.ts'
import type { Saved } from './saved.ts'

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
