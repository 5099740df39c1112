import type { Feature } from '../../kernel/feature.ts'
import { ownPlanOperations } from './account.operations.ts'
import { billingOperations } from './operations.ts'
import { createBilling } from './payments.ts'
import { removeClosedCustomers, removeOldEvents } from './queries.ts'
import { createBillingWorker } from './worker.ts'

export const billingFeature = {
  operatorOperations: billingOperations,
  accountOperations: ownPlanOperations,
  removals: {
    billingEvents: ({ since }) => removeOldEvents(since('billingEvents')),
    closedCustomers: ({ since }) => removeClosedCustomers(since('closedCustomers')),
  },
  create: (parts) => ({
    context: { billing: createBilling(parts.payments, parts.log) },
    workers: [createBillingWorker(parts)],
  }),
} satisfies Feature
