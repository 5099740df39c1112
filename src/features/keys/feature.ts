import type { Feature } from '../../kernel/feature.ts'
import { ownOperations } from './account.operations.ts'
import { removeOldCalls, removeOldOutcomes } from './calls.queries.ts'
import { createKeyCache } from './key-cache.ts'
import { keyOperations } from './operations.ts'
import { partnerKeyOperations } from './partner-keys.operations.ts'
import { pepperProblem } from './pepper.ts'
import { removeOldUsage } from './usage.queries.ts'
import { createUsage } from './usage.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    RATE_LIMIT_SCALE: number
  }
}

export const keys = {
  operatorOperations: [...keyOperations, ...partnerKeyOperations],
  accountOperations: ownOperations,
  removals: {
    usage: ({ sinceDay }) => removeOldUsage(sinceDay('usage')),
    outcomes: ({ sinceDay }) => removeOldOutcomes(sinceDay('usage')),
    calls: ({ yesterday }) => removeOldCalls(yesterday),
  },
  create(parts) {
    const { db, log, pepper, settings, shared } = parts
    const keys = createKeyCache({ db, log, pepper, scale: settings.RATE_LIMIT_SCALE, brokenRows: shared.brokenRows })
    const usage = createUsage(parts)
    const startProblem = () => pepperProblem(db, pepper)
    return { context: { keys, usage }, views: [keys], startProblem, start: usage.start, close: usage.close }
  },
} satisfies Feature
