import { countedRows, type MetricQuery, type MetricSource } from '../../kernel/metrics.ts'

export const mailMetrics = (query: MetricQuery): MetricSource[] => [
  {
    name: 'catalog_mails',
    help: 'Mails of the last 24 hours by kind and state.',
    labels: ['kind', 'state'],
    combine: 'max',
    read: countedRows(
      query,
      `select kind, state, count(*) as value from mails where created_at > now() - interval '24 hours' group by 1, 2`,
      ['kind', 'state'],
    ),
  },
]
