// Whether the products and directories of the catalog still exist.
import type { Feature } from '../../kernel/feature.ts'
import { metricOfRows } from '../../kernel/interfaces/metrics.ts'
import type { ThreadTurn } from '../../kernel/work/threads.ts'
import type { WebsiteQuestion, WebsiteVerdict } from './looks/page.rules.ts'
import { healthOperations, healthOperatorOperations } from './operations.ts'
import { removeOrphans } from './queries.ts'
import { reportOperations } from './reports/reports.operations.ts'
import { removeOldReports } from './reports/reports.queries.ts'
import { createHealthWorker } from './worker.ts'

declare module '../../kernel/context.ts' {
  interface Context {
    health: {
      /** Whether the setting HEALTH_CHECKS is on. */
      isOn: boolean
      /** Reads a page in a thread. Throws when this takes too long. */
      read(question: WebsiteQuestion, turn: ThreadTurn): Promise<WebsiteVerdict>
    }
  }
}

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    HEALTH_CHECKS: 'on' | 'off'
  }
}

const THREAD = new URL('./looks/read-page-thread.ts', import.meta.url)
const THREAD_LIMITS = { atOnce: 1, timeoutMs: 15_000 }

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
    context: {
      health: {
        isOn: parts.settings.HEALTH_CHECKS === 'on',
        read: parts.createThreads<WebsiteVerdict>(THREAD, THREAD_LIMITS),
      },
    },
    workers: [createHealthWorker(parts)],
    metrics: [
      metricOfRows(
        parts.query,
        'catalog_health_checks_due',
        'Websites of listings that are due to be looked at.',
        'select count(*) as value from listing_health where next_at <= now()',
      ),
      metricOfRows(
        parts.query,
        'catalog_listing_health',
        'Listings by what looks at their websites have found.',
        'select state, count(*) as value from listing_health group by state',
        ['state'],
      ),
    ],
  }),
} satisfies Feature
