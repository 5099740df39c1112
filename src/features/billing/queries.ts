import { and, desc, eq, getTableColumns, gt, inArray, isNull, lt, lte, not, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { announceDue, eitherWay, findMsTo, removeWhere } from '../../kernel/database/queries.ts'
import { users } from '../accounts/tables.ts'
import { BILLING_TOPIC } from './rules.ts'
import { billingCustomers, billingEvents, billingSubscriptions } from './tables.ts'

export type CustomerRow = typeof billingCustomers.$inferSelect
export type SubscriptionRow = typeof billingSubscriptions.$inferSelect

export const findCustomer = async (db: Database, id: string): Promise<CustomerRow | undefined> =>
  (await db.select().from(billingCustomers).where(eq(billingCustomers.id, id)))[0]

/** Lock the customer's user first, if there is one: every writer locks the two in this order. */
export const findCustomerForUpdate = async (db: Database, id: string): Promise<CustomerRow | undefined> =>
  (await db.select().from(billingCustomers).where(eq(billingCustomers.id, id)).for('update'))[0]

/** The customers of the user, also those that were deleted at the payment service. */
export const listCustomersOfUser = (db: Database, userId: string): Promise<CustomerRow[]> =>
  db
    .select()
    .from(billingCustomers)
    .where(eq(billingCustomers.userId, userId))
    .orderBy(desc(billingCustomers.createdAt), desc(billingCustomers.id))

/** Inserts nothing when the user already has a customer. */
export const insertCustomer = async (db: Database, customer: typeof billingCustomers.$inferInsert) => {
  await db.insert(billingCustomers).values(customer).onConflictDoNothing()
  await announceDue(db, BILLING_TOPIC)
}

/** Returns the number of a new comparison; undefined for an unknown customer. An answer is not stored after one with a higher number. */
export const updateComparisonNumber = async (db: Database, id: string): Promise<number | undefined> =>
  (
    await db
      .update(billingCustomers)
      .set({ asked: sql`${billingCustomers.asked} + 1` })
      .where(eq(billingCustomers.id, id))
      .returning({ asked: billingCustomers.asked })
  )[0]?.asked

export const updateCustomer = async (db: Database, id: string, change: Partial<Omit<CustomerRow, 'id'>>) => {
  await db.update(billingCustomers).set(change).where(eq(billingCustomers.id, id))
  await announceDue(db, BILLING_TOPIC)
}

/**
 * Stores the checkout and returns true, or returns false when another request has stored one meanwhile. `checkoutsBefore`: how many
 * checkouts the customer had when this one was made.
 */
export const updateCheckout = async (
  db: Database,
  id: string,
  checkoutsBefore: number,
  checkout: Pick<CustomerRow, 'checkoutId' | 'checkoutAt' | 'nextAt'>,
): Promise<boolean> => {
  const updated = await db
    .update(billingCustomers)
    .set({ ...checkout, checkouts: checkoutsBefore + 1, closedAt: null })
    .where(and(eq(billingCustomers.id, id), eq(billingCustomers.checkouts, checkoutsBefore)))
    .returning({ id: billingCustomers.id })
  await announceDue(db, BILLING_TOPIC)
  return updated.length > 0
}

/**
 * A customer that is due, leased to this process; undefined when none is. Due are those whose time has come, and those whose account was
 * deleted and whose subscriptions were not yet found ended (`closedAt`).
 */
export const claimDueCustomer = async (db: Database, now: Date, until: Date): Promise<CustomerRow | undefined> => {
  const isDue = or(
    lte(billingCustomers.nextAt, now),
    and(isNull(billingCustomers.userId), isNull(billingCustomers.closedAt)),
  )
  const isFree = or(isNull(billingCustomers.leasedUntil), lte(billingCustomers.leasedUntil, now))
  const due = db
    .select({ id: billingCustomers.id })
    .from(billingCustomers)
    .where(and(isDue, isFree))
    .orderBy(billingCustomers.nextAt)
    .limit(1)
    .for('update', { skipLocked: true })
  return (
    await db.update(billingCustomers).set({ leasedUntil: until }).where(inArray(billingCustomers.id, due)).returning()
  )[0]
}

/** After how many milliseconds the next customer is due, as in `claimDueCustomer`, and not leased; null when none will be. */
export const findMsToNextComparison = (db: Database, now: Date): Promise<number | null> =>
  findMsTo(
    db,
    sql`select min(greatest(case when user_id is null and closed_at is null then to_timestamp(0) else next_at end, leased_until))
      from billing_customers where next_at is not null or (user_id is null and closed_at is null)`,
    now,
  )

/** How many milliseconds after `time` the next paid plan ends; null when no user pays. */
export const findMsToNextEnd = (db: Database, time: Date): Promise<number | null> =>
  findMsTo(
    db,
    sql`select min(coalesce((select max(s.premium_until) from billing_subscriptions s join billing_customers c on c.id = s.customer_id
      where c.user_id = users.id), to_timestamp(0))) from users where paid_plan = 'premium'`,
    time,
  )

export const listSubscriptionsOfCustomer = (db: Database, customerId: string): Promise<SubscriptionRow[]> =>
  db.select().from(billingSubscriptions).where(eq(billingSubscriptions.customerId, customerId))

export const upsertSubscription = (db: Database, { createdAt, ...row }: SubscriptionRow) =>
  db
    .insert(billingSubscriptions)
    .values({ createdAt, ...row })
    .onConflictDoUpdate({ target: billingSubscriptions.id, set: row })

/** Sorted by the end of Premium, the latest first. */
export const listSubscriptionsOfUser = (db: Database, userId: string): Promise<SubscriptionRow[]> =>
  db
    .select(getTableColumns(billingSubscriptions))
    .from(billingSubscriptions)
    .innerJoin(billingCustomers, eq(billingCustomers.id, billingSubscriptions.customerId))
    .where(eq(billingCustomers.userId, userId))
    .orderBy(sql`${billingSubscriptions.premiumUntil} desc nulls last`, desc(billingSubscriptions.id))

export interface SubscriptionFilter {
  user?: string
  paying?: boolean
}

/** For operators, sorted by the end of Premium, the latest first. Subscriptions of deleted accounts have no owner. */
export const selectSubscriptions = (
  db: Database,
  { user, paying }: SubscriptionFilter,
  now: Date,
  limit: number,
  offset: number,
) => {
  const givesPremium = sql`coalesce(${billingSubscriptions.premiumUntil} > ${now.toISOString()}::timestamptz, false)`
  return db
    .select({
      ...getTableColumns(billingSubscriptions),
      userId: billingCustomers.userId,
      owner: users.email,
      comparedAt: billingCustomers.comparedAt,
    })
    .from(billingSubscriptions)
    .innerJoin(billingCustomers, eq(billingCustomers.id, billingSubscriptions.customerId))
    .leftJoin(users, eq(users.id, billingCustomers.userId))
    .where(
      and(
        user === undefined ? undefined : eq(billingCustomers.userId, user),
        eitherWay(paying, givesPremium, not(givesPremium)),
      ),
    )
    .orderBy(sql`${billingSubscriptions.premiumUntil} desc nulls last`, desc(billingSubscriptions.id))
    .limit(limit)
    .offset(offset)
}

/** Users with an id after `last` who have the paid plan although none of their subscriptions gives Premium after `time`. */
export const listEndedPayers = async (db: Database, time: Date, last: string, limit: number): Promise<string[]> => {
  const isPaid: SQL = sql`exists (select 1 from billing_subscriptions s join billing_customers c on c.id = s.customer_id
    where c.user_id = ${users.id} and s.premium_until > ${time.toISOString()}::timestamptz)`
  return (
    await db
      .select({ id: users.id })
      .from(users)
      // A literal, because PostgreSQL does not use the partial index `users_paid` for a parameter.
      .where(and(sql`${users.paidPlan} = 'premium'`, gt(users.id, last), sql`not ${isPaid}`))
      .orderBy(users.id)
      .limit(limit)
  ).map(({ id }) => id)
}

export const hasEvent = async (db: Database, id: string): Promise<boolean> =>
  (await db.select({ id: billingEvents.id }).from(billingEvents).where(eq(billingEvents.id, id))).length > 0

export const insertEvent = (db: Database, id: string, receivedAt: Date) =>
  db.insert(billingEvents).values({ id, receivedAt }).onConflictDoNothing()

export const removeOldEvents = (before: Date) => removeWhere(billingEvents, lt(billingEvents.receivedAt, before))

export const removeClosedCustomers = (before: Date) =>
  removeWhere(billingCustomers, lt(billingCustomers.closedAt, before))
