import type { Feature } from '../../kernel/feature.ts'
import { ownPersonOperations } from './account.operations.ts'
import { peopleOperations } from './operations.ts'

export const people: Feature = { operatorOperations: peopleOperations, accountOperations: ownPersonOperations }
