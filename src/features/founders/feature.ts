// Founders and their products: sending one, claiming a listing, and changing what they own.
import type { Feature } from '../../kernel/feature.ts'
import { attemptContext } from '../../kernel/job.ts'
import { DAY_MS } from '../../kernel/values/days.ts'
import type { FounderMode } from '../settings/rules.ts'
import { ownClaimOperations, ownerOperations } from './claims/operations.ts'
import { removeOldUnproven } from './claims/queries.ts'
import { UNPROVEN_DAYS } from './claims/rules.ts'
import { createClaimWorker } from './claims/worker.ts'
import { ownListingOperations } from './owned/account.operations.ts'
import { toolNumberOperations } from './owned/numbers.operations.ts'
import { ownProductOperations } from './products/account.operations.ts'
import { reviewOperations } from './products/operations.ts'
import { removeOldDrafts, removeOldRefused } from './products/queries.ts'
import { productReader, readingJob } from './products/reading.jobs.ts'
import { createSenders, type Senders } from './products/send.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    FOUNDERS: FounderMode
  }
}

declare module '../../kernel/context.ts' {
  interface Context {
    founders: { mode: FounderMode; senders: Senders }
  }
}

export const foundersFeature = {
  operatorOperations: [...reviewOperations, ...ownerOperations, ...toolNumberOperations],
  accountOperations: [...ownProductOperations, ...ownClaimOperations, ...ownListingOperations],
  removals: {
    unsentProducts: ({ since }) => removeOldDrafts(since('unsentProducts')),
    refusedProducts: ({ since }) => removeOldRefused(since('refusedProducts')),
    unprovenClaims: ({ now }) => removeOldUnproven(new Date(now.getTime() - UNPROVEN_DAYS * DAY_MS)),
  },
  personalData: {
    texts: { founder_products: ['fields', 'reason', 'note'], refused_websites: ['reason'] },
    keptAtDeletion: [
      {
        table: 'refused_websites',
        columns: ['website_key'],
        reason: 'Which website was refused, without who sent it.',
      },
    ],
    ofAccount: ['founder_products', 'claims'],
  },
  create(parts) {
    const mode = parts.settings.FOUNDERS
    return {
      context: { founders: { mode, senders: createSenders() } },
      jobs: [readingJob((attempt) => attemptContext(parts.contextOf(productReader), attempt))],
      // While founders are off, owners could not prove their claims again, so none is ended.
      workers: mode === 'off' ? [] : [createClaimWorker(parts)],
    }
  },
} satisfies Feature
