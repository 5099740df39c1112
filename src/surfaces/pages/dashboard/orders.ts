// Routes of the orders of the signed-in founder: choosing and paying a package, following its work, asking about it.
import type { FastifyReply } from 'fastify'
import { RETURNED } from '../../../features/billing/checkout.ts'
import * as own from '../../../features/billing/orders/account.operations.ts'
import { NEW_ORDER_PAGE, ORDERS_PAGE } from '../../../features/billing/orders/start.ts'
import { notFound } from '../../../kernel/errors.ts'
import type { Service } from '../../http/service.ts'
import type { Flash } from '../kit/components.ts'
import { action } from '../kit/forms/actions.ts'
import { addressWith } from '../kit/lists/address-query.ts'
import { readListPage } from '../kit/lists/paged-lists.ts'
import { allowFormsTo } from '../kit/sending/answers.ts'
import type { Visit, VisitPages } from '../kit/sending/private-pages.ts'
import { newOrderPage, type OwnOrder, orderPage, orderPath, ordersPage, unsoldPage } from './order-pages.ts'
import { compareIfPossible, goToPaymentService } from './plan.ts'

/** While founders are off, nothing can be ordered, and the pages exist only for users who have ordered before. */
const areFoundersOff = ({ founders }: Service): boolean => founders === 'off'

const byId = (visit: Visit) => ({ id: visit.param('id') })

export const ownOrderPages: VisitPages = {
  [ORDERS_PAGE]: {
    GET: async (visit) => {
      const { service } = visit
      const list = await readListPage(visit, own.listOwnOrders)
      if (areFoundersOff(service) && list.rows.length === 0) throw notFound('Page')
      const isNothingSold = !service.takesPayments && list.rows.length === 0
      return visit.send(isNothingSold ? unsoldPage(service.site.fields()) : ordersPage(visit, list))
    },
  },
  [NEW_ORDER_PAGE]: {
    GET: showNew,
    POST: (visit) => {
      const { tool = '', package: name = '' } = visit.form
      const back = addressWith(NEW_ORDER_PAGE, { tool, package: name })
      return goToPaymentService(visit, back, () => visit.perform(own.startOwnOrder, {}, { tool, package: name }))
    },
  },
  [`${ORDERS_PAGE}/:id`]: { GET: showOrder },
  [`${ORDERS_PAGE}/:id/receipt`]: {
    POST: (visit) =>
      goToPaymentService(visit, orderPath(byId(visit)), () => visit.perform(own.findOwnReceipt, byId(visit))),
  },
  [`${ORDERS_PAGE}/:id/questions`]: {
    POST: action({
      operation: own.askAboutOrder,
      body: ({ form: { question = '' } }) => ({ question }),
      back: (visit) => `${orderPath(byId(visit))}#questions`,
      text: 'Your question is sent.',
    }),
  },
}

async function showNew(visit: Visit): Promise<FastifyReply> {
  const { service } = visit
  if (areFoundersOff(service)) throw notFound('Page')
  if (!service.takesPayments) return visit.send(unsoldPage(service.site.fields()))
  const { tool, package: name } = visit.query(['tool', 'package'])
  const choices = await visit.perform(own.getOrderChoices, {})
  // The form leads to the payment service. Any https address is allowed, because Stripe's pages may have a domain of the operator.
  allowFormsTo(visit.reply, 'https:')
  return visit.send(newOrderPage(choices, { tool, name }, visit.token, service.site.fields()))
}

async function showOrder(visit: Visit): Promise<FastifyReply> {
  const { takesPayments } = visit.service
  const hasReturned = visit.query([RETURNED])[RETURNED] === 'done'
  if (hasReturned) await compareIfPossible(visit)
  const order = await visit.perform(own.getOwnOrder, byId(visit))
  allowFormsTo(visit.reply, 'https:')
  const mayPay = takesPayments && !areFoundersOff(visit.service) && order.state === 'open' && order.tool !== null
  const sold = mayPay ? (await visit.perform(own.getOrderChoices, {})).packages : []
  const price = sold.find(({ name }) => name === order.paymentType)?.price ?? null
  const flash = hasReturned ? [returnMessage(order)] : []
  return visit.send({ ...orderPage(order, visit.values, { mayPay, hasInvoice: takesPayments, price }), flash })
}

const returnMessage = ({ state }: OwnOrder): Flash =>
  state === 'paid'
    ? { kind: 'good', text: 'Thank you. The order is paid, and the work is in the queue.' }
    : state === 'processing'
      ? { kind: 'notice', text: 'Thank you. The work begins when your payment has arrived, which may take days.' }
      : {
          kind: 'notice',
          text: 'Your payment is not confirmed yet. That mostly takes seconds; load this page again in a moment.',
        }
