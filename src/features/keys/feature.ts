// API keys of users and partners: making and replacing them, their limits, and the calls that were made with them.
import type { Database } from '../../kernel/context.ts'
import type { Feature, LoadedRow } from '../../kernel/feature.ts'
import { ownOperations, ownPartnerKeyOperations } from './account.operations.ts'
import { createKeyCache } from './key-cache.ts'
import { getMe } from './me.operations.ts'
import { keyOperations, partnerKeyOperations } from './operations.ts'
import { insertPepperFingerprint } from './queries.ts'
import { type KeyEntry, keyProblem, pepperFingerprint } from './rules.ts'
import { removeOldCalls, removeOldOutcomes, removeOldUsage } from './usage/queries.ts'
import { createUsage } from './usage/usage.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    RATE_LIMIT_SCALE: number
  }
}

export const keysFeature = {
  operations: [getMe],
  operatorOperations: [...keyOperations, ...partnerKeyOperations],
  accountOperations: [...ownOperations, ...ownPartnerKeyOperations],
  removals: {
    usage: ({ sinceDay }) => removeOldUsage(sinceDay('usage')),
    outcomes: ({ sinceDay }) => removeOldOutcomes(sinceDay('usage')),
    calls: ({ yesterday }) => removeOldCalls(yesterday),
  },
  personalData: {
    labels: { keys: ['policy_vouched_by'] },
    texts: { keys: ['name'] },
    keptAtDeletion: [{ table: 'key_settings', reason: 'A fingerprint of a secret of the service.' }],
    ofAccount: ['keys', 'key_usage', 'key_calls', 'key_outcomes'],
  },
  loadedRows: [
    {
      kind: 'key',
      select: `select k.id, k.last4, case when k.partner_id is not null or u.paid_plan = 'premium' then 'premium' else coalesce(k.plan, u.plan) end as plan
        from keys k left join users u on u.id = k.user_id where k.revoked_at is null`,
      problem: (row) => keyProblem(row as LoadedRow & Pick<KeyEntry, 'plan' | 'last4'>),
    },
  ],
  create(parts) {
    const { db, pepper, settings, shared } = parts
    const keys = createKeyCache({ ...parts, scale: settings.RATE_LIMIT_SCALE, brokenRows: shared.brokenRows })
    const usage = createUsage(parts)
    const startProblem = () => pepperProblem(db, pepper)
    return { context: { keys, usage }, views: [keys], startProblem, start: usage.start, close: usage.close }
  },
} satisfies Feature

/** Why the service must not start with this pepper, or undefined. The first pepper that a database sees is remembered. */
async function pepperProblem(db: Database, pepper: string): Promise<string | undefined> {
  const fingerprint = pepperFingerprint(pepper)
  return (await insertPepperFingerprint(db, fingerprint)) === fingerprint
    ? undefined
    : "KEY_PEPPER (or DATA_DIR/key-pepper) is not the one this database's keys were made with. Set KEY_PEPPER to that one."
}
