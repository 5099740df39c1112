import type { Feature } from '../../kernel/feature.ts'
import { ownPartnerOperations } from './account.operations.ts'
import { partnerOperations } from './operations.ts'
import { removeEndedSecrets } from './queries.ts'

export const partners = {
  operatorOperations: partnerOperations,
  accountOperations: ownPartnerOperations,
  removals: { previousSecrets: ({ now }) => removeEndedSecrets(now) },
} satisfies Feature
