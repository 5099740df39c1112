import { countedRows, type MetricQuery, type MetricSource } from '../../kernel/metrics.ts'
import { WORK_STATES } from './rules.ts'

export const pictureMetrics = (query: MetricQuery): MetricSource[] => [
  {
    name: 'catalog_picture_listings',
    help: 'Listings that have had pictures on other hosts, by whether their copies wait, are done or have failed.',
    labels: ['state'],
    combine: 'max',
    read: countedRows(
      query,
      `select states.state, count(work.state) as value from unnest(array['${WORK_STATES.join("','")}']) states(state)
       left join picture_work work on work.state = states.state group by states.state`,
      ['state'],
    ),
  },
]
