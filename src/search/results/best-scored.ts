// Selects the page of a result by relevance without sorting the whole result.
import type { Scored } from '../matching/matching.ts'
import type { Order } from '../stored/orders.ts'

/**
 * Sorts the first `total` documents of `scored`, the highest score first and equal ones in the order, and returns the documents at the
 * places from `from` to `to`.
 */
export type SelectBest = (scored: Scored, total: number, from: number, to: number) => number[]

/** Sorts by one number that combines score and order: the inverted score in the high digits, the rank in the order in the low ones. */
export function createBestSelection(order: Order): SelectBest {
  let keys = new Float64Array(LEAST_ROOM)

  return ({ documents, score }, total, from, to) => {
    // Whenever the room is full, only the best `to` of the keys stay, and from then on no worse key is added.
    const room = Math.min(total, Math.max(LEAST_ROOM, to * 4))
    if (keys.length < room) keys = new Float64Array(room)
    let highest = 0
    for (let at = 0; at < total; at++) highest = Math.max(highest, score[documents[at]!]!)
    const ranks = order.ranks()
    let kept = 0
    let worst = Number.POSITIVE_INFINITY
    for (let at = 0; at < total; at++) {
      const document = documents[at]!
      const key = (highest - score[document]!) * RANKS + ranks[document]!
      if (key >= worst) continue
      keys[kept++] = key
      if (kept < room || at === total - 1) continue
      // Afterwards the `to` smallest keys are in front, unsorted.
      sortRange(keys, kept, to - 1, to)
      worst = keys[to - 1]!
      kept = to
    }
    sortRange(keys, kept, from, to)
    const sequence = order.sequence()
    return Array.from(keys.subarray(from, to), (key) => sequence[key % RANKS]!)
  }
}

// More ranks than there can be documents, and small enough that a score of half a million words still fits above it in
// the 53 bits that a number holds exactly.
const RANKS = 2 ** 24
const LEAST_ROOM = 1024

/**
 * Gives the places `from` to `to` (exclusive) of the first `count` numbers the values that a full sort would give them:
 * a quicksort that skips the parts outside that range. Smaller numbers come before the range and larger ones after it, in no order. All
 * numbers must be different.
 */
export function sortRange(numbers: Float64Array, count: number, from: number, to: number): void {
  narrow(numbers, 0, count, from, to)
}

function narrow(numbers: Float64Array, left: number, right: number, from: number, to: number): void {
  while (right - left > SMALL && (left < from || right > to)) {
    const split = partition(numbers, left, right)
    if (to <= split) right = split
    else if (from >= split) left = split
    else {
      narrow(numbers, left, split, from, to)
      left = split
    }
  }
  numbers.subarray(left, right).sort()
}

/** Moves the smaller numbers to the left of the returned place and the larger ones to its right; neither side is empty. */
function partition(numbers: Float64Array, left: number, right: number): number {
  const pivot = median(numbers[left]!, numbers[(left + right) >>> 1]!, numbers[right - 1]!)
  let low = left
  let high = right - 1
  for (;;) {
    while (numbers[low]! < pivot) low++
    while (numbers[high]! > pivot) high--
    if (low >= high) return low
    const swapped = numbers[low]!
    numbers[low++] = numbers[high]!
    numbers[high--] = swapped
  }
}

const median = (a: number, b: number, c: number) => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))

// A part this small is sorted as fast as it could be split further.
const SMALL = 64
