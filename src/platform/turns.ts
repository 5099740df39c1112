// So many at once, and the others in line.

export type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** Past `mostWaiting` in line, whoever comes is told by `refuse`. */
export function createTurns(
  atOnce: number,
  mostWaiting = Number.POSITIVE_INFINITY,
  refuse: () => Error = () => new Error('too many in line'),
): Turns {
  const waiting: (() => void)[] = []
  let free = atOnce
  return async (work) => {
    if (free > 0) free--
    else if (waiting.length >= mostWaiting) throw refuse()
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
