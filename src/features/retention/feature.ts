// What is deleted when it is old, and the worker that deletes it.
import type { Feature } from '../../kernel/feature.ts'
import { createRemovalWorker } from './removals.ts'
import { daysKept } from './rules.ts'

export const retentionFeature = {
  create: (parts) => ({
    context: { kept: daysKept(parts.settings) },
    workers: [createRemovalWorker(parts)],
  }),
} satisfies Feature
