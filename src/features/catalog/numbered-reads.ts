// Numbers the reads of rows from the database. They run over several connections at once, so an earlier read may bring its rows after a
// later one, and must not replace the later rows. A `part` is the key of what a read brings: a listing, its click-throughs or a term.

export interface Read {
  /** Returns false when a later read has brought this part. Otherwise records this read, and `value`, as the newest of the part. */
  recordIfNewest(part: string, value?: number): boolean
  /** Whether a later read has brought this part. Records nothing: for reads that bring only a piece of the part. */
  isOvertaken(part: string): boolean
  /** The value that a later read has recorded for this part. */
  laterValue(part: string): number | undefined
  /** Whether a read with a higher number is under way: it may have begun before the rows of this one were committed. */
  hasLater(): boolean
  /** Call it when the read brings no more. */
  end(): void
}

export interface NumberedReads {
  begin(): Read
}

export function createNumberedReads(): NumberedReads {
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
        recordIfNewest(part, value) {
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
