// Reads the site of a submitted product and fills texts and pictures that its partner left out.
import type { Feature } from '../../kernel/feature.ts'
import type { PictureStore, Pictures } from '../../kernel/interfaces/picture-store.ts'
import { attemptContext } from '../../kernel/job.ts'
import type { ThreadTurn } from '../../kernel/work/threads.ts'
import { enricher, enrichmentJob } from './jobs.ts'
import { enrichmentOperations } from './operations.ts'
import type { PageFacts, PageSource } from './page/page.rules.ts'

declare module '../../kernel/context.ts' {
  interface Context {
    pictures: Pictures
    pictureStore: PictureStore
    /** Throws when a page takes too long to read. A few pages are read at a time, and owners take turns. */
    readPage(page: PageSource, turn?: ThreadTurn): Promise<PageFacts>
  }
}

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    ENRICHMENT_RETRY_SECONDS: number
  }
}

export const enrichmentFeature = {
  operatorOperations: enrichmentOperations,
  personalData: { texts: { enrichments: ['parts'] } },
  create: ({ settings, contextOf, createThreads }) => ({
    context: { readPage: createThreads<PageFacts>(new URL('./page/read-page-thread.ts', import.meta.url), LIMITS) },
    jobs: [enrichmentJob((attempt) => attemptContext(contextOf(enricher), attempt), settings.ENRICHMENT_RETRY_SECONDS)],
  }),
} satisfies Feature

// Reading a page of 2 MiB takes a fifth of a second. A page that was written to take longer is given up after this time.
const LIMITS = { atOnce: 2, timeoutMs: 5_000 }
