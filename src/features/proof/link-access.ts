// What link checks need of the platform: two threads for the texts of strangers, and whether checks are switched on.
import { LRUCache } from 'lru-cache'
import type { CreateThreads, ThreadTurn } from '../../kernel/threads.ts'
import type { RobotsQuestion } from './robots.rules.ts'
import type { ListingPage, PageVerdict } from './verdict.rules.ts'

export interface LinkAccess {
  /** LINK_CHECKS */
  isOn: boolean
  /** Both throw when the work takes too long. A few run at a time, and owners take turns. */
  read(work: { page: ListingPage; productKeys: readonly string[] }, turn: ThreadTurn): Promise<PageVerdict>
  robotsAllow(question: RobotsQuestion, turn: ThreadTurn): Promise<boolean>
  /** When this process last asked each host or got its answer, by performance.now(). */
  lastAsked: { get(host: string): number | undefined; set(host: string, time: number): unknown; clear(): void }
}

declare module '../../kernel/context.ts' {
  interface Context {
    links: LinkAccess
  }
}

// Hosts that were asked longer ago than this many others need not be remembered.
const MAX_REMEMBERED = 1_000
// Reading a page of 2 MiB takes half a second. A page that was written to take longer is given up after this time.
const LIMITS = { atOnce: 2, timeoutMs: 15_000 }

export function createLinkAccess(setting: 'on' | 'off', createThreads: CreateThreads): LinkAccess {
  return {
    isOn: setting === 'on',
    lastAsked: new LRUCache({ max: MAX_REMEMBERED }),
    read: createThreads<PageVerdict>(new URL('./read-links-thread.ts', import.meta.url), LIMITS),
    robotsAllow: createThreads<boolean>(new URL('./robots-thread.ts', import.meta.url), LIMITS),
  }
}
