// Partners: platforms that submit products for their customers. Also their webhook settings, and the stored answers to requests that they
// repeat.
import type { Feature } from '../../kernel/feature.ts'
import { keptSince } from './idempotency.ts'
import { partnerOperations } from './operations.ts'
import { removeEndedSecrets, removeOldAnswers } from './queries.ts'
import { ownPartnerOperations, webhookSettingOperations } from './webhook-settings.operations.ts'

export const partnersFeature = {
  operations: webhookSettingOperations,
  operatorOperations: partnerOperations,
  accountOperations: ownPartnerOperations,
  removals: {
    previousSecrets: ({ now }) => removeEndedSecrets(now),
    idempotentAnswers: ({ now }) => removeOldAnswers(keptSince(now)),
  },
  personalData: {
    texts: { idempotent_answers: ['answer'] },
    keptAtDeletion: [
      {
        table: 'partners',
        columns: ['name', 'webhook_url', 'webhook_secret', 'previous_secret'],
        reason: 'Of the partner, which is no person. Its contact address is removed.',
        countedAtDeletion: true,
      },
      {
        table: 'idempotent_answers',
        columns: ['key', 'request_hash'],
        reason: 'What a partner named its request, for a day.',
      },
    ],
  },
} satisfies Feature
