// Pure decisions about orders: what the payment service's answer means for an order, and whether a product can be ordered.
import type { Price, Purchase } from '../../../kernel/interfaces/payments.ts'
import { hasMoved } from '../../founders/claims/rules.ts'
import { DIRECT_ORDERS } from '../../partners/rules.ts'
import type { SubmissionState } from '../../submissions/rules.ts'
import { mayBePaid } from '../rules.ts'

/**
 * - `open`: it may be paid.
 * - `processing`: the founder has paid, and the money is on its way.
 * - `refunded`: the whole amount was given back.
 * - `closed`: it was not paid, and cannot be paid any more.
 */
export const ORDER_STATES = ['open', 'processing', 'paid', 'refunded', 'closed'] as const
export type OrderState = (typeof ORDER_STATES)[number]

export const UNPAID = ['open', 'processing'] as const satisfies readonly OrderState[]
export const isUnpaid = ({ state }: Pick<OrderFacts, 'state'>): boolean => UNPAID.some((unpaid) => unpaid === state)

/** An order that was not paid is deleted after this time. */
export const UNPAID_DAYS = 30

interface OrderFacts {
  state: OrderState
  paymentId: string | null
  amount: number | null
  currency: string | null
  refundedAmount: number
  disputed: boolean
}

interface KnownOrder extends OrderFacts {
  checkoutId: string | null
  checkoutAt: Date | null
  createdAt: Date
}

const isRefunded = ({ amount, refundedAmount }: Purchase): boolean => amount > 0 && refundedAmount >= amount

/** The state and the payment of the order, updated from its checkouts at the payment service. */
export function updatedFacts(order: KnownOrder, purchases: readonly Purchase[], now: Date): OrderFacts {
  const { state, paymentId, amount, currency, refundedAmount, disputed } = order
  const known = { state, paymentId, amount, currency, refundedAmount, disputed }
  const paid = purchases.filter((purchase) => purchase.state === 'paid')
  // A payment that was not refunded decides; otherwise the first.
  const decisive = paid.find((purchase) => !isRefunded(purchase)) ?? paid[0]
  if (decisive) {
    const { paymentId, amount, currency, refundedAmount, disputed } = decisive
    const state = isRefunded(decisive) ? 'refunded' : 'paid'
    return { state, paymentId, amount, currency, refundedAmount, disputed }
  }
  // A paid, refunded or closed order is never opened again. A later purchase is a new order.
  if (!isUnpaid(order)) return known
  if (purchases.some((purchase) => purchase.state === 'processing')) return { ...known, state: 'processing' }
  if (purchases.some((purchase) => purchase.state === 'open')) return { ...known, state: 'open' }
  // The order's checkout is not in the answer: it may have been made after the question. While it can still be paid, nothing changes.
  const isUnseen = !purchases.some(({ checkoutId }) => checkoutId === order.checkoutId)
  if (isUnseen && mayBePaid(order.checkoutAt ?? order.createdAt, now)) return known
  return { ...known, state: 'closed' }
}

/** Whether a package can be sold at this price: it is active, fixed, and paid once. */
export const isPackagePrice = ({ interval, amount, active }: Price): boolean =>
  interval === null && amount !== null && active

/** A submission of the tool, by any partner. */
interface WorkOnTool {
  partnerId: string
  /** null: the submission has no package, so no work was ordered. */
  state: SubmissionState | null
}

interface OrderableTool {
  website: string
  /** The website that the founder has proven or sent; null: not known. */
  ownWebsite: string | null
}

/** Why no package can be ordered for a product, in a sentence for its owner; null when one can. */
export function orderProblem({ website, ownWebsite }: OrderableTool, work: readonly WorkOnTool[]): string | null {
  if (hasMoved(ownWebsite, website))
    return 'The listing has another website now. Show your token there to own it again, then order.'
  const ordered = work.filter(({ state }) => state !== null)
  const own = ordered.find(({ partnerId }) => partnerId === DIRECT_ORDERS.id)
  if (own && own.state !== 'DONE') return 'A package was ordered for this product, and the work is not done yet.'
  if (own) return 'A package was ordered for this product, and its work is done. Write to us if you need more.'
  if (ordered.some(({ state }) => state !== 'DONE'))
    return 'This product is in work already: a partner has ordered a package for it. Wait until that is done.'
  return null
}
