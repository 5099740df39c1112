import type { Feature } from '../../kernel/feature.ts'
import { countsOfRows, type MetricQuery, type MetricSource } from '../../kernel/metrics.ts'
import { ownDeliveryOperations } from './account.operations.ts'
import { webhookOperations } from './operations.ts'
import { removeOldDeliveries, SHOWN_STATE } from './queries.ts'
import { testEvent } from './test-event.ts'
import { createDeliveryWorker } from './worker.ts'

export const webhooksFeature = {
  operatorOperations: webhookOperations,
  accountOperations: ownDeliveryOperations,
  events: [testEvent],
  removals: { deliveries: ({ since }) => removeOldDeliveries(since('deliveries')) },
  personalData: {
    texts: { webhook_deliveries: ['body', 'error', 'answer'] },
  },
  create: (parts) => ({ workers: [createDeliveryWorker(parts)], metrics: webhookMetrics(parts.query) }),
} satisfies Feature

export const webhookMetrics = (query: MetricQuery): MetricSource[] => [
  {
    name: 'catalog_webhook_deliveries',
    help: 'Deliveries of events by state.',
    labels: ['state'],
    combine: 'max',
    read: countsOfRows(
      query,
      `select ${SHOWN_STATE} as state, count(*) as value from webhook_deliveries where not test group by 1`,
      ['state'],
    ),
  },
]
