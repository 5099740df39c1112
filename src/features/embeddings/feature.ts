import type { Feature } from '../../kernel/feature.ts'
import { createEmbeddings } from './create-embeddings.ts'
import { embeddingMetrics } from './metrics.ts'

export const embeddings = {
  create(parts) {
    const { embeddingModel: model } = parts.shared
    if (!model) return { context: { meaning: null } }
    const { meaning, jobs, jobAfter, start, close } = createEmbeddings({ ...parts, model }, parts.times.newLengthMs)
    const metrics = embeddingMetrics(parts.query, meaning)
    return { context: { meaning }, views: [meaning], jobs, jobAfter, startWork: start, close, metrics }
  },
} satisfies Feature
