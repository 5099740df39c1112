// Whether submissions had an effect: checks links on listings, compares what listings say, and reports it to customers.
import type { Feature } from '../../kernel/feature.ts'
import { countsOfRows, type MetricQuery, type MetricSource } from '../../kernel/interfaces/metrics.ts'
import { liveEvent, lostEvent } from './events.ts'
import { createLinkAccess } from './links/link-access.ts'
import { proofOperations } from './operations.ts'
import { removeOldChecks, removeOldHosts, removeOldRobots } from './queries.ts'
import { createSearchWorker } from './searches/directory-search.ts'
import { createLinkCheckWorker } from './worker.ts'

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
    metrics: linkMetrics(parts.query),
  }),
} satisfies Feature

// Counted partner by partner, because the index begins with the partner.
const DUE = `select coalesce(sum(due.count), 0) as value from partners cross join lateral
  (select count(*) from listing_links l where l.partner_id = partners.id and l.next_at <= now()) due`

const linkMetrics = (query: MetricQuery): MetricSource[] => [
  {
    name: 'catalog_link_checks_due',
    help: 'Listings that are due to be looked at.',
    combine: 'max',
    read: countsOfRows(query, DUE, []),
  },
]
