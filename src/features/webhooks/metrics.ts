import { countedRows, type MetricQuery, type MetricSource } from '../../kernel/metrics.ts'
import { SHOWN_STATE } from './queries.ts'

export const webhookMetrics = (query: MetricQuery): MetricSource[] => [
  {
    name: 'catalog_webhook_deliveries',
    help: 'Deliveries of events by state.',
    labels: ['state'],
    combine: 'max',
    read: countedRows(
      query,
      `select ${SHOWN_STATE} as state, count(*) as value from webhook_deliveries where not test group by 1`,
      ['state'],
    ),
  },
]
