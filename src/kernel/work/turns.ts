// How owners (partners, accounts, hosts) share the tasks that may run at once: tasks of this process with `createFairTurns`, work that is
// stored in the database with `lookInShares`. Requests to this service are shared in another way: surfaces/http/turns.ts.
import type { DueWork } from './due-work.ts'

export type FairTurns = <T>(owner: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Runs at most `atOnce` tasks at a time. Owners take turns: an owner with many waiting tasks delays another owner by one task only. */
export function createFairTurns(atOnce: number): FairTurns {
  // Owners in the order of their turns; an owner that had its turn goes to the end.
  const waiting = new Map<string, (() => void)[]>()
  let free = atOnce

  function startNext(): void {
    const [first] = waiting
    if (!first) {
      free++
      return
    }
    const [owner, queue] = first
    const start = queue.shift()
    waiting.delete(owner)
    if (queue.length > 0) waiting.set(owner, queue)
    start?.()
  }

  function wait(owner: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const queue = waiting.get(owner) ?? []
      const start = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        queue.splice(queue.indexOf(start), 1)
        if (queue.length === 0) waiting.delete(owner)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      queue.push(start)
      waiting.set(owner, queue)
    })
  }

  return async (owner, work, signal) => {
    signal?.throwIfAborted()
    if (free > 0) free--
    else await wait(owner, signal)
    try {
      return await work()
    } finally {
      startNext()
    }
  }
}

type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** Runs at most `atOnce` tasks at a time. While `maxWaiting` tasks wait, a further one is refused with the error that `refuse` makes. */
export function createConcurrencyLimit(
  atOnce: number,
  maxWaiting = Number.POSITIVE_INFINITY,
  refuse: () => Error = () => new Error('too many waiting'),
): Turns {
  const takeTurn = createFairTurns(atOnce)
  let unfinished = 0
  return async (work) => {
    if (unfinished >= atOnce + maxWaiting) throw refuse()
    unfinished++
    try {
      return await takeTurn('', work)
    } finally {
      unfinished--
    }
  }
}

interface Shares {
  /** How many tasks run at once. */
  atOnce: number
  /** How many of them one owner may have. */
  ofOwner: number
  /** How many places go only to owners without a running task, so that a few owners whose tasks hang do not fill all places. */
  keptFree: number
}

interface SharedWork<T> {
  /** Takes the next work of an owner that has fewer than `maxOfOwner` running tasks. `isRoom`: more than `keptFree` places are free. */
  claim(maxOfOwner: number, isRoom: boolean): Promise<T | null | undefined>
  run(claimed: T): Promise<unknown>
  /** After how many milliseconds something is due, when nothing can be claimed now. */
  next(): Promise<number | null>
}

/** The `look` of due work that is stored: claims and runs it until all places are taken or nothing is left. */
export async function lookInShares<T>(due: DueWork, shares: Shares, work: SharedWork<T>): Promise<number | null> {
  while (due.running() < shares.atOnce && !due.isStopped()) {
    const isRoom = shares.atOnce - due.running() > shares.keptFree
    const claimed = await work.claim(isRoom ? shares.ofOwner : 1, isRoom)
    if (!claimed) return work.next()
    due.run(() => work.run(claimed))
  }
  return null
}
