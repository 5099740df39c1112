// The settings of this process, and the operation that compares them with those of another process.
import type { Feature } from '../../kernel/feature.ts'
import { compareSettings } from './operations.ts'
import { settingValues } from './rules.ts'

export const settingsFeature = {
  operatorOperations: [compareSettings],
  create: (parts) => ({ context: { settings: settingValues(parts.settings) } }),
} satisfies Feature
