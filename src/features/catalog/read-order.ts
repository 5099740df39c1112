// Rows are read over several connections at once, so a read may bring its rows after a read that began later. Reads are numbered, and a row
// that a later read has brought is not replaced by that of an earlier one.

export interface Read {
  /** Whether no later read has brought this part. From then on it is the newest one that has. */
  isNewest(part: string): boolean
  /** Whether a later read has brought this part. For reads that bring only a piece of it. */
  isOvertaken(part: string): boolean
  /** Whether a later read is under way, which may bring what was stored before this one's rows. */
  hasLater(): boolean
  /** It will bring no more. */
  end(): void
}

export interface ReadOrder {
  begin(): Read
}

export function createReadOrder(): ReadOrder {
  let last = 0
  const underWay = new Set<number>()
  const newest = new Map<string, number>()
  return {
    begin() {
      const number = ++last
      underWay.add(number)
      const isOvertaken = (part: string) => number < (newest.get(part) ?? 0)
      return {
        isOvertaken,
        isNewest(part) {
          if (isOvertaken(part)) return false
          newest.set(part, number)
          return true
        },
        hasLater: () => underWay.values().some((other) => other > number),
        end() {
          underWay.delete(number)
          if (underWay.size === 0) newest.clear()
        },
      }
    },
  }
}
