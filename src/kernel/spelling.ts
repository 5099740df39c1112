/**
 * Whether the known name was meant: at most two letters are wrong, missing or extra. Short names never match, because two letters make
 * them any other word.
 */
export function isMisspelling(given: string, known: string): boolean {
  if (known.length < 7 || Math.abs(given.length - known.length) > 2) return false
  // For each beginning of the known name, how many letters differ from what was read of the given one.
  let row = Array.from(known, (letter, i) => ({ letter, differing: i + 1 }))
  for (const [i, letter] of [...given].entries()) {
    let before = i + 1
    let diagonal = i
    row = row.map(({ letter: other, differing: above }) => {
      before = Math.min(before + 1, above + 1, diagonal + (letter === other ? 0 : 1))
      diagonal = above
      return { letter: other, differing: before }
    })
  }
  const last = row.at(-1)
  return last !== undefined && last.differing <= 2
}
