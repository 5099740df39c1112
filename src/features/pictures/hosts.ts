// How other hosts are asked for pictures by this process: two requests at once, and a pause between the beginnings of two.
import { setTimeout as sleep } from 'node:timers/promises'
import { createFairTurns, type FairTurns } from '../../kernel/turns.ts'

/** Of one host. A browser that opens a page with pictures asks for more at once. */
export const AT_ONCE = 2
const PAUSE_MS = 200
// Hosts without a request under way are forgotten beyond this number.
const MAX_REMEMBERED = 1_000

export interface PictureHosts {
  /** Waits for the host's turn and runs the request. Rejects with the signal's reason. */
  ask<T>(host: string, request: () => Promise<T>, signal: AbortSignal): Promise<T>
}

interface Host {
  takeTurn: FairTurns
  /** Requests that run or wait. */
  asking: number
  nextAt: number
}

export function createPictureHosts(pauseMs = PAUSE_MS): PictureHosts {
  const hosts = new Map<string, Host>()
  const hostNamed = (name: string): Host => {
    const known = hosts.get(name) ?? { takeTurn: createFairTurns(AT_ONCE), asking: 0, nextAt: 0 }
    hosts.delete(name)
    hosts.set(name, known)
    for (const [oldest, { asking }] of hosts) {
      if (hosts.size <= MAX_REMEMBERED) break
      if (asking === 0 && oldest !== name) hosts.delete(oldest)
    }
    return known
  }
  return {
    async ask(name, request, signal) {
      const host = hostNamed(name)
      const inTurn = async () => {
        const startAt = Math.max(performance.now(), host.nextAt)
        host.nextAt = startAt + pauseMs
        await sleep(Math.max(0, startAt - performance.now()), undefined, { signal })
        return request()
      }
      host.asking++
      try {
        return await host.takeTurn('', inTurn, signal)
      } finally {
        host.asking--
      }
    },
  }
}
