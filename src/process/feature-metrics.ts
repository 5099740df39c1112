// The metrics of all features.
import { catalogMetrics } from '../features/catalog/metrics.ts'
import { embeddingMetrics } from '../features/embeddings/metrics.ts'
import { mailMetrics } from '../features/mail/metrics.ts'
import { pictureMetrics } from '../features/pictures/metrics.ts'
import { linkMetrics } from '../features/proof/metrics.ts'
import { supportMetrics } from '../features/support/metrics.ts'
import { webhookMetrics } from '../features/webhooks/metrics.ts'
import type { Meaning } from '../kernel/meaning.ts'
import type { MetricQuery, MetricSource } from '../kernel/metrics.ts'

export const featureMetrics = (
  query: MetricQuery,
  catalog: Parameters<typeof catalogMetrics>[0],
  brokenRows: Parameters<typeof catalogMetrics>[1],
  meaning: Meaning | undefined,
): MetricSource[] => [
  ...catalogMetrics(catalog, brokenRows),
  ...webhookMetrics(query),
  ...supportMetrics(query),
  ...linkMetrics(query),
  ...pictureMetrics(query),
  ...mailMetrics(query),
  ...(meaning ? embeddingMetrics(query, meaning) : []),
]
