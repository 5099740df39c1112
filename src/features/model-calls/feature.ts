import type { Feature } from '../../kernel/feature.ts'
import { modelCallOperations } from './operations.ts'
import { removeOldModelCalls } from './queries.ts'

export const modelCallsFeature = {
  operatorOperations: modelCallOperations,
  removals: { modelCalls: ({ since }) => removeOldModelCalls(since('modelCalls')) },
} satisfies Feature
