// Deletes old rows of all features, after as many days as the settings KEEP_…_DAYS say.
import type { Feature } from '../../kernel/feature.ts'
import { createRemovalWorker, createStatisticsWorker } from './removals.ts'
import { daysKept } from './rules.ts'

export const retentionFeature = {
  create: (parts) => ({
    context: { kept: daysKept(parts.settings) },
    workers: [createRemovalWorker(parts), ...(parts.isAlone ? [createStatisticsWorker(parts)] : [])],
  }),
} satisfies Feature
