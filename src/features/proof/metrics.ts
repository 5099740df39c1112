import { countedRows, type MetricQuery, type MetricSource } from '../../kernel/metrics.ts'

// Counted partner by partner, because the index begins with the partner.
const DUE = `select coalesce(sum(due.count), 0) as value from partners cross join lateral
  (select count(*) from listing_links l where l.partner_id = partners.id and l.next_at <= now()) due`

export const linkMetrics = (query: MetricQuery): MetricSource[] => [
  {
    name: 'catalog_link_checks_due',
    help: 'Listings that are due to be looked at.',
    combine: 'max',
    read: countedRows(query, DUE, []),
  },
]
