import { countedRows, type MetricSource, type Query } from '../../kernel/metrics.ts'

export const supportMetrics = (query: Query): MetricSource[] => [
  {
    name: 'catalog_support_conversations',
    help: 'Support conversations by status.',
    labels: ['status'],
    together: 'max',
    read: countedRows(query, 'select status, count(*) as value from support_conversations group by 1', ['status']),
  },
]
