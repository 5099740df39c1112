// Proposed changes of listings, from partners, owners and programs, that wait for an administrator.
import type { Feature } from '../../kernel/feature.ts'
import { proposalOperations } from './operations.ts'
import { removeOldProposals } from './queries.ts'

export const proposalsFeature = {
  operatorOperations: proposalOperations,
  // Kept as long as the audit log, because a decision on a proposal is part of it.
  removals: { proposals: ({ since }) => removeOldProposals(since('audit')) },
  personalData: {
    labels: { proposals: ['decided_by'] },
    texts: { proposals: ['old_value', 'new_value', 'reason'] },
    keptAtDeletion: [
      { table: 'proposals', columns: ['field'], reason: 'The name of a field of a listing.' },
      {
        table: 'proposals',
        columns: ['quote'],
        reason: 'What a public page of another site says.',
        countedAtDeletion: true,
      },
    ],
  },
} satisfies Feature
