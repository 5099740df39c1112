// Runs at most `atOnce` tasks at a time; the rest wait in order, or by owner.

export type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** While `maxWaiting` tasks wait, further tasks are refused with the error that `refuse` makes. */
export function createConcurrencyLimit(
  atOnce: number,
  maxWaiting = Number.POSITIVE_INFINITY,
  refuse: () => Error = () => new Error('too many waiting'),
): Turns {
  const waiting: (() => void)[] = []
  let free = atOnce
  return async (work) => {
    if (free > 0) free--
    else if (waiting.length >= maxWaiting) throw refuse()
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

export type FairTurns = <T>(owner: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Like `createConcurrencyLimit`, but owners take turns: an owner with many waiting tasks delays another owner by one task only. */
export function createFairTurns(atOnce: number): FairTurns {
  // Owners in the order of their turns; an owner that had its turn goes to the end.
  const waiting = new Map<string, (() => void)[]>()
  let free = atOnce

  function next(): void {
    const [first] = waiting
    if (!first) {
      free++
      return
    }
    const [owner, line] = first
    const start = line.shift()
    waiting.delete(owner)
    if (line.length > 0) waiting.set(owner, line)
    start?.()
  }

  function wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = waiting.get(owner) ?? []
      const start = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        line.splice(line.indexOf(start), 1)
        if (line.length === 0) waiting.delete(owner)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      line.push(start)
      waiting.set(owner, line)
    })
  }

  return async (owner, work, signal) => {
    signal?.throwIfAborted()
    if (free > 0) free--
    else await wait(owner, signal)
    try {
      return await work()
    } finally {
      next()
    }
  }
}
