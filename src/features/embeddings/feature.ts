// Search by meaning with an embedding endpoint of the operator: makes and keeps vectors of listings and questions.
import type { Feature } from '../../kernel/feature.ts'
import { type MetricSource, metricOfRows } from '../../kernel/interfaces/metrics.ts'
import { createEmbeddings } from './create-embeddings.ts'

export const embeddingsFeature = {
  personalData: {
    keptAtDeletion: [
      { table: 'tool_embeddings', reason: 'Numbers made from what is published.' },
      { table: 'directory_embeddings', reason: 'Numbers made from what is published.' },
    ],
  },
  create(parts) {
    const { embeddingModel: model } = parts.shared
    if (!model) return { context: { meaning: null } }
    const { meaning, ...running } = createEmbeddings(parts, model)
    const metrics: MetricSource[] = [
      {
        name: 'catalog_embeddings',
        help: 'Vectors of listings in memory.',
        combine: 'max',
        read: () => [{ value: meaning.size() }],
      },
      metricOfRows(
        parts.query,
        'catalog_embeddings_open',
        'Listings without a vector of their present text, by whether they wait for it or the endpoint refused them.',
        `select state, count(open.refused) as value from (values ('waiting', false), ('refused', true)) states(state, refused)
         left join (${OPEN_ROWS}) open on open.refused = states.refused group by state`,
        ['state'],
      ),
    ]
    return { context: { meaning }, views: [meaning], ...running, metrics }
  },
} satisfies Feature

// Every row that is due. `due_at` is set also for a listing that the endpoint refused: it is tried again a day later.
const OPEN_ROWS = ['tool_embeddings', 'directory_embeddings']
  .map((table) => `select problem is not null as refused from ${table} where due_at is not null`)
  .join(' union all ')
