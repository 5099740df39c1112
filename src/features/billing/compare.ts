// Compares a customer with the payment service: asks for the customer's subscriptions and payments, stores them, gives or ends Premium and
// begins or withdraws ordered work. Events, the daily comparison, the end of a paid period and the user's return from a checkout all come
// here, so their order does not matter.
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import type { Purchase, Subscription } from '../../kernel/interfaces/payments.ts'
import { findUser, findUserForUpdate, type UserRow, updatePaidPlan } from '../accounts/queries.ts'
import { changesAnything, writeAudit } from '../audit/write-audit.ts'
import { tellPlan } from '../users/operations.ts'
import { readPurchases, storeOrders } from './orders/compare.ts'
import { findCustomerOfPayment } from './orders/queries.ts'
import { billingOf, orUnavailable } from './payments.ts'
import * as queries from './queries.ts'
import { hasEnded, hasSoldPrice, isOurs, latest, mayBePaid, nextComparison, premiumUntil } from './rules.ts'

/** The actor in the audit log for changes that come from the payment service. */
export const billingCaller = backgroundCaller('billing')

/**
 * Skips an unknown customer, because another program may use the same account at the payment service. `eventId` is the event that asked
 * for the comparison; it is stored in the same transaction as the result.
 */
export async function compareCustomer(ctx: Context, customerId: string, eventId?: string): Promise<void> {
  const { payments } = billingOf(ctx)
  // Numbered before the payment service is asked: of two answers, the one with the higher number is at least as new.
  const number = await queries.updateComparisonNumber(ctx.db, customerId)
  if (number === undefined) return
  const before = await queries.findCustomer(ctx.db, customerId)
  const isAccountDeleted = before?.userId === null
  // Expired before the subscriptions are listed, so that the list has everything that was paid through it.
  if (isAccountDeleted && before.checkoutId) await payments.expireCheckout(before.checkoutId)
  let found = await payments.listSubscriptions(customerId)
  if (isAccountDeleted) {
    await cancelAll(ctx, before, found ?? [])
    found = await payments.listSubscriptions(customerId)
  } else if (before && found && (await endForBanned(ctx, before, found)))
    found = await payments.listSubscriptions(customerId)
  const purchases = await readPurchases(ctx, customerId, isAccountDeleted)
  const comparison = { customerId, number, found, purchases, eventId, isAccountDeleted }
  await ctx.transaction((ctx) => storeComparison(ctx, comparison))
}

/** The account was deleted: nothing may be charged any more. */
async function cancelAll(ctx: Context, customer: queries.CustomerRow, found: readonly Subscription[]) {
  const { payments } = billingOf(ctx)
  for (const subscription of found)
    if (isOurs(subscription, payments.priceId) && !hasEnded(subscription)) {
      await payments.cancel(subscription.id)
      const details = { subscription: subscription.id, reason: 'account deleted' }
      await writeAudit(ctx, 'billing.cancel', `customer:${customer.id}`, details)
    }
}

/** A banned user cannot sign in to cancel, so no further period is charged. Returns whether anything was changed. */
async function endForBanned(ctx: Context, { id, userId }: queries.CustomerRow, found: readonly Subscription[]) {
  const { payments } = billingOf(ctx)
  const renewing = found.filter((one) => isOurs(one, payments.priceId) && !hasEnded(one) && one.endsAt === null)
  if (renewing.length === 0 || !userId || !(await findUser(ctx.db, userId))?.banned) return false
  for (const subscription of renewing) {
    await payments.cancelAtPeriodEnd(subscription.id)
    const details = { subscription: subscription.id, reason: 'user banned', at: 'period end' }
    await writeAudit(ctx, 'billing.cancel', `customer:${id}`, details)
  }
  return true
}

interface Comparison {
  customerId: string
  /** Comparisons of a customer are numbered in the order in which they were begun (`updateComparisonNumber`). */
  number: number
  /** The subscriptions; null: the customer was deleted at the payment service. */
  found: readonly Subscription[] | null
  /** The checkouts of the customer's orders. */
  purchases: readonly Purchase[]
  eventId: string | undefined
  /** Whether the account was deleted; then everything that could be charged was cancelled before `found` was read. */
  isAccountDeleted: boolean
}

async function storeComparison(
  ctx: TransactionContext,
  { customerId, number, found, purchases, eventId, isAccountDeleted }: Comparison,
): Promise<void> {
  const unlocked = await queries.findCustomer(ctx.db, customerId)
  const user = unlocked?.userId ? await findUserForUpdate(ctx.db, unlocked.userId) : undefined
  const customer = await queries.findCustomerForUpdate(ctx.db, customerId)
  if (!customer) return
  if (eventId !== undefined) await queries.insertEvent(ctx.db, eventId, ctx.now())
  // The answer to a later comparison is stored already.
  if (customer.answered >= number) return
  const rows = await storeSubscriptions(ctx, customer, found)
  const orders = await storeOrders(ctx, customerId, purchases)
  const now = ctx.now()
  const hasOpenCheckout =
    (mayBePaid(customer.checkoutAt, now) && rows.every(hasEnded)) ||
    orders.some(({ state, checkoutAt }) => state === 'open' && mayBePaid(checkoutAt, now))
  // The payment of a deleted account may still be on its way. Its customer then stays open: without an account it is due until `closedAt` is
  // set, whatever `nextAt` says (`claimDueCustomer`). The lease until tomorrow makes that one comparison a day.
  const isPaymentAwaited = isAccountDeleted && orders.some(({ state }) => state === 'processing')
  await queries.updateCustomer(ctx.db, customerId, {
    answered: number,
    comparedAt: now,
    leasedUntil: isPaymentAwaited ? nextComparison(now) : null,
    deletedAt: found ? await deletedAtOf(ctx, customer) : (customer.deletedAt ?? now),
    // Ends the comparisons of a deleted account. If the account was deleted during this comparison, the next one does it.
    closedAt: customer.userId === null && isAccountDeleted && !isPaymentAwaited ? now : null,
    nextAt:
      customer.userId === null
        ? null
        : nextComparison(now, { premiumUntil: latest(rows.map((row) => row.premiumUntil)), hasOpenCheckout }),
  })
  if (user) await settlePlan(ctx, user)
}

