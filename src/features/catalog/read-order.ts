// Rows are read over several connections at once, so a read may bring its rows after a read that began later. Reads are numbered, and a row
// that a later read has brought is not replaced by that of an earlier one.

export interface Read {
  /** Whether no later read has brought this part. From then on it is the newest one that has, and `value` is what it has brought. */
  isNewest(part: string, value?: number): boolean
  /** Whether a later read has brought this part. For reads that bring only a piece of it. */
  isOvertaken(part: string): boolean
  /** The value of this part that a later read has brought. */
  laterValue(part: string): number | undefined
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
  const newest = new Map<string, { number: number; value: number | undefined }>()
  return {
    begin() {
      const number = ++last
      underWay.add(number)
      const isOvertaken = (part: string) => number < (newest.get(part)?.number ?? 0)
      return {
        isOvertaken,
        isNewest(part, value) {
          if (isOvertaken(part)) return false
          newest.set(part, { number, value })
          return true
        },
        laterValue: (part) => (isOvertaken(part) ? newest.get(part)?.value : undefined),
        hasLater: () => underWay.values().some((other) => other > number),
        end() {
          underWay.delete(number)
          if (underWay.size === 0) newest.clear()
        },
      }
    },
  }
}
