import { countedRows, type MetricSource, type Query } from '../../kernel/metrics.ts'
import { SHOWN_STATE } from './queries.ts'

export const webhookMetrics = (query: Query): MetricSource[] => [
  {
    name: 'catalog_webhook_deliveries',
    help: 'Deliveries of events by state.',
    labels: ['state'],
    together: 'max',
    read: countedRows(query, `select ${SHOWN_STATE} as state, count(*) as value from webhook_deliveries group by 1`, [
      'state',
    ]),
  },
]
