// The part of a backup that only the running service can do: a copy of its embedded database. The rest is in src/operating.
import type { Feature } from '../../kernel/feature.ts'
import { backupOperations } from './operations.ts'

export const backupsFeature = { operatorOperations: backupOperations } satisfies Feature
