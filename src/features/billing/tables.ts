import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'
import { SUBSCRIPTION_STATUSES } from '../../kernel/payments.ts'
import { users } from '../accounts/tables.ts'

const time = (name: string) => timestamp(name, { withTimezone: true })

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
    checkoutAt: time('checkout_at'),
    checkouts: integer().notNull().default(0),
    comparedAt: time('compared_at'),
    /** When the customer is compared again even without an event; null: never. */
    nextAt: time('next_at'),
    /** Until when no other process may compare the customer, because one does so now. */
    leasedUntil: time('leased_until'),
    /** When the customer was found deleted at the payment service. */
    deletedAt: time('deleted_at'),
    /** When the subscriptions of the deleted account were found ended. */
    closedAt: time('closed_at'),
    createdAt: time('created_at').notNull(),
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
    customerId: text('customer_id')
      .notNull()
      .references(() => billingCustomers.id, { onDelete: 'cascade' }),
    status: text({ enum: SUBSCRIPTION_STATUSES }).notNull(),
    priceId: text('price_id').notNull(),
    endsAt: time('ends_at'),
    endedAt: time('ended_at'),
    endedByFailure: boolean('ended_by_failure').notNull(),
    firstPaidAt: time('first_paid_at'),
    paidUntil: time('paid_until'),
    refunded: boolean().notNull(),
    /** Until when this subscription gives Premium; null: it gives none. */
    premiumUntil: time('premium_until'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [
    index('billing_subscriptions_customer').on(table.customerId),
    index('billing_subscriptions_until').on(table.premiumUntil),
  ],
)

/** The events of the payment service that were handled, so that each is handled once. */
export const billingEvents = pgTable(
  'billing_events',
  {
    id: text().primaryKey(),
    receivedAt: time('received_at').notNull(),
  },
  (table) => [index('billing_events_received').on(table.receivedAt)],
)
