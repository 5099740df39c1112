// What is paid for at Stripe: subscriptions to the paid plan, and orders of packages (`orders`).
import type { Feature } from '../../kernel/feature.ts'
import { DAY_MS } from '../../kernel/values/days.ts'
import { billingOperations, ownPlanOperations } from './operations.ts'
import { ownOrderOperations } from './orders/account.operations.ts'
import { orderOperations } from './orders/operations.ts'
import { removeClosedOrders } from './orders/queries.ts'
import { UNPAID_DAYS } from './orders/rules.ts'
import { createBilling, type PackagePrices } from './payments.ts'
import { removeClosedCustomers, removeOldEvents } from './queries.ts'
import { createBillingWorker, orderDoneCaller, orderDoneJob } from './worker.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureSettings {
    STRIPE_PACKAGE_PRICES: PackagePrices | undefined
  }
}

const AT_STRIPE = 'Identifiers at Stripe, until the subscriptions have ended there.'

export const billingFeature = {
  operatorOperations: [...billingOperations, ...orderOperations],
  accountOperations: [...ownPlanOperations, ...ownOrderOperations],
  removals: {
    // UNPAID_DAYS is fixed; how long the rows below are kept is a setting.
    unpaidOrders: ({ now }) => removeClosedOrders(new Date(now.getTime() - UNPAID_DAYS * DAY_MS)),
    billingEvents: ({ since }) => removeOldEvents(since('billingEvents')),
    closedCustomers: ({ since }) => removeClosedCustomers(since('closedCustomers')),
  },
  personalData: {
    keptAtDeletion: [
      { table: 'billing_customers', reason: AT_STRIPE },
      { table: 'billing_subscriptions', reason: AT_STRIPE },
      { table: 'orders', reason: 'What was bought, without the account: for the books of the operator.' },
      { table: 'billing_events', reason: 'Identifiers of Stripe’s events, without a person.' },
    ],
  },
  create: (parts) => ({
    context: { billing: createBilling(parts.payments, parts.settings.STRIPE_PACKAGE_PRICES ?? {}, parts.log) },
    jobs: [orderDoneJob(() => parts.contextOf(orderDoneCaller))],
    workers: [createBillingWorker(parts)],
  }),
} satisfies Feature
