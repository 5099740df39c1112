import type { Feature } from '../../kernel/feature.ts'
import { proposalOperations } from './operations.ts'
import { removeOldProposals } from './queries.ts'

export const proposalsFeature = {
  operatorOperations: proposalOperations,
  removals: { proposals: ({ since }) => removeOldProposals(since('audit')) },
} satisfies Feature
