// The audit log: which operator, program or user changed what, and when.
import type { Feature } from '../../kernel/feature.ts'
import { listAuditEntries } from './operations.ts'
import { removeOldEntries } from './queries.ts'

export const auditFeature = {
  operatorOperations: [listAuditEntries],
  removals: { audit: ({ since }) => removeOldEntries(since('audit')) },
} satisfies Feature
