// Metrics of the database: whether it answers, and its background jobs.
import { countsOfRows, type MetricQuery, type MetricSource } from '../../kernel/interfaces/metrics.ts'

export const databaseMetrics = (query: MetricQuery): MetricSource[] => [
  {
    name: 'catalog_database_up',
    help: '1 while the database answers.',
    combine: 'min',
    read: async () => [
      {
        value: await query('select 1').then(
          () => 1,
          () => 0,
        ),
      },
    ],
  },
  {
    name: 'catalog_jobs',
    help: 'Background jobs by queue and state.',
    labels: ['queue', 'state'],
    combine: 'max',
    read: countsOfRows(query, 'select name as queue, state, count(*) as value from jobs.job group by 1, 2', [
      'queue',
      'state',
    ]),
  },
]
