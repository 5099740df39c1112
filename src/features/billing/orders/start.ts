// Sends a founder to a checkout, where a package is paid. Until it is paid or expires, each call leads to the same checkout, and before a
// new one the payment service is asked what was paid: no founder pays twice.
import type { Context } from '../../../kernel/context.ts'
import { orderedId } from '../../../kernel/database/ordered-id.ts'
import { badRequest, forbidden, notFound, orNotFound } from '../../../kernel/errors.ts'
import type { Payments } from '../../../kernel/interfaces/payments.ts'
import { findUser, type UserRow } from '../../accounts/queries.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import type { PaymentType } from '../../submissions/rules.ts'
import { findOrCreateCustomer, RETURNED, tryForUrl } from '../checkout.ts'
import { compareCustomer } from '../compare.ts'
import { billingOf, closeCheckout, orUnavailable } from '../payments.ts'
import { updateCustomer } from '../queries.ts'
import { nextComparison } from '../rules.ts'
import * as queries from './queries.ts'
import { isPackagePrice, orderProblem } from './rules.ts'

/** The dashboard pages to which the payment service sends the browser back. */
export const ORDERS_PAGE = '/dashboard/orders'
export const NEW_ORDER_PAGE = `${ORDERS_PAGE}/new`

const IN_PROCESS =
  'The payment for this product is being processed, which takes days with some ways to pay. The work begins when it is confirmed.'

/** The packages that can be bought, each with its price, which is null while it cannot be read. */
export async function soldPackages({ billing, founders }: Pick<Context, 'billing' | 'founders'>) {
  if (!billing || founders.mode === 'off') return []
  return (await billing.packages()).filter(({ price }) => price === null || isPackagePrice(price))
}

/** What the founder wants to buy: the package `packageName` for the product `tool`. */
interface Wish {
  user: UserRow
  tool: NonNullable<Awaited<ReturnType<typeof queries.findOrderable>>>
  packageName: PaymentType
  priceId: string
}

/** The address where the signed-in user pays. */
export async function startOrder(ctx: Context, slug: string, packageName: PaymentType): Promise<string> {
  const user = orNotFound(await findUser(ctx.db, ctx.caller.id), 'User')
  const sold = (await soldPackages(ctx)).find((one) => one.name === packageName)
  if (!sold) throw badRequest('This package is not sold here at the moment. Choose another one, or write to us.')
  const tool = await queries.findOrderable(ctx.db, user.id, slug)
  if (!tool) {
    if (!(await queries.isPublished(ctx.db, slug))) throw notFound('Tool')
    throw forbidden('Only its owner can order a package for a product. Claim the listing first.')
  }
  return orUnavailable(async () => {
    const wish = { user, tool, packageName, priceId: sold.priceId }
    const url = await tryForUrl(() => findOrCreateCheckout(ctx, wish))
    await writeAudit(ctx, 'order.checkout', `tool:${tool.slug}`, { package: packageName })
    return url
  })
}

/**
 * The address of the checkout; undefined when the next attempt may succeed, because something was paid or closed meanwhile or another
 * request has made a checkout.
 */
async function findOrCreateCheckout(ctx: Context, wish: Wish): Promise<string | undefined> {
  const { payments } = billingOf(ctx)
  const { user, tool, packageName, priceId } = wish
  const customer = await findOrCreateCustomer(ctx, user)
  const openBefore = await queries.findOpenOrder(ctx.db, tool.id)
  // Finds a payment whose event was missed. Otherwise the founder would pay a second time.
  for (const id of new Set([customer.id, openBefore?.customerId])) if (id) await compareCustomer(ctx, id)
  const problem = orderProblem(tool, await queries.listWorkOn(ctx.db, [tool.id]))
  if (problem) throw badRequest(problem)
  const open = await queries.findOpenOrder(ctx.db, tool.id)
  if (open?.state === 'processing') throw badRequest(IN_PROCESS)
  if (open && (open.userId !== user.id || open.customerId !== customer.id)) return closeOther(ctx, payments, open)
  const last = open?.checkoutId ? await payments.findCheckout(open.checkoutId) : null
  // The comparison of the next attempt finds the payment.
  if (last?.state === 'complete') return undefined
  if (last?.url && last.priceId === priceId && open?.paymentType === packageName) return last.url
  if (last?.url && !(await closeCheckout(payments, last.id))) return undefined
  return createCheckout(ctx, wish, customer.id, open)
}

/**
 * Closes an open order that another owner of the product began, or that this founder began with a customer that was deleted since. The
 * owner who orders last pays. The next attempt makes a new order.
 */
async function closeOther(ctx: Context, payments: Payments, order: queries.OrderRow): Promise<undefined> {
  if (!order.checkoutId || (await closeCheckout(payments, order.checkoutId)))
    await queries.updateOpenOrder(ctx.db, order, { state: 'closed', updatedAt: ctx.now() })
  return undefined
}

async function createCheckout(
  ctx: Context,
  { user, tool, packageName, priceId }: Wish,
  customerId: string,
  open: queries.OrderRow | undefined,
): Promise<string | undefined> {
  const { payments } = billingOf(ctx)
  const now = ctx.now()
  const values = { customerId, paymentType: packageName, priceId, updatedAt: now }
  // Stored before the checkout is made, so that a payment always finds its order.
  const order =
    open ??
    (await queries.insertOrder(ctx.db, {
      ...values,
      id: orderedId(),
      userId: user.id,
      toolId: tool.id,
      state: 'open',
      createdAt: now,
    }))
  if (!order) return undefined
  const checkout = await payments.createCheckout(
    {
      customerId,
      userId: user.id,
      doneUrl: `${ctx.publicUrl}${ORDERS_PAGE}/${order.id}?${RETURNED}=done`,
      backUrl: `${ctx.publicUrl}${NEW_ORDER_PAGE}?tool=${tool.slug}`,
      order: { id: order.id, priceId },
    },
    // The number of the attempt, which `updateOpenOrder` raises: two concurrent requests get the same checkout.
    order.checkouts,
  )
  if (!checkout) {
    // The customer was deleted at the payment service. The next attempt makes another one.
    await updateCustomer(ctx.db, customerId, { deletedAt: now })
    return undefined
  }
  const change = { ...values, checkoutId: checkout.id, checkoutAt: now }
  if (await queries.updateOpenOrder(ctx.db, order, change)) {
    await updateCustomer(ctx.db, customerId, { nextAt: nextComparison(now, { hasOpenCheckout: true }), closedAt: null })
    return checkout.url ?? undefined
  }
  // Another request was faster. This checkout must not be paid, unless the other request has stored the same one.
  const current = await queries.findOrder(ctx.db, order.id)
  if (current?.checkoutId !== checkout.id) await payments.expireCheckout(checkout.id)
  return undefined
}
