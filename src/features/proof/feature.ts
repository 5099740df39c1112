// Whether submissions had an effect: checks links on listings, compares what listings say, and reports it to customers.
import { LRUCache } from 'lru-cache'
import type { Feature } from '../../kernel/feature.ts'
import { metricOfRows } from '../../kernel/interfaces/metrics.ts'
import type { CreateThreads, ThreadTurn } from '../../kernel/work/threads.ts'
import { liveEvent, lostEvent } from './links/check-link.ts'
import { proofOperations } from './operations.ts'
import type { RobotsQuestion } from './politeness/robots.rules.ts'
import { removeOldChecks, removeOldHosts, removeOldRobots } from './queries.ts'
import type { PageQuestion, PageVerdict } from './rules.ts'
import { createSearchWorker } from './searches/directory-search.ts'
import { createLinkCheckWorker } from './worker.ts'

/** What link checks use: threads that read pages and robots.txt files from outside, and whether checks are switched on. */
interface LinkAccess {
  /** Whether the setting LINK_CHECKS is on. */
  isOn: boolean
  /** `read` and `robotsAllow` throw when the work takes too long. A few run at once, and owners take turns. */
  read(question: PageQuestion, turn: ThreadTurn): Promise<PageVerdict>
  robotsAllow(question: RobotsQuestion, turn: ThreadTurn): Promise<boolean>
  /** When this process last asked each host or got its answer, by performance.now(). */
  lastAsked: { get(host: string): number | undefined; set(host: string, time: number): unknown; clear(): void }
}

declare module '../../kernel/context.ts' {
  interface Context {
    links: LinkAccess
  }
}

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    LINK_CHECKS: 'on' | 'off'
  }
}

const ON_OTHER_SITES = 'What a public page of another site says.'

export const proofFeature = {
  operatorOperations: proofOperations,
  events: [liveEvent, lostEvent],
  // These also run with LINK_CHECKS=off. Some old link checks are kept forever (`removeOldChecks`).
  removals: {
    foldedLinkChecks: ({ since }) => removeOldChecks(since('linkChecks')),
    robotsFiles: ({ yesterday }) => removeOldRobots(yesterday),
    linkHosts: () => removeOldHosts,
  },
  personalData: {
    keptAtDeletion: [
      { table: 'link_checks', reason: ON_OTHER_SITES, countedAtDeletion: true },
      { table: 'link_hosts', reason: ON_OTHER_SITES },
      { table: 'robots_files', reason: ON_OTHER_SITES },
      { table: 'directory_searches', reason: ON_OTHER_SITES },
    ],
  },
  create: (parts) => ({
    context: { links: createLinkAccess(parts.settings.LINK_CHECKS, parts.createThreads) },
    workers: [createLinkCheckWorker(parts), createSearchWorker(parts)],
    metrics: [
      metricOfRows(parts.query, 'catalog_link_checks_due', 'Listings that are due to be looked at.', LINKS_DUE),
    ],
  }),
} satisfies Feature

// Counted partner by partner, because the index begins with the partner.
const LINKS_DUE = `select coalesce(sum(due.count), 0) as value from partners cross join lateral
  (select count(*) from listing_links l where l.partner_id = partners.id and l.next_at <= now()) due`

// Only the hosts that were asked last are remembered.
const MAX_HOSTS = 1_000
// Reading a page of 2 MiB takes half a second. A page that takes longer than the limit is given up.
const LIMITS = { atOnce: 2, timeoutMs: 15_000 }

export function createLinkAccess(setting: 'on' | 'off', createThreads: CreateThreads): LinkAccess {
  return {
    isOn: setting === 'on',
    lastAsked: new LRUCache({ max: MAX_HOSTS }),
    read: createThreads<PageVerdict>(new URL('./links/read-links-thread.ts', import.meta.url), LIMITS),
    robotsAllow: createThreads<boolean>(new URL('./politeness/robots-thread.ts', import.meta.url), LIMITS),
  }
}
