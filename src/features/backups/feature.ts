import type { Feature } from '../../kernel/feature.ts'
import { backupOperations } from './operations.ts'

export const backupsFeature = { operatorOperations: backupOperations } satisfies Feature
