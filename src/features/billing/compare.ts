// Compares a customer with the payment service: asks for the customer's subscriptions, stores them and gives or ends Premium. Events,
// the daily comparison, the end of a paid period and the user's return from a checkout all come here, so their order does not matter.
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import type { Subscription } from '../../kernel/payments.ts'
import { findUser, findUserForUpdate, type UserRow, updatePaidPlan } from '../accounts/queries.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry, changesIn } from '../audit/rules.ts'
import { tellPlan } from '../users/plan-mail.ts'
import { billingOf } from './payments.ts'
import * as queries from './queries.ts'
import { hasEnded, isOurs, isToSoldPrice, latest, mayBePaid, nextComparison, premiumUntil } from './rules.ts'

/** Names the payment service in the audit log. */
export const billingCaller = backgroundCaller('billing')

/** `eventId` is stored together with its effect. A customer that is not known belongs to another program of the same account. */
export async function compareCustomer(ctx: Context, customerId: string, eventId?: string): Promise<void> {
  const { payments } = billingOf(ctx)
  // The number is taken before the question: an answer to a later question is at least as new.
  const number = await queries.updateAsked(ctx.db, customerId)
  if (number === undefined) return
  const before = await queries.findCustomer(ctx.db, customerId)
  const isClosed = before?.userId === null
  // Before the question, so that its answer has what was paid until then.
  if (isClosed && before.checkoutId) await payments.expireCheckout(before.checkoutId)
  let found = await payments.listSubscriptions(customerId)
  if (isClosed) {
    await cancelAll(ctx, before, found ?? [])
    found = await payments.listSubscriptions(customerId)
  } else if (before && found && (await endForBanned(ctx, before, found)))
    found = await payments.listSubscriptions(customerId)
  await ctx.transaction((ctx) => store(ctx, { customerId, number, found, eventId, isClosed }))
}

/** The account was deleted: nothing may be charged any more. */
async function cancelAll(ctx: Context, customer: queries.CustomerRow, found: readonly Subscription[]) {
  const { payments } = billingOf(ctx)
  for (const subscription of found)
    if (isOurs(subscription, payments.priceId) && !hasEnded(subscription)) {
      await payments.cancel(subscription.id)
      const details = { subscription: subscription.id, reason: 'account deleted' }
      await insertAudit(ctx.db, auditEntry(ctx, 'billing.cancel', `customer:${customer.id}`, details))
    }
}

/** A banned user cannot sign in to cancel, so no further period is charged. Returns whether anything was changed. */
async function endForBanned(ctx: Context, { id, userId }: queries.CustomerRow, found: readonly Subscription[]) {
  const { payments } = billingOf(ctx)
  const goesOn = found.filter((one) => isOurs(one, payments.priceId) && !hasEnded(one) && one.endsAt === null)
  if (goesOn.length === 0 || !userId || !(await findUser(ctx.db, userId))?.banned) return false
  for (const subscription of goesOn) {
    await payments.cancelAtPeriodEnd(subscription.id)
    const details = { subscription: subscription.id, reason: 'user banned', at: 'period end' }
    await insertAudit(ctx.db, auditEntry(ctx, 'billing.cancel', `customer:${id}`, details))
  }
  return true
}

interface Comparison {
  customerId: string
  number: number
  /** null: the customer was deleted at the payment service. */
  found: readonly Subscription[] | null
  eventId: string | undefined
  /** Whether everything that could be charged was ended before, because the account is deleted. */
  isClosed: boolean
}

/** Returns the user whose plan has changed. */
async function store(ctx: TransactionContext, { customerId, number, found, eventId, isClosed }: Comparison) {
  const unlocked = await queries.findCustomer(ctx.db, customerId)
  const user = unlocked?.userId ? await findUserForUpdate(ctx.db, unlocked.userId) : undefined
  const customer = await queries.findCustomerForUpdate(ctx.db, customerId)
  if (!customer) return undefined
  if (eventId !== undefined) await queries.insertEvent(ctx.db, eventId, ctx.now())
  // A later question was answered first.
  if (customer.answered >= number) return undefined
  const rows = await storeSubscriptions(ctx, customer, found)
  const now = ctx.now()
  const hasOpenCheckout = mayBePaid(customer.checkoutAt, now) && rows.every(hasEnded)
  await queries.updateCustomer(ctx.db, customerId, {
    answered: number,
    comparedAt: now,
    leasedUntil: null,
    deletedAt: found ? await deletionOf(ctx, customer) : (customer.deletedAt ?? now),
    // An account that was deleted during the question is closed by the next one.
    closedAt: customer.userId === null && isClosed ? now : null,
    nextAt:
      customer.userId === null
        ? null
        : nextComparison(now, latest(rows.map((row) => row.premiumUntil)), hasOpenCheckout),
  })
  return user && (await settlePlan(ctx, user)) ? user.id : undefined
}

/** A customer that was not found for a time, such as with the key of another account, is one again unless the user has a new one. */
async function deletionOf(ctx: TransactionContext, customer: queries.CustomerRow): Promise<Date | null> {
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
    // Subscriptions of version 1.1 do not say which price was sold, and an operator may have changed the setting since: the stored one counts.
    const sold = soldPriceId ?? before?.priceId ?? priceIds.find((id) => id === payments.priceId) ?? priceIds[0] ?? ''
    const isSold = isToSoldPrice({ priceIds }, [sold, payments.priceId])
    return { ...facts, priceId: sold, premiumUntil: isSold ? premiumUntil(facts) : null }
  })
  // With a deleted customer the payment service forgets the subscriptions; the period that is paid stays paid.
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
    const changes = changesIn(before ?? {}, compared)
    if (Object.keys(changes).length === 0) continue
    await queries.upsertSubscription(ctx.db, row)
    await insertAudit(ctx.db, auditEntry(ctx, 'billing.subscription', subjectOf(customer), changedDetails(row)))
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

/** Gives or ends Premium by what is stored. The user must be locked. Returns whether the paid plan has changed. */
export async function settlePlan(ctx: TransactionContext, user: UserRow): Promise<boolean> {
  const rows = await queries.listSubscriptionsOfUser(ctx.db, user.id)
  const until = latest(rows.map((row) => row.premiumUntil))
  const now = ctx.now()
  const paidPlan = until !== null && until > now ? 'premium' : 'standard'
  if (paidPlan === user.paidPlan) return false
  await updatePaidPlan(ctx.db, user.id, paidPlan, now)
  const details = { plan: paidPlan, until, granted: user.grantedPlan }
  await insertAudit(ctx.db, auditEntry(ctx, 'billing.plan', `user:${user.id}`, details))
  await ctx.announce({ topic: 'users', ids: [user.id] })
  // A granted plan goes on whatever is paid.
  if (user.grantedPlan !== 'premium') await tellPlan(ctx, user.id, paidPlan)
  return true
}
