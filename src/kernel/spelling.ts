/**
 * Whether the known name was meant: at most two letters are wrong, missing or extra. Short names never match, because two letters make
 * them any other word.
 */
export function isMisspelling(given: string, known: string): boolean {
  if (known.length < 7 || Math.abs(given.length - known.length) > 2) return false
  let row = Array.from({ length: known.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...given].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...known].entries())
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === other ? 0 : 1)))
    row = next
  }
  return row[known.length]! <= 2
}
