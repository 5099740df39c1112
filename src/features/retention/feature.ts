// Deletes old rows of all features, after as many days as the settings KEEP_…_DAYS say.
import type { Feature } from '../../kernel/feature.ts'
import { createRemovalWorker, createTableStatisticsWorker } from './removals.ts'
import { daysKept } from './rules.ts'

export const retentionFeature = {
  create: (parts) => ({
    context: { kept: daysKept(parts.settings) },
    // `isAlone`: the database is the embedded one. On a server, PostgreSQL counts its tables by itself.
    workers: [createRemovalWorker(parts), ...(parts.isAlone ? [createTableStatisticsWorker(parts)] : [])],
  }),
} satisfies Feature
