// Limits the picture requests that this process makes to one host: two at once, and a pause between the starts of two requests.
import { setTimeout as sleep } from 'node:timers/promises'
import { createFairTurns, type FairTurns } from '../../kernel/work/turns.ts'

/** Requests to one host at the same time. A browser that opens a page with pictures makes more. */
export const PER_HOST = 2
const PAUSE_MS = 200
// Beyond this number, hosts without a pending request are forgotten.
const MAX_HOSTS = 1_000

export interface PictureHosts {
  /** Waits for the host's turn and runs the request. Rejects with the signal's reason. */
  ask<T>(host: string, request: () => Promise<T>, signal: AbortSignal): Promise<T>
}

interface Host {
  takeTurn: FairTurns
  /** Requests that run or wait. */
  pending: number
  /** When the next request may start. */
  nextAt: number
}

export function createPictureHosts(pauseMs = PAUSE_MS): PictureHosts {
  const hosts = new Map<string, Host>()
  /** The host moves to the end of the map, so that the first entries are those not used for longest. */
  const hostNamed = (name: string): Host => {
    const known = hosts.get(name) ?? { takeTurn: createFairTurns(PER_HOST), pending: 0, nextAt: 0 }
    hosts.delete(name)
    hosts.set(name, known)
    for (const [oldest, { pending }] of hosts) {
      if (hosts.size <= MAX_HOSTS) break
      if (pending === 0 && oldest !== name) hosts.delete(oldest)
    }
    return known
  }
  return {
    async ask(name, request, signal) {
      const host = hostNamed(name)
      const paced = async () => {
        const startAt = Math.max(performance.now(), host.nextAt)
        host.nextAt = startAt + pauseMs
        await sleep(Math.max(0, startAt - performance.now()), undefined, { signal })
        return request()
      }
      host.pending++
      try {
        return await host.takeTurn('', paced, signal)
      } finally {
        host.pending--
      }
    },
  }
}
