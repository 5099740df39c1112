// Pure decisions about payments: when a subscription gives Premium, when a customer is compared with the payment service, and how prices are
// written. Premium is decided from the subscription as the payment service reports it, never from an event.
import type { Price, Subscription, SubscriptionStatus } from '../../kernel/interfaces/payments.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/values/days.ts'

/** Where the payment service sends its events, relative to PUBLIC_URL. */
export const STRIPE_WEBHOOK = '/api/stripe/webhook'

/** Topic of the announcements after which the worker looks for customers to compare and for paid plans to end. */
export const BILLING_TOPIC = 'billing'

/** How long Premium stays after the paid period while payments fail. */
export const GRACE_DAYS = 7

const ENDED: ReadonlySet<SubscriptionStatus> = new Set<SubscriptionStatus>(['canceled', 'incomplete_expired'])
const FAILING: ReadonlySet<SubscriptionStatus> = new Set<SubscriptionStatus>(['past_due', 'unpaid'])

type Facts = Pick<Subscription, 'status' | 'endsAt' | 'endedByFailure' | 'paidUntil' | 'refunded'>

export const hasEnded = ({ status }: Pick<Subscription, 'status'>): boolean => ENDED.has(status)
export const isFailing = ({ status }: Pick<Subscription, 'status'>): boolean => FAILING.has(status)

/** Whether another payment is expected after the paid period. */
function isRenewalExpected({ status, endsAt, paidUntil }: Pick<Facts, 'status' | 'endsAt' | 'paidUntil'>): boolean {
  if (ENDED.has(status)) return false
  return endsAt === null || (paidUntil !== null && endsAt > paidUntil)
}

/** Until when a subscription gives Premium; null when it was never paid, or when its payment was given back. */
export function premiumUntil(facts: Facts): Date | null {
  const { paidUntil, endedByFailure, refunded } = facts
  if (paidUntil === null || refunded) return null
  // A subscription that the payment service ended because payments failed has the same days of grace.
  const grace = isRenewalExpected(facts) || (ENDED.has(facts.status) && endedByFailure)
  return grace ? new Date(paidUntil.getTime() + GRACE_DAYS * DAY_MS) : paidUntil
}

/**
 * Whether a subscription is to the paid plan of this service: made by its checkout (then it names a user), or to its price. The account at
 * the payment service may sell other things too.
 */
export const isOurs = (subscription: Pick<Subscription, 'userId' | 'priceIds'>, priceId: string): boolean =>
  subscription.userId !== null || subscription.priceIds.includes(priceId)

/**
 * Whether the subscription is still to a price in `sold`; the customer may have switched to another product. `sold` includes the price it
 * was bought at, so a new price in the settings ends nothing.
 */
export const hasSoldPrice = ({ priceIds }: Pick<Subscription, 'priceIds'>, sold: readonly string[]): boolean =>
  priceIds.some((id) => sold.includes(id))

/** The latest of the times; null when there is none. */
export function latest(times: readonly (Date | null)[]): Date | null {
  const known = times.flatMap((time) => time?.getTime() ?? [])
  return known.length === 0 ? null : new Date(Math.max(...known))
}

const COMPARE_EVERY_MS = DAY_MS
/** While a checkout may be under way, a missed event must not keep the user waiting for a day. */
const CHECKOUT_EVERY_MS = 5 * 60_000

/** The payment service keeps a checkout open for a day; this is an hour more. */
const CHECKOUT_MS = 25 * HOUR_MS

/** Whether a checkout that was made at this time may still be open. */
export const mayBePaid = (checkoutAt: Date | null, now: Date): boolean =>
  checkoutAt !== null && now.getTime() - checkoutAt.getTime() < CHECKOUT_MS

/**
 * When a customer is next compared without an event: after a day, or five minutes with an open checkout, but no later than the end of
 * Premium, because a missed renewal event must not end it.
 */
export function nextComparison(
  now: Date,
  customer: { premiumUntil?: Date | null; hasOpenCheckout?: boolean } = {},
): Date {
  const regular = now.getTime() + (customer.hasOpenCheckout ? CHECKOUT_EVERY_MS : COMPARE_EVERY_MS)
  const end = customer.premiumUntil?.getTime() ?? 0
  return new Date(end > now.getTime() ? Math.min(regular, end) : regular)
}

// The payment service gives amounts of these currencies in hundredths, although the currencies have none.
const IN_HUNDREDTHS = new Set(['isk', 'ugx'])

/** The price in words, such as "$9 a month". */
export function priceText(price: Price): string {
  const { amount, currency } = price
  if (amount === null) return `a price in ${currency.toUpperCase()} that depends on use, ${intervalText(price)}`
  return `${moneyText(amount, currency)} ${intervalText(price)}`
}

/** How often a price is paid, such as "a month". */
export function intervalText({ interval, intervalCount }: Price): string {
  if (interval === null) return 'once'
  return intervalCount === 1 ? `a ${interval}` : `every ${intervalCount} ${interval}s`
}

/** An amount in words, such as "$9". `amount` is in the smallest unit of the currency. */
export function moneyText(amount: number, currency: string): string {
  // A broken row may have anything as its currency.
  if (!/^[a-z]{3}$/i.test(currency)) return `${amount} ${currency}`
  const options = { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' } as const
  return new Intl.NumberFormat('en', options).format(amount / unitsOf(currency))
}

/** How many of the units in which amounts are given make one unit of the currency, such as 100 cents a dollar. */
function unitsOf(currency: string): number {
  if (IN_HUNDREDTHS.has(currency)) return 100
  return (
    10 ** (new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2)
  )
}

/** Whether the price is `expected` units of its currency a month. */
export const isMonthlyPrice = ({ amount, currency, interval, intervalCount }: Price, expected: number): boolean =>
  interval === 'month' && intervalCount === 1 && amount === expected * unitsOf(currency)
