import type { Feature } from '../../kernel/feature.ts'
import { attemptContext } from '../../kernel/job-context.ts'
import { enricher, enrichmentJob } from './jobs.ts'
import { enrichmentOperations } from './operations.ts'
import { createPageReading } from './page-reading.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    ENRICHMENT_RETRY_SECONDS: number
  }
}

export const enrichment = {
  operatorOperations: enrichmentOperations,
  create: ({ settings, contextOf, createThreads }) => ({
    context: { readPage: createPageReading(createThreads) },
    jobs: [enrichmentJob((attempt) => attemptContext(contextOf(enricher), attempt), settings.ENRICHMENT_RETRY_SECONDS)],
  }),
} satisfies Feature
