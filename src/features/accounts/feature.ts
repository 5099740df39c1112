import type { Feature } from '../../kernel/feature.ts'
import { removeExpiredLinks, removeExpiredSessions, removeExpiredVerifications } from './queries.ts'

export const accountsFeature = {
  removals: {
    sessions: ({ now }) => removeExpiredSessions(now),
    verifications: ({ now }) => removeExpiredVerifications(now),
    signInLinks: ({ now }) => removeExpiredLinks(now),
  },
} satisfies Feature
