// Programs that users let in by OAuth: their clients, permissions and tokens.
import type { Feature } from '../../kernel/feature.ts'
import { tokenSource } from './grants.ts'
import { grantOperations, ownGrantOperations } from './operations.ts'
import * as queries from './queries.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    OAUTH: 'on' | 'off'
  }
}

export const oauthFeature = {
  operatorOperations: grantOperations,
  accountOperations: ownGrantOperations,
  removals: {
    usageOfApps: ({ sinceDay }) => queries.removeOldGrantUsage(sinceDay('usage')),
    oauthCodes: ({ yesterday }) => queries.removeExpiredCodes(yesterday),
    oauthTokens: ({ now }) => queries.removeExpiredTokens(now),
    unusedApps: ({ yesterday, now }) => queries.removeUnusedGrants(yesterday, now),
    endedApps: ({ since }) => queries.removeEndedGrants(since('endedApps')),
    oauthClients: ({ yesterday }) => queries.removeUnusedClients(yesterday),
  },
  personalData: {
    keptAtDeletion: [{ table: 'oauth_clients', reason: 'What a program says about itself.' }],
    ofAccount: ['oauth_grants', 'oauth_codes', 'oauth_tokens', 'oauth_usage'],
  },
  create({ settings, shared }) {
    if (settings.OAUTH === 'on') shared.keys.addSource(tokenSource(settings.RATE_LIMIT_SCALE))
    shared.usage.addKind('grant', queries.upsertGrantUsage)
    return {}
  },
} satisfies Feature
