import type { Feature } from '../../kernel/feature.ts'
import { userOperations } from './operations.ts'

export const users = { operatorOperations: userOperations } satisfies Feature
