import type { Feature } from '../../kernel/feature.ts'
import { ownPartnerOperations } from './account.operations.ts'
import { partnerOperations } from './operations.ts'
import { removeEndedSecrets, removeOldAnswers } from './queries.ts'
import { webhookSettingOperations } from './webhook.operations.ts'

export const partnersFeature = {
  operations: webhookSettingOperations,
  operatorOperations: partnerOperations,
  accountOperations: ownPartnerOperations,
  removals: {
    previousSecrets: ({ now }) => removeEndedSecrets(now),
    idempotentAnswers: ({ yesterday }) => removeOldAnswers(yesterday),
  },
} satisfies Feature
