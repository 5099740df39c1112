// What operators see and change of user accounts.
import type { Feature } from '../../kernel/feature.ts'
import { userOperations } from './operations.ts'

export const usersFeature = { operatorOperations: userOperations } satisfies Feature
