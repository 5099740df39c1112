// How owners (partners, accounts, hosts) share what may run at once. Tasks of this process wait here for their turn; work that is stored in
// the database is claimed in shares. Requests take turns of another kind, by turns of the event loop: surfaces/http/turns.ts.
import type { DueWork } from './due-work.ts'

export type FairTurns = <T>(owner: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Runs at most `atOnce` tasks at a time. Owners take turns: an owner with many waiting tasks delays another owner by one task only. */
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

export type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** The same for one owner. While `maxWaiting` tasks wait, further tasks are refused with the error that `refuse` makes. */
export function createConcurrencyLimit(
  atOnce: number,
  maxWaiting = Number.POSITIVE_INFINITY,
  refuse: () => Error = () => new Error('too many waiting'),
): Turns {
  const takeTurn = createFairTurns(atOnce)
  let begun = 0
  return async (work) => {
    if (begun >= atOnce + maxWaiting) throw refuse()
    begun++
    try {
      return await takeTurn('', work)
    } finally {
      begun--
    }
  }
}

export interface Shares {
  /** How many tasks run at once. */
  atOnce: number
  /** One owner has at most this many of them. */
  ofOwner: number
  /** The last so many free places go only to owners without a running task, so that a few owners whose tasks hang do not fill all places. */
  keptFree: number
}

export interface SharedWork<T> {
  /** Takes what is next of an owner with fewer than `most` tasks. `isRoom`: more places are free than are kept free. */
  claim(most: number, isRoom: boolean): Promise<T | null | undefined>
  run(claimed: T): Promise<unknown>
  /** After how many milliseconds something is due, when nothing can be claimed now. */
  next(): Promise<number | null>
}

/** A look of due work that claims and runs stored work until all places are taken or nothing is left. */
export async function lookInShares<T>(due: DueWork, shares: Shares, work: SharedWork<T>): Promise<number | null> {
  while (due.running() < shares.atOnce && !due.isStopped()) {
    const isRoom = shares.atOnce - due.running() > shares.keptFree
    const claimed = await work.claim(isRoom ? shares.ofOwner : 1, isRoom)
    if (!claimed) return work.next()
    due.run(() => work.run(claimed))
  }
  return null
}
