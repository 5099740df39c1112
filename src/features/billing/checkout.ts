// The way to the payment service and back: where a user pays, and where a user changes or cancels what was bought.
import type { Context } from '../../kernel/context.ts'
import { badRequest, conflict, notFound } from '../../kernel/errors.ts'
import { findUser, type UserRow } from '../accounts/queries.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { compareCustomer } from './compare.ts'
import { answered, billingOf } from './payments.ts'
import * as queries from './queries.ts'
import { hasEnded, nextComparison } from './rules.ts'

/** The page of the dashboard that the payment service leads back to. */
export const PLAN_PAGE = '/dashboard/plan'
export const RETURNED = 'checkout'

const ATTEMPTS = 4

const PAID_ALREADY = 'You have a subscription already. Use Manage billing to change or resume it.'
const IN_PROCESS =
  'Your payment is being processed, which takes days with some ways to pay. Premium begins when it is confirmed.'
const GRANTED = 'You have Premium from the operator of this service, so there is nothing to pay.'

/** The address where the signed-in user pays. Until it is paid or expires, every call leads to the same checkout, so that no user pays twice. */
export async function startCheckout(ctx: Context): Promise<string> {
  const user = await findUser(ctx.db, ctx.caller.id)
  if (!user) throw notFound('User')
  if (user.grantedPlan === 'premium') throw badRequest(GRANTED)
  return answered(async () => {
    let url: string | undefined
    for (let attempt = 0; attempt < ATTEMPTS && !url; attempt++) url = await checkoutOf(ctx, user)
    if (!url) throw conflict('The checkout could not be made. Try again.')
    await insertAudit(ctx.db, auditEntry(ctx, 'billing.checkout', `user:${user.id}`))
    return url
  })
}

/** undefined when the next attempt may succeed: the customer was found deleted, or another request has just made a checkout. */
async function checkoutOf(ctx: Context, user: UserRow): Promise<string | undefined> {
  const { payments } = billingOf(ctx)
  const { id: customerId, checkoutId } = await customerOf(ctx, user)
  // Read before the comparison, which then has the subscription of a checkout that was complete.
  const open = checkoutId ? await payments.findCheckout(checkoutId) : null
  // An event may have been missed, and a second subscription would be charged beside the first.
  await compareCustomer(ctx, customerId)
  const customer = await queries.findCustomer(ctx.db, customerId)
  if (!customer || customer.deletedAt || customer.checkoutId !== checkoutId) return undefined
  const subscriptions = await queries.listSubscriptionsOfUser(ctx.db, user.id)
  if (subscriptions.some((one) => !hasEnded(one) && one.status !== 'incomplete')) throw badRequest(PAID_ALREADY)
  if (open?.state === 'complete' && subscriptions.some(({ status }) => status === 'incomplete'))
    throw badRequest(IN_PROCESS)
  if (open?.url && open.priceId === payments.priceId) return open.url
  // It sells the price of an earlier setting.
  if (open?.url) await payments.expireCheckout(open.id)
  const page = `${ctx.publicUrl}${PLAN_PAGE}`
  const checkout = await payments.createCheckout(
    { customerId, userId: user.id, doneUrl: `${page}?${RETURNED}=done`, backUrl: page },
    customer.checkouts,
  )
  const now = ctx.now()
  if (!checkout) {
    await queries.updateCustomer(ctx.db, customerId, { deletedAt: now })
    return undefined
  }
  const stored = { checkoutId: checkout.id, checkoutAt: now, nextAt: nextComparison(now, null, true) }
  if (await queries.updateCheckout(ctx.db, customerId, customer.checkouts, stored)) return checkout.url ?? undefined
  const current = await queries.findCustomer(ctx.db, customerId)
  if (current?.checkoutId !== checkout.id) await payments.expireCheckout(checkout.id)
  return undefined
}

async function customerOf(ctx: Context, user: UserRow): Promise<queries.CustomerRow> {
  const known = await queries.listCustomersOfUser(ctx.db, user.id)
  const current = known.find(({ deletedAt }) => deletedAt === null)
  if (current) return current
  // Two requests at once, or one that is repeated after a crash, get the same customer.
  const id = await billingOf(ctx).payments.createCustomer(user, known.length)
  const now = ctx.now()
  await queries.insertCustomer(ctx.db, { id, userId: user.id, createdAt: now, nextAt: nextComparison(now, null, true) })
  const made = (await queries.listCustomersOfUser(ctx.db, user.id)).find(({ deletedAt }) => deletedAt === null)
  if (!made) throw notFound('User')
  return made
}

/** The address where the signed-in user changes the card, sees invoices and cancels. */
export async function openPortal(ctx: Context): Promise<string> {
  const { payments } = billingOf(ctx)
  const customer = await paidCustomerOf(ctx)
  if (!customer) throw badRequest('You have no subscription, so there is nothing to manage.')
  return answered(async () => {
    const url = await payments.createPortal(customer.id, `${ctx.publicUrl}${PLAN_PAGE}`)
    if (!url)
      throw badRequest('The payment service does not know you any more. Upgrade again to make a new subscription.')
    await insertAudit(ctx.db, auditEntry(ctx, 'billing.portal', `user:${ctx.caller.id}`))
    return url
  })
}

/** The customer with a subscription, the current one first. */
async function paidCustomerOf(ctx: Context): Promise<queries.CustomerRow | undefined> {
  const customers = await queries.listCustomersOfUser(ctx.db, ctx.caller.id)
  const paid = new Set((await queries.listSubscriptionsOfUser(ctx.db, ctx.caller.id)).map((one) => one.customerId))
  return customers.find(({ id, deletedAt }) => paid.has(id) && deletedAt === null)
}

/** After a checkout the user comes back before the events arrive, and must see what was bought. */
export async function compareOwn(ctx: Context): Promise<void> {
  for (const customer of await queries.listCustomersOfUser(ctx.db, ctx.caller.id))
    if (customer.deletedAt === null) await answered(() => compareCustomer(ctx, customer.id))
}
