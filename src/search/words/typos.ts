// How many typos a word may have, and whether two words differ by no more.
const IS_NUMBER = /^\p{N}+$/u

/** How many typos a word may contain. Short words and numbers get none, because one edit mostly makes another word of them. */
export function typosAllowed(word: string): number {
  if (word.length < 4 || IS_NUMBER.test(word)) return 0
  return word.length < 8 ? 1 : 2
}

/**
 * How many typos a word may contain when the question finds nothing otherwise: one more, and one in a word of three characters. A word of
 * four keeps its one, because two edits make almost any word of it.
 */
export const boldTyposAllowed = (word: string): number =>
  word.length < 3 || word.length === 4 || IS_NUMBER.test(word) ? typosAllowed(word) : typosAllowed(word) + 1

/**
 * Whether one word becomes the other by at most `limit` edits: a character added, left out or replaced, or two
 * neighbours swapped (the optimal string alignment distance). Equal characters at both ends are skipped first, so with a
 * limit of two only a few paths remain and no table is needed.
 */
export function withinTypos(a: string, b: string, limit: number): boolean {
  return within(a, 0, a.length, b, 0, b.length, limit)
}

function within(a: string, fromA: number, toA: number, b: string, fromB: number, toB: number, limit: number): boolean {
  while (fromA < toA && fromB < toB && a.charCodeAt(fromA) === b.charCodeAt(fromB)) {
    fromA++
    fromB++
  }
  while (fromA < toA && fromB < toB && a.charCodeAt(toA - 1) === b.charCodeAt(toB - 1)) {
    toA--
    toB--
  }
  const restA = toA - fromA
  const restB = toB - fromB
  if (restA === 0 || restB === 0) return restA + restB <= limit
  if (limit === 0 || Math.abs(restA - restB) > limit) return false
  const isSwapped =
    restA > 1 &&
    restB > 1 &&
    a.charCodeAt(fromA) === b.charCodeAt(fromB + 1) &&
    a.charCodeAt(fromA + 1) === b.charCodeAt(fromB)
  // The last characters differ, so one edit is enough only for a single character or two that were swapped.
  if (limit === 1) return restA === restB && (restA === 1 || (restA === 2 && isSwapped))
  // Of two edits in a longer rest one is at either end, so the characters next to both ends agree.
  if (limit === 2 && restA > 3 && restB > 3) {
    if (!agreeNextTo(a, fromA, fromA + 1, b, fromB, fromB + 1)) return false
    if (!agreeNextTo(a, toA - 1, toA - 2, b, toB - 1, toB - 2)) return false
  }
  return (
    within(a, fromA + 1, toA, b, fromB + 1, toB, limit - 1) ||
    within(a, fromA + 1, toA, b, fromB, toB, limit - 1) ||
    within(a, fromA, toA, b, fromB + 1, toB, limit - 1) ||
    (isSwapped && within(a, fromA + 2, toA, b, fromB + 2, toB, limit - 1))
  )
}

/** Whether what is next to the ends is equal after the ends are edited: replaced, left out, added or swapped. */
const agreeNextTo = (a: string, endA: number, nextA: number, b: string, endB: number, nextB: number): boolean =>
  a.charCodeAt(nextA) === b.charCodeAt(nextB) ||
  a.charCodeAt(nextA) === b.charCodeAt(endB) ||
  a.charCodeAt(endA) === b.charCodeAt(nextB)

/** The characters of a word as 32 bits. One edit changes at most two bits, so most words are ruled out by their mask alone. */
export function letterMask(word: string): number {
  let mask = 0
  for (let at = 0; at < word.length; at++) mask |= 1 << (word.charCodeAt(at) & 31)
  return mask >>> 0
}

/** The bits of a mask that stand for other letters than vowels. */
export const CONSONANTS = ~letterMask('aeiou')

/** The word without its vowels, each consonant once where it is repeated. */
export const consonantsOf = (word: string): string => word.replace(/[aeiou]/g, '').replace(/(.)\1+/g, '$1')

/** How many characters two words do not share, going by their masks. */
export function maskDifference(a: number, b: number): number {
  let bits = a ^ b
  bits -= (bits >>> 1) & 0x55555555
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
