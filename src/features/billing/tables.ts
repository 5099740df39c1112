import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/database/tables.ts'
import { SUBSCRIPTION_STATUSES } from '../../kernel/interfaces/payments.ts'
import { users } from '../accounts/tables.ts'
import { tools } from '../catalog/tables.ts'
import { PAYMENT_TYPES } from '../submissions/rules.ts'
import { submissions } from '../submissions/tables.ts'
import { ORDER_STATES } from './orders/rules.ts'

/** The customers at the payment service. A user has at most one that is not deleted there. */
export const billingCustomers = pgTable(
  'billing_customers',
  {
    /** The identifier at the payment service. */
    id: text().primaryKey(),
    /** null: the account was deleted, and its subscriptions must be cancelled. */
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    /**
     * How many comparisons with the payment service were begun, and which of them is stored. The answer to an earlier question never
     * replaces the answer to a later one.
     */
    asked: integer().notNull().default(0),
    answered: integer().notNull().default(0),
    /** The last checkout, when it was made, and how many were made. */
    checkoutId: text('checkout_id'),
    checkoutAt: timeColumn('checkout_at'),
    checkouts: integer().notNull().default(0),
    comparedAt: timeColumn('compared_at'),
    /** When the customer is compared again even without an event; null: never. */
    nextAt: timeColumn('next_at'),
    /** Until when no other process may compare the customer, because one does so now. */
    leasedUntil: timeColumn('leased_until'),
    /** When the customer was found deleted at the payment service. */
    deletedAt: timeColumn('deleted_at'),
    /** When the subscriptions of the deleted account were found ended. */
    closedAt: timeColumn('closed_at'),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('billing_customers_user').on(table.userId).where(sql`${table.deletedAt} is null`),
    index('billing_customers_next').on(table.nextAt),
  ],
)

/** The subscriptions to the paid plan, as the payment service last gave them. */
export const billingSubscriptions = pgTable(
  'billing_subscriptions',
  {
    /** The identifier at the payment service. */
    id: text().primaryKey(),
    customerId: referenceColumn('customer_id', () => billingCustomers.id, 'cascade'),
    status: text({ enum: SUBSCRIPTION_STATUSES }).notNull(),
    priceId: text('price_id').notNull(),
    endsAt: timeColumn('ends_at'),
    endedAt: timeColumn('ended_at'),
    endedByFailure: boolean('ended_by_failure').notNull(),
    firstPaidAt: timeColumn('first_paid_at'),
    paidUntil: timeColumn('paid_until'),
    refunded: boolean().notNull(),
    /** Until when this subscription gives Premium; null: it gives none. */
    premiumUntil: timeColumn('premium_until'),
    createdAt: timeColumn('created_at').notNull(),
    updatedAt: timeColumn('updated_at').notNull(),
  },
  (table) => [
    index('billing_subscriptions_customer').on(table.customerId),
    index('billing_subscriptions_until').on(table.premiumUntil),
  ],
)

/** Packages that founders ordered, with the payment as the payment service last gave it. */
export const orders = pgTable(
  'orders',
  {
    id: text().primaryKey(),
    /** null: the account was deleted. */
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    /** null: the customer of a deleted account was removed. */
    customerId: text('customer_id').references(() => billingCustomers.id, { onDelete: 'set null' }),
    /** null: the listing was deleted. */
    toolId: text('tool_id').references(() => tools.id, { onDelete: 'set null' }),
    paymentType: text('payment_type', { enum: PAYMENT_TYPES }).notNull(),
    priceId: text('price_id').notNull(),
    state: text({ enum: ORDER_STATES }).notNull(),
    /** The last checkout, when it was made, and how many were made. */
    checkoutId: text('checkout_id'),
    checkoutAt: timeColumn('checkout_at'),
    checkouts: integer().notNull().default(0),
    paymentId: text('payment_id'),
    /** In the smallest unit of the currency, as the refunded amount. */
    amount: integer(),
    currency: text(),
    refundedAmount: integer('refunded_amount').notNull().default(0),
    disputed: boolean().notNull().default(false),
    /** The work that was paid for; null until it is paid, and after it was withdrawn. */
    submissionId: text('submission_id').references(() => submissions.id, { onDelete: 'set null' }),
    paidAt: timeColumn('paid_at'),
    createdAt: timeColumn('created_at').notNull(),
    updatedAt: timeColumn('updated_at').notNull(),
  },
  (table) => [
    // A product has at most one order that may still be paid.
    uniqueIndex('orders_open').on(table.toolId).where(sql`${table.state} in ('open', 'processing')`),
    index('orders_user').on(table.userId, table.createdAt),
    index('orders_customer').on(table.customerId),
    index('orders_tool').on(table.toolId),
    index('orders_payment').on(table.paymentId),
    index('orders_submission').on(table.submissionId),
    index('orders_state').on(table.state, table.createdAt),
  ],
)

/** The events of the payment service that were handled, so that each is handled once. */
export const billingEvents = pgTable(
  'billing_events',
  { id: text().primaryKey(), receivedAt: timeColumn('received_at').notNull() },
  (table) => [index('billing_events_received').on(table.receivedAt)],
)
