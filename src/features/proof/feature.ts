import type { Feature } from '../../kernel/feature.ts'
import { liveEvent, lostEvent } from './events.ts'
import { createLinkAccess } from './link-access.ts'
import { linkMetrics } from './metrics.ts'
import { proofOperations } from './operations.ts'
import { removeOldChecks, removeOldHosts, removeOldRobots } from './queries.ts'
import { createLinkCheckWorker } from './worker.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    LINK_CHECKS: 'on' | 'off'
  }
}

export const proof = {
  operatorOperations: proofOperations,
  events: [liveEvent, lostEvent],
  // Also with LINK_CHECKS=off. Some of these rows are kept for good instead of being deleted.
  removals: {
    foldedLinkChecks: ({ since }) => removeOldChecks(since('linkChecks')),
    robotsFiles: ({ yesterday }) => removeOldRobots(yesterday),
    linkHosts: () => removeOldHosts,
  },
  create: (parts) => ({
    context: { links: createLinkAccess(parts.settings.LINK_CHECKS, parts.createThreads) },
    workers: [createLinkCheckWorker(parts)],
    metrics: linkMetrics(parts.query),
  }),
} satisfies Feature
