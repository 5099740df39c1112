import type { Feature } from '../../kernel/feature.ts'
import { ownPersonOperations } from './account.operations.ts'
import { peopleOperations } from './operations.ts'

export const peopleFeature = {
  operatorOperations: peopleOperations,
  accountOperations: ownPersonOperations,
} satisfies Feature
