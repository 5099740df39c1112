/**
 * Whether the known name was meant: at most two letters are wrong, missing or extra. Short names never match, because two letters make
 * them any other word.
 */
export const isMisspelling = (given: string, known: string): boolean =>
  known.length >= 7 && Math.abs(given.length - known.length) <= 2 && lettersApart(given, known) <= 2

/** How many letters of the given name are wrong, missing or extra. It takes the product of the two lengths, so both must be short. */
export function lettersApart(given: string, known: string): number {
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
  return row.at(-1)?.differing ?? given.length
}
