import { and, desc, eq, inArray, isNotNull, lt, ne, not, notExists, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { eitherWay, removeWhere } from '../../../kernel/database/queries.ts'
import { users } from '../../accounts/tables.ts'
import { tools } from '../../catalog/tables.ts'
import { claims, founderProducts } from '../../founders/tables.ts'
import { submissions } from '../../submissions/tables.ts'
import { orders } from '../tables.ts'
import { type OrderState, UNPAID } from './rules.ts'

export type OrderRow = typeof orders.$inferSelect

export const hasOrders = async (db: Database, customerId: string): Promise<boolean> =>
  (await db.select({ id: orders.id }).from(orders).where(eq(orders.customerId, customerId)).limit(1)).length > 0

/** Each of these checkouts costs a request to the payment service, so only the newest are read. */
const MOST_CHECKOUTS = 50

/** The checkouts of the customer's orders, newest first. A closed order was never paid and cannot change any more. */
export const listCheckouts = (db: Database, customerId: string) =>
  db
    .select({ id: orders.checkoutId })
    .from(orders)
    .where(and(eq(orders.customerId, customerId), ne(orders.state, 'closed')))
    .orderBy(desc(orders.createdAt), desc(orders.id))
    .limit(MOST_CHECKOUTS)

export const listOrdersForUpdate = (db: Database, customerId: string): Promise<OrderRow[]> =>
  db.select().from(orders).where(eq(orders.customerId, customerId)).orderBy(orders.id).for('update')

/** The order of the product that may still be paid. A product has one at most (`orders_open`). */
export const findOpenOrder = async (db: Database, toolId: string): Promise<OrderRow | undefined> =>
  (
    await db
      .select()
      .from(orders)
      .where(and(eq(orders.toolId, toolId), inArray(orders.state, [...UNPAID])))
  )[0]

export const findOrder = async (db: Database, id: string): Promise<OrderRow | undefined> =>
  (await db.select().from(orders).where(eq(orders.id, id)))[0]

/** The customer whose order was paid with this payment. */
export const findCustomerOfPayment = async (db: Database, paymentId: string): Promise<string | null> =>
  (await db.select({ id: orders.customerId }).from(orders).where(eq(orders.paymentId, paymentId)).limit(1))[0]?.id ??
  null

/** Inserts nothing and returns undefined when the product already has an order that may still be paid. */
export const insertOrder = async (db: Database, order: typeof orders.$inferInsert): Promise<OrderRow | undefined> =>
  (await db.insert(orders).values(order).onConflictDoNothing().returning())[0]

export const updateOrder = (db: Database, id: string, change: Partial<OrderRow>) =>
  db.update(orders).set(change).where(eq(orders.id, id))

/** Changes an open order unless another request has made a checkout with the same number. Returns whether it was changed. */
export const updateOpenOrder = async (
  db: Database,
  { id, checkouts }: Pick<OrderRow, 'id' | 'checkouts'>,
  change: Partial<OrderRow>,
): Promise<boolean> => {
  const updated = await db
    .update(orders)
    .set({ ...change, checkouts: checkouts + 1 })
    .where(and(eq(orders.id, id), eq(orders.checkouts, checkouts), eq(orders.state, 'open')))
    .returning({ id: orders.id })
  return updated.length > 0
}

/** Whether the order is paid and its work has not begun. `countWaiting` of the overview counts the same. */
const isToBegin = sql<boolean>`(${orders.state} = 'paid' and coalesce(${submissions.state}, 'IN_QUEUE') = 'IN_QUEUE')`

const ordersWithWork = (db: Database) =>
  db
    .select({
      order: orders,
      tool: { id: tools.id, slug: tools.slug, name: tools.name },
      user: { id: users.id, email: users.email },
      submission: { id: submissions.id, state: submissions.state },
      submittedCount: sql<number>`(select count(*)::int from submission_rows r where r.submission_id = ${orders.submissionId} and r.is_submitted)`,
      waiting: isToBegin,
    })
    .from(orders)
    .leftJoin(tools, eq(tools.id, orders.toolId))
    .leftJoin(users, eq(users.id, orders.userId))
    .leftJoin(submissions, eq(submissions.id, orders.submissionId))
    .$dynamic()

export type OrderWithWork = Awaited<ReturnType<typeof listOrdersOfUser>>[number]

export const listOrdersOfUser = (db: Database, userId: string, limit: number, offset: number) =>
  ordersWithWork(db)
    .where(eq(orders.userId, userId))
    .orderBy(desc(orders.createdAt), desc(orders.id))
    .limit(limit)
    .offset(offset)

export const findOrderOfUser = async (db: Database, userId: string, id: string) =>
  (await ordersWithWork(db).where(and(eq(orders.id, id), eq(orders.userId, userId))))[0]

/** The latest order of the user for the product, leaving out those that were not paid and cannot be paid any more. */
export const findLastOrder = async (db: Database, userId: string, slug: string) =>
  (
    await ordersWithWork(db)
      .where(and(eq(orders.userId, userId), eq(tools.slug, slug), ne(orders.state, 'closed')))
      .orderBy(desc(orders.createdAt), desc(orders.id))
      .limit(1)
  )[0]

export const findOrderWithWork = async (db: Database, id: string) =>
  (await ordersWithWork(db).where(eq(orders.id, id)))[0]

export const findOrderOfSubmission = async (db: Database, submissionId: string) =>
  (await ordersWithWork(db).where(eq(orders.submissionId, submissionId)).orderBy(desc(orders.paidAt)).limit(1))[0]

interface OrderFilter {
  state?: OrderState
  waiting?: boolean
}

/** Newest first; with `waiting`, oldest first. */
export const selectOrders = (db: Database, { state, waiting }: OrderFilter, limit: number, offset: number) =>
  ordersWithWork(db)
    .where(
      and(state === undefined ? undefined : eq(orders.state, state), eitherWay(waiting, isToBegin, not(isToBegin))),
    )
    .orderBy(
      waiting ? sql`${orders.paidAt} asc nulls first` : desc(orders.createdAt),
      waiting ? orders.id : desc(orders.id),
    )
    .limit(limit)
    .offset(offset)

/**
 * The public listings for which the user may order a package: those with a claim that the user has proven, and those that the user sent
 * and that no account has claimed.
 */
const orderable = (db: Database, userId: string, which?: SQL) =>
  db
    .select({
      ...{ id: tools.id, slug: tools.slug, name: tools.name, website: tools.website },
      /** The website that the user has proven or sent; null: not known. */
      ownWebsite: sql<string | null>`coalesce(
        (select c.website from claims c where c.tool_id = tools.id and c.user_id = ${userId} and c.proven_at is not null),
        (select p.website from founder_products p where p.tool_id = tools.id and p.user_id = ${userId} order by p.id limit 1))`,
    })
    .from(tools)
    .where(
      and(
        eq(tools.published, true),
        or(
          inArray(
            tools.id,
            db
              .select({ id: claims.toolId })
              .from(claims)
              .where(and(eq(claims.userId, userId), isNotNull(claims.provenAt))),
          ),
          and(
            inArray(
              tools.id,
              db
                .select({ id: founderProducts.toolId })
                .from(founderProducts)
                .where(and(eq(founderProducts.userId, userId), isNotNull(founderProducts.toolId))),
            ),
            notExists(
              db
                .select({ id: claims.id })
                .from(claims)
                .where(and(eq(claims.toolId, tools.id), isNotNull(claims.provenAt))),
            ),
          ),
        ),
        which,
      ),
    )
    .$dynamic()

export const listOrderable = (db: Database, userId: string, limit: number) =>
  orderable(db, userId).orderBy(tools.name, tools.id).limit(limit)

export const findOrderable = async (db: Database, userId: string, slug: string) =>
  (await orderable(db, userId, eq(tools.slug, slug)))[0]

export const isPublished = async (db: Database, slug: string): Promise<boolean> =>
  (
    await db
      .select({ id: tools.id })
      .from(tools)
      .where(and(eq(tools.slug, slug), eq(tools.published, true)))
  ).length > 0

export const listWorkOn = (db: Database, toolIds: readonly string[]) =>
  db
    .select({ toolId: submissions.toolId, partnerId: submissions.partnerId, state: submissions.state })
    .from(submissions)
    .where(inArray(submissions.toolId, [...toolIds]))

export const findOrderedTool = async (db: Database, id: string) =>
  (
    await db.select({ id: tools.id, slug: tools.slug, siteKey: tools.websiteKey }).from(tools).where(eq(tools.id, id))
  )[0]

export const removeClosedOrders = (before: Date) =>
  removeWhere(orders, and(eq(orders.state, 'closed'), lt(orders.updatedAt, before)))
