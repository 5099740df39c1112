// So many at once, and the others in line.

export type Turns = <T>(work: () => Promise<T>) => Promise<T>

export function createTurns(atOnce: number): Turns {
  const waiting: (() => void)[] = []
  let free = atOnce
  return async (work) => {
    if (free > 0) free--
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
