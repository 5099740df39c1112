import type { Feature } from '../../kernel/feature.ts'
import { ownPartnerOperations } from './account.operations.ts'
import { partnerOperations } from './operations.ts'
import { removeEndedSecrets, removeOldAnswers } from './queries.ts'

export const partnersFeature = {
  operatorOperations: partnerOperations,
  accountOperations: ownPartnerOperations,
  removals: {
    previousSecrets: ({ now }) => removeEndedSecrets(now),
    idempotentAnswers: ({ yesterday }) => removeOldAnswers(yesterday),
  },
} satisfies Feature
