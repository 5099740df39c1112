// What link checks use: threads that read pages and robots.txt files from outside, and whether checks are switched on.
import { LRUCache } from 'lru-cache'
import type { CreateThreads, ThreadTurn } from '../../../kernel/work/threads.ts'
import type { RobotsQuestion } from '../politeness/robots.rules.ts'
import type { PageQuestion, PageVerdict } from './verdict.rules.ts'

export interface LinkAccess {
  /** Whether the setting LINK_CHECKS is on. */
  isOn: boolean
  /** `read` and `robotsAllow` throw when the work takes too long. A few run at once, and owners take turns. */
  read(question: PageQuestion, turn: ThreadTurn): Promise<PageVerdict>
  robotsAllow(question: RobotsQuestion, turn: ThreadTurn): Promise<boolean>
  /** When this process last asked each host or got its answer, by performance.now(). */
  lastAsked: { get(host: string): number | undefined; set(host: string, time: number): unknown; clear(): void }
}

declare module '../../../kernel/context.ts' {
  interface Context {
    links: LinkAccess
  }
}

// Only the hosts that were asked last are remembered.
const MAX_HOSTS = 1_000
// Reading a page of 2 MiB takes half a second. A page that takes longer than the limit is given up.
const LIMITS = { atOnce: 2, timeoutMs: 15_000 }

export function createLinkAccess(setting: 'on' | 'off', createThreads: CreateThreads): LinkAccess {
  return {
    isOn: setting === 'on',
    lastAsked: new LRUCache({ max: MAX_HOSTS }),
    read: createThreads<PageVerdict>(new URL('./read-links-thread.ts', import.meta.url), LIMITS),
    robotsAllow: createThreads<boolean>(new URL('../politeness/robots-thread.ts', import.meta.url), LIMITS),
  }
}
