// User accounts: sign-in, sessions, roles and price plans.
import type { Feature } from '../../kernel/feature.ts'
import { removeExpiredLinks, removeExpiredSessions, removeExpiredVerifications } from './queries.ts'

export const accountsFeature = {
  removals: {
    sessions: ({ now }) => removeExpiredSessions(now),
    verifications: ({ now }) => removeExpiredVerifications(now),
    signInLinks: ({ now }) => removeExpiredLinks(now),
  },
  personalData: {
    keptAtDeletion: [{ table: 'verifications', reason: 'The state of a sign-in with GitHub, for ten minutes.' }],
    ofAccount: ['users', 'sessions', 'credentials', 'sign_in_links'],
  },
} satisfies Feature
