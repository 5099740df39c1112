import type { Feature } from '../../kernel/feature.ts'
import { backupOperations } from './operations.ts'

export const backups = { operatorOperations: backupOperations } satisfies Feature
