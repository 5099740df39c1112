// Numbers the reads of rows from the database. Reads run over several connections at once, so an earlier read may bring its rows after a
// later one, and its rows must not replace the later rows. A `part` is the key of what a read brings: a listing, its click-throughs or a
// term. A listing and its click-throughs are two parts, because click-throughs are also read alone.

export interface Read {
  /**
   * Returns false when a later read has brought this part. Otherwise records this read as the newest of the part, together with the number
   * of click-throughs (`opens`) if it brings that.
   */
  recordIfNewest(part: string, opens?: number): boolean
  /** Whether a later read has brought this part. Records nothing: for reads that bring only a piece of the part. */
  isOvertaken(part: string): boolean
  /**
   * For the row of a listing: the number of click-throughs that a later read has brought, which read only that number; undefined when there
   * was no such read. The caller puts it into the row, which has an older number.
   */
  laterOpens(part: string): number | undefined
  /**
   * Whether a later read is under way. For rows that a transaction hands over: a later read may have begun before the commit. It then has
   * older rows and a higher number, so the order of the numbers does not tell which rows are newer.
   */
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
  const newest = new Map<string, { number: number; opens: number | undefined }>()
  return {
    begin() {
      const number = ++last
      underWay.add(number)
      const isOvertaken = (part: string) => number < (newest.get(part)?.number ?? 0)
      return {
        isOvertaken,
        recordIfNewest(part, opens) {
          if (isOvertaken(part)) return false
          newest.set(part, { number, opens })
          return true
        },
        laterOpens: (part) => (isOvertaken(part) ? newest.get(part)?.opens : undefined),
        hasLater: () => underWay.values().some((other) => other > number),
        end() {
          underWay.delete(number)
          if (underWay.size === 0) newest.clear()
        },
      }
    },
  }
}
