// Counts the letters that a comparison of words reads, and makes words that are hard to compare.

/** How many characters are read one by one while the work is done. */
export function lettersReadBy(work: () => unknown): number {
  const { charCodeAt } = String.prototype
  let count = 0
  String.prototype.charCodeAt = function (at) {
    count++
    return charCodeAt.call(this, at)
  }
  try {
    work()
  } finally {
    String.prototype.charCodeAt = charCodeAt
  }
  return count
}

/** Words of the same letters, in another order each. */
export const shuffledLetters = (letters: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => {
    const left = [...letters]
    let rest = at * 31 + 7
    return Array.from({ length: letters.length }, () => {
      const [letter = ''] = left.splice(rest % left.length, 1)
      rest = Math.floor(rest / (left.length + 1))
      return letter
    }).join('')
  })
