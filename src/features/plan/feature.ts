// The plan of a submission: which directories fit its product. (The price plans of accounts and keys are another feature.)
import type { Feature } from '../../kernel/feature.ts'
import { getDirectoryEvidence } from './evidence/evidence.operations.ts'
import { benchListOperations, planOperations } from './operations.ts'

export const planFeature = {
  operations: [getDirectoryEvidence],
  operatorOperations: [...planOperations, ...benchListOperations],
  personalData: { texts: { plan_decisions: ['reason'] } },
} satisfies Feature
