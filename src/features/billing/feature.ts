import type { Feature } from '../../kernel/feature.ts'
import { ownPlanOperations } from './account.operations.ts'
import { billingOperations } from './operations.ts'
import { createBilling } from './payments.ts'
import { removeClosedCustomers, removeOldEvents } from './queries.ts'
import { createBillingWorker } from './worker.ts'

const AT_STRIPE = 'Identifiers at Stripe, until the subscriptions have ended there.'

export const billingFeature = {
  operatorOperations: billingOperations,
  accountOperations: ownPlanOperations,
  removals: {
    billingEvents: ({ since }) => removeOldEvents(since('billingEvents')),
    closedCustomers: ({ since }) => removeClosedCustomers(since('closedCustomers')),
  },
  personalData: {
    stays: [
      { table: 'billing_customers', reason: AT_STRIPE },
      { table: 'billing_subscriptions', reason: AT_STRIPE },
      { table: 'billing_events', reason: 'Identifiers of Stripe’s events, without a person.' },
    ],
  },
  create: (parts) => ({
    context: { billing: createBilling(parts.payments, parts.log) },
    workers: [createBillingWorker(parts)],
  }),
} satisfies Feature
