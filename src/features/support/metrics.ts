import { countedRows, type MetricQuery, type MetricSource } from '../../kernel/metrics.ts'

export const supportMetrics = (query: MetricQuery): MetricSource[] => [
  {
    name: 'catalog_support_conversations',
    help: 'Support conversations by status.',
    labels: ['status'],
    combine: 'max',
    read: countedRows(query, 'select status, count(*) as value from support_conversations where not test group by 1', [
      'status',
    ]),
  },
]
