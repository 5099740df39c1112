// Sends a signed-in user to the payment service: to a checkout, where the user pays, or to the portal, to change or cancel the plan.
import type { Context } from '../../kernel/context.ts'
import { badRequest, conflict, notFound, orNotFound } from '../../kernel/errors.ts'
import { findUser, type UserRow } from '../accounts/queries.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { compareCustomer } from './compare.ts'
import { billingOf, closeCheckout, orUnavailable } from './payments.ts'
import * as queries from './queries.ts'
import { hasEnded, nextComparison } from './rules.ts'

/** The dashboard page to which the payment service sends the browser back; `RETURNED` is its query parameter after a checkout. */
export const PLAN_PAGE = '/dashboard/plan'
export const RETURNED = 'checkout'

/** An attempt fails when what it found has changed meanwhile, at the payment service or by another request of the user. */
const ATTEMPTS = 4

/** The URL that an attempt returns. An attempt returns undefined when the next one may succeed. Throws a 409 when none succeeds. */
export async function tryForUrl(attempt: () => Promise<string | undefined>): Promise<string> {
  for (let tried = 0; tried < ATTEMPTS; tried++) {
    const url = await attempt()
    if (url) return url
  }
  throw conflict('The checkout could not be made. Try again.')
}

const PAID_ALREADY = 'You have a subscription already. Use Manage billing to change or resume it.'
const IN_PROCESS =
  'Your payment is being processed, which takes days with some ways to pay. Premium begins when it is confirmed.'
const GRANTED = 'You have Premium from the operator of this service, so there is nothing to pay.'

/** The address where the signed-in user pays. Until it is paid or expires, each call returns the same checkout: no user pays twice. */
export async function startCheckout(ctx: Context): Promise<string> {
  const user = orNotFound(await findUser(ctx.db, ctx.caller.id), 'User')
  if (user.grantedPlan === 'premium') throw badRequest(GRANTED)
  return orUnavailable(async () => {
    const url = await tryForUrl(() => findOrCreateCheckout(ctx, user))
    await writeAudit(ctx, 'billing.checkout', `user:${user.id}`)
    return url
  })
}

/**
 * The address of the checkout; undefined when the next attempt may succeed, because the customer was found deleted or another request has
 * just made a checkout.
 */
async function findOrCreateCheckout(ctx: Context, user: UserRow): Promise<string | undefined> {
  const { payments } = billingOf(ctx)
  const { id: customerId, checkoutId } = await findOrCreateCustomer(ctx, user)
  // Read before the comparison: if this checkout is complete, the comparison then finds its subscription.
  const lastCheckout = checkoutId ? await payments.findCheckout(checkoutId) : null
  // Finds a subscription whose event was missed. Otherwise the user would pay for a second one.
  await compareCustomer(ctx, customerId)
  const customer = await queries.findCustomer(ctx.db, customerId)
  if (!customer || customer.deletedAt || customer.checkoutId !== checkoutId) return undefined
  const subscriptions = await queries.listSubscriptionsOfUser(ctx.db, user.id)
  if (subscriptions.some((one) => !hasEnded(one) && one.status !== 'incomplete')) throw badRequest(PAID_ALREADY)
  if (lastCheckout?.state === 'complete' && subscriptions.some(({ status }) => status === 'incomplete'))
    throw badRequest(IN_PROCESS)
  if (lastCheckout?.url && lastCheckout.priceId === payments.priceId) return lastCheckout.url
  // The settings have another price since that checkout was made.
  if (lastCheckout?.url && !(await closeCheckout(payments, lastCheckout.id))) return undefined
  const page = `${ctx.publicUrl}${PLAN_PAGE}`
  const checkout = await payments.createCheckout(
    { customerId, userId: user.id, doneUrl: `${page}?${RETURNED}=done`, backUrl: page },
    // The number of the attempt: two concurrent requests get the same checkout.
    customer.checkouts,
  )
  const now = ctx.now()
  if (!checkout) {
    // The customer was deleted at the payment service. The next attempt makes another one.
    await queries.updateCustomer(ctx.db, customerId, { deletedAt: now })
    return undefined
  }
  const stored = { checkoutId: checkout.id, checkoutAt: now, nextAt: nextComparison(now, { hasOpenCheckout: true }) }
  if (await queries.updateCheckout(ctx.db, customerId, customer.checkouts, stored)) return checkout.url ?? undefined
  // Another request was faster. This checkout must not be paid, unless the other request has stored the same one.
  const current = await queries.findCustomer(ctx.db, customerId)
  if (current?.checkoutId !== checkout.id) await payments.expireCheckout(checkout.id)
  return undefined
}

/** The user's customer at the payment service. Throws a 404 when the account was deleted meanwhile. */
export async function findOrCreateCustomer(ctx: Context, user: UserRow): Promise<queries.CustomerRow> {
  const customers = await queries.listCustomersOfUser(ctx.db, user.id)
  const current = customers.find(({ deletedAt }) => deletedAt === null)
  if (current) return current
  // The number makes two concurrent requests, and one that is repeated after a crash, get the same customer.
  const id = await billingOf(ctx).payments.createCustomer(user, customers.length)
  const now = ctx.now()
  await queries.insertCustomer(ctx.db, {
    id,
    userId: user.id,
    createdAt: now,
    nextAt: nextComparison(now, { hasOpenCheckout: true }),
  })
  const made = (await queries.listCustomersOfUser(ctx.db, user.id)).find(({ deletedAt }) => deletedAt === null)
  if (!made) throw notFound('User')
  return made
}

/** The address where the signed-in user changes the card, sees invoices and cancels. */
export async function openPortal(ctx: Context): Promise<string> {
  const { payments } = billingOf(ctx)
  const customer = await subscribedCustomerOf(ctx)
  if (!customer) throw badRequest('You have no subscription, so there is nothing to manage.')
  return orUnavailable(async () => {
    const url = await payments.createPortal(customer.id, `${ctx.publicUrl}${PLAN_PAGE}`)
    if (!url)
      throw badRequest('The payment service does not know you any more. Upgrade again to make a new subscription.')
    await writeAudit(ctx, 'billing.portal', `user:${ctx.caller.id}`)
    return url
  })
}

/** The user's customer that has a subscription and is not deleted at the payment service. */
async function subscribedCustomerOf(ctx: Context): Promise<queries.CustomerRow | undefined> {
  const customers = await queries.listCustomersOfUser(ctx.db, ctx.caller.id)
  const paid = new Set((await queries.listSubscriptionsOfUser(ctx.db, ctx.caller.id)).map((one) => one.customerId))
  return customers.find(({ id, deletedAt }) => paid.has(id) && deletedAt === null)
}

/** Called when a user returns from a checkout: the page must show what was bought even before its event arrives. */
export async function compareOwn(ctx: Context): Promise<void> {
  for (const customer of await queries.listCustomersOfUser(ctx.db, ctx.caller.id))
    if (customer.deletedAt === null) await orUnavailable(() => compareCustomer(ctx, customer.id))
}
