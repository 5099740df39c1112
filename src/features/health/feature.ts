// Whether the products and directories of the catalog still exist.
import type { Feature } from '../../kernel/feature.ts'
import { countsOfRows } from '../../kernel/metrics.ts'
import { createHealthAccess } from './health-access.ts'
import { healthOperations, healthOperatorOperations } from './operations.ts'
import { removeOrphans } from './queries.ts'
import { reportOperations } from './reports.operations.ts'
import { removeOldReports } from './reports.queries.ts'
import { createHealthWorker } from './worker.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    HEALTH_CHECKS: 'on' | 'off'
  }
}

const DUE = 'select count(*) as value from listing_health where next_at <= now()'
const STATES = 'select state, count(*) as value from listing_health group by state'

export const healthFeature = {
  operations: healthOperations,
  operatorOperations: [...healthOperatorOperations, ...reportOperations],
  personalData: {
    labels: { visitor_reports: ['answered_by'] },
    texts: { visitor_reports: ['messages', 'answer'] },
    keptAtDeletion: [{ table: 'visitor_reports', columns: ['counts'], reason: 'How often a listing was reported.' }],
  },
  removals: {
    healthOfDeleted: () => removeOrphans,
    visitorReports: ({ since }) => removeOldReports(since('visitorReports')),
  },
  create: (parts) => ({
    context: { health: createHealthAccess(parts.settings.HEALTH_CHECKS, parts.createThreads) },
    workers: [createHealthWorker(parts)],
    metrics: [
      {
        name: 'catalog_health_checks_due',
        help: 'Websites of listings that are due to be looked at.',
        combine: 'max',
        read: countsOfRows(parts.query, DUE, []),
      },
      {
        name: 'catalog_listing_health',
        help: 'Listings by what looks at their websites have found.',
        labels: ['state'],
        combine: 'max',
        read: countsOfRows(parts.query, STATES, ['state']),
      },
    ],
  }),
} satisfies Feature
