import type { Meaning } from '../../kernel/meaning.ts'
import { countedRows, type MetricQuery, type MetricSource } from '../../kernel/metrics.ts'

// A listing that the endpoint refused is due again a day later.
const OPEN = ['tool_embeddings', 'directory_embeddings']
  .map((table) => `select problem is not null as refused from ${table} where due_at is not null`)
  .join(' union all ')

export const embeddingMetrics = (query: MetricQuery, meaning: Meaning): MetricSource[] => [
  {
    name: 'catalog_embeddings',
    help: 'Vectors of listings in memory.',
    combine: 'max',
    read: () => [{ value: meaning.size() }],
  },
  {
    name: 'catalog_embeddings_open',
    help: 'Listings without a vector of their present text, by whether they wait for it or the endpoint refused them.',
    labels: ['state'],
    combine: 'max',
    read: countedRows(
      query,
      `select state, count(open.refused) as value from (values ('waiting', false), ('refused', true)) states(state, refused)
       left join (${OPEN}) open on open.refused = states.refused group by state`,
      ['state'],
    ),
  },
]
