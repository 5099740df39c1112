// Stores what the payment service says about the orders of a customer, and makes the work agree with it: a paid order has a submission, and
// one that was refunded before its work began has none.
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { lockText } from '../../../kernel/database/queries.ts'
import type { Purchase } from '../../../kernel/interfaces/payments.ts'
import { changesAnything, writeAudit } from '../../audit/write-audit.ts'
import { insertMissingPartner } from '../../partners/queries.ts'
import { DIRECT_ORDERS, newPartner } from '../../partners/rules.ts'
import { withdrawUnbegun } from '../../submissions/partner/correct.operations.ts'
import { findSubmissionByToolId } from '../../submissions/queries.ts'
import { setPackage, storeSubmission } from '../../submissions/submit/store-submission.ts'
import { billingOf } from '../payments.ts'
import * as queries from './queries.ts'
import { updatedFacts } from './rules.ts'

/**
 * The checkouts of the customer's orders; an empty list if there is no order. If the account was deleted, or the payment service has deleted
 * the customer (then `listPurchases` returns null), open checkouts are expired first, so that they cannot be paid any more. A payment that
 * was already on its way still arrives; this comparison or a later one stores it.
 */
export async function readPurchases(ctx: Context, customerId: string, isAccountDeleted: boolean): Promise<Purchase[]> {
  const { payments } = billingOf(ctx)
  if (!(await queries.hasOrders(ctx.db, customerId))) return []
  const listed = await payments.listPurchases(customerId)
  const isCustomerDeleted = listed === null
  const found = listed ?? (await readCheckouts(ctx, customerId))
  const open = isAccountDeleted || isCustomerDeleted ? found.filter(({ state }) => state === 'open') : []
  if (open.length === 0) return found
  for (const { checkoutId } of open) await payments.expireCheckout(checkoutId)
  if (isCustomerDeleted) return readCheckouts(ctx, customerId)
  return (await payments.listPurchases(customerId)) ?? readCheckouts(ctx, customerId)
}

/** One request for each checkout: the payment service does not list the checkouts of a customer that was deleted. */
async function readCheckouts(ctx: Context, customerId: string): Promise<Purchase[]> {
  const { payments } = billingOf(ctx)
  const found: Purchase[] = []
  for (const { id } of await queries.listCheckouts(ctx.db, customerId)) {
    const purchase = id && (await payments.findPurchase(id))
    if (purchase) found.push(purchase)
  }
  return found
}

/** Returns the customer's orders as they are now. The caller must have locked the customer's row. */
export async function storeOrders(
  ctx: TransactionContext,
  customerId: string,
  found: readonly Purchase[],
): Promise<queries.OrderRow[]> {
  const stored: queries.OrderRow[] = []
  const now = ctx.now()
  for (const before of await queries.listOrdersForUpdate(ctx.db, customerId)) {
    const purchases = found.filter(({ orderId }) => orderId === before.id)
    const facts = updatedFacts(before, purchases, now)
    const paidAt = before.paidAt ?? (facts.state === 'paid' || facts.state === 'refunded' ? now : null)
    const submissionId = await settleWork(ctx, { ...before, ...facts })
    const order = { ...before, ...facts, paidAt, submissionId }
    stored.push(order)
    if (!changesAnything(before, order)) continue
    await queries.updateOrder(ctx.db, order.id, { ...facts, paidAt, submissionId, updatedAt: now })
    const { state, paymentType, amount, currency, refundedAmount, disputed } = order
    const details = { state, paymentType, amount, currency, refundedAmount, disputed, submission: submissionId }
    await writeAudit(ctx, 'order.compare', `order:${order.id}`, details)
  }
  return stored
}

/** Begins the work of a paid order, or withdraws that of a refunded one. Returns the id of the order's submission; null for none. */
async function settleWork(ctx: TransactionContext, order: queries.OrderRow): Promise<string | null> {
  const { state, submissionId } = order
  if (state === 'paid') return submissionId ?? (await beginWork(ctx, order))
  // Work that was begun goes on; the order only says that it was refunded.
  if (state !== 'refunded' || submissionId === null) return submissionId
  return (await withdrawUnbegun(ctx, submissionId)) === 'withdrawn' ? null : submissionId
}

/**
 * Returns the id of the submission; null if the work cannot begin, because the listing was deleted or another order of the product was paid
 * too. An administrator then sees the order without work, and refunds it.
 */
async function beginWork(ctx: TransactionContext, { toolId, paymentType }: queries.OrderRow): Promise<string | null> {
  const tool = toolId === null ? undefined : await queries.findOrderedTool(ctx.db, toolId)
  if (!tool) return null
  await ensureDirectOrders(ctx)
  const siteKey = tool.siteKey ?? ''
  await lockText(ctx.db, `website:${siteKey}`)
  const before = await findSubmissionByToolId(ctx.db, DIRECT_ORDERS.id, tool.id)
  if (!before) {
    const partnerId = DIRECT_ORDERS.id
    return (await storeSubmission(ctx, { partnerId, tool, siteKey, paymentType })).id
  }
  if (before.submission.paymentType !== null) return null
  return (await setPackage(ctx, before, paymentType)).submission.id
}

/** Makes the built-in partner to which the submissions of orders belong, if it does not exist. */
async function ensureDirectOrders(ctx: TransactionContext): Promise<void> {
  const given = { ...DIRECT_ORDERS, contactEmail: null, webhookUrl: null }
  if (!(await insertMissingPartner(ctx.db, newPartner(given, ctx.now())))) return
  const { id, name, support } = given
  await writeAudit(ctx, 'partner.create', `partner:${id}`, { name, support })
  await ctx.announce({ topic: 'partners', ids: [id] })
}
