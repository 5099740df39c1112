// What signed-in users put aside: their shortlist and their launch plans.
import type { Feature } from '../../kernel/feature.ts'
import { savedOperations } from './account.operations.ts'

export const savedFeature = {
  accountOperations: savedOperations,
  personalData: { ofAccount: ['saved_items'] },
} satisfies Feature