/**
 * When a customer that the payment service knows was deleted; null when it was not. One that was found deleted before is restored unless
 * the user has a new customer: a wrong key in the settings may have hidden it.
 */
async function deletedAtOf(ctx: TransactionContext, customer: queries.CustomerRow): Promise<Date | null> {
  if (!customer.deletedAt || !customer.userId) return customer.deletedAt
  const others = await queries.listCustomersOfUser(ctx.db, customer.userId)
  return others.some(({ id, deletedAt }) => id !== customer.id && !deletedAt) ? customer.deletedAt : null
}

async function storeSubscriptions(
  ctx: TransactionContext,
  customer: queries.CustomerRow,
  found: readonly Subscription[] | null,
): Promise<queries.SubscriptionRow[]> {
  const { payments } = billingOf(ctx)
  const now = ctx.now()
  const stored = await queries.listSubscriptionsOfCustomer(ctx.db, customer.id)
  const ours = (found ?? []).filter(
    (subscription) => isOurs(subscription, payments.priceId) || stored.some(({ id }) => id === subscription.id),
  )
  const current = ours.map(({ priceIds, soldPriceId, userId: _, ...facts }) => {
    const before = stored.find(({ id }) => id === facts.id)
    // Subscriptions made by version 1.1 do not say which price was sold. The stored price counts, because the setting may have changed.
    const sold = soldPriceId ?? before?.priceId ?? priceIds.find((id) => id === payments.priceId) ?? priceIds[0] ?? ''
    const isSold = hasSoldPrice({ priceIds }, [sold, payments.priceId])
    return { ...facts, priceId: sold, premiumUntil: isSold ? premiumUntil(facts) : null }
  })
  // The payment service no longer lists the subscriptions of a deleted customer. The user keeps Premium for the paid period.
  const vanished = stored.filter(({ id }) => !ours.some((one) => one.id === id))
  const ended = vanished.map((row) => {
    const facts = { ...row, status: 'canceled' as const, endedAt: row.endedAt ?? now, endedByFailure: false }
    const until = row.premiumUntil && premiumUntil(facts)
    return hasEnded(row) ? row : { ...facts, endsAt: row.endsAt ?? now, premiumUntil: until }
  })
  const rows: queries.SubscriptionRow[] = []
  for (const facts of [...current, ...ended]) {
    const before = stored.find(({ id }) => id === facts.id)
    const row = { ...facts, customerId: customer.id, createdAt: before?.createdAt ?? now, updatedAt: now }
    rows.push(row)
    const { updatedAt: _, ...compared } = row
    if (!changesAnything(before ?? {}, compared)) continue
    await queries.upsertSubscription(ctx.db, row)
    await writeAudit(ctx, 'billing.subscription', subjectOf(customer), changedDetails(row))
  }
  return rows
}

const subjectOf = ({ id, userId }: queries.CustomerRow): string => (userId ? `user:${userId}` : `customer:${id}`)

const changedDetails = ({ id, status, paidUntil, endsAt, premiumUntil: until }: queries.SubscriptionRow) => ({
  subscription: id,
  status,
  paidUntil,
  endsAt,
  premiumUntil: until,
})

/** Gives or ends Premium according to the stored subscriptions. The user must be locked. */
export async function settlePlan(ctx: TransactionContext, user: UserRow): Promise<void> {
  const rows = await queries.listSubscriptionsOfUser(ctx.db, user.id)
  const until = latest(rows.map((row) => row.premiumUntil))
  const now = ctx.now()
  const paidPlan = until !== null && until > now ? 'premium' : 'standard'
  if (paidPlan === user.paidPlan) return
  await updatePaidPlan(ctx.db, user.id, paidPlan, now)
  const details = { plan: paidPlan, until, granted: user.grantedPlan }
  await writeAudit(ctx, 'billing.plan', `user:${user.id}`, details)
  await ctx.announce({ topic: 'users', ids: [user.id] })
  // A user to whom an administrator granted Premium keeps it, so there is nothing to tell.
  if (user.grantedPlan !== 'premium') await tellPlan(ctx, user.id, paidPlan)
}

/**
 * Receives an event, which only says that a customer may have changed; the current state is asked for. Returns false when the signature is
 * not valid. Throws a 503 when the payment service cannot be asked, so that it sends the event again.
 */
export async function receiveEvent(ctx: Context, body: Buffer, signature: string | undefined): Promise<boolean> {
  const { payments } = billingOf(ctx)
  const event = await payments.readEvent(body, signature)
  if (!event) return false
  const { id, paymentId } = event
  const customerId = event.customerId ?? (paymentId && (await findCustomerOfPayment(ctx.db, paymentId)))
  if (customerId !== null && !(await queries.hasEvent(ctx.db, id)))
    await orUnavailable(() => compareCustomer(ctx, customerId, id))
  return true
}
