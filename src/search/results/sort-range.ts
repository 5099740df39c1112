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
