// Routes of the orders of the signed-in founder: choosing and paying a package, following its work, asking about it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RETURNED } from '../../../features/billing/checkout.ts'
import * as own from '../../../features/billing/orders/account.operations.ts'
import { NEW_ORDER_PAGE, ORDERS_PAGE } from '../../../features/billing/orders/start.ts'
import { notFound } from '../../../kernel/errors.ts'
import type { Service } from '../../http/service.ts'
import type { Flash } from '../kit/components.ts'
import { csrfField, csrfValues, formOf } from '../kit/forms/forms.ts'
import { type AddressQuery, addressWith, queryText } from '../kit/lists/address-query.ts'
import { readListPage } from '../kit/lists/paged-lists.ts'
import { allowFormsTo, param } from '../kit/sending/answers.ts'
import { actAndRedirect, addPrivatePages, performAs } from '../kit/sending/private-pages.ts'
import { sendDashboard } from './frame.ts'
import { newOrderPage, type OwnOrder, orderPage, orderPath, ordersPage, unsoldPage } from './order-pages.ts'
import { compareIfPossible, goToPaymentService } from './plan.ts'

/** While founders are off, nothing can be ordered, and the pages exist only for users who have ordered before. */
const areFoundersOff = ({ founders }: Service): boolean => founders === 'off'

export function addOwnOrderPages(server: FastifyInstance, service: Service): void {
  const byId = (request: FastifyRequest) => ({ id: param(request, 'id') })
  addPrivatePages(server, service, 'user', {
    [ORDERS_PAGE]: {
      GET: async (request, reply) => {
        const list = await readListPage(service, request, own.listOwnOrders)
        if (areFoundersOff(service) && list.rows.length === 0) throw notFound('Page')
        const isNothingSold = !service.takesPayments && list.rows.length === 0
        const page = isNothingSold ? unsoldPage(service.site.fields()) : ordersPage({ service, request }, list)
        return sendDashboard(service, request, reply, page)
      },
    },
    [NEW_ORDER_PAGE]: {
      GET: (request, reply) => showNew(service, request, reply),
      POST: (request, reply) => {
        const { tool = '', package: name = '' } = formOf(request)
        const back = addressWith(NEW_ORDER_PAGE, { tool, package: name })
        return goToPaymentService(service, request, reply, back, () =>
          performAs(service, request, own.startOwnOrder, {}, { tool, package: name }),
        )
      },
    },
    [`${ORDERS_PAGE}/:id`]: { GET: (request, reply) => showOrder(service, request, reply) },
    [`${ORDERS_PAGE}/:id/receipt`]: {
      POST: (request, reply) =>
        goToPaymentService(service, request, reply, orderPath(byId(request)), () =>
          performAs(service, request, own.findOwnReceipt, byId(request)),
        ),
    },
    [`${ORDERS_PAGE}/:id/questions`]: {
      POST: (request, reply) => {
        const page = `${orderPath(byId(request))}#questions`
        const { question = '' } = formOf(request)
        return actAndRedirect(service, reply, { back: page, done: page, successText: 'Your question is sent.' }, () =>
          performAs(service, request, own.askAboutOrder, byId(request), { question }),
        )
      },
    },
  })
}

async function showNew(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (areFoundersOff(service)) throw notFound('Page')
  if (!service.takesPayments) return sendDashboard(service, request, reply, unsoldPage(service.site.fields()))
  const query = request.query as AddressQuery
  const choices = await performAs(service, request, own.getOrderChoices, {})
  // The form leads to the payment service. Any https address is allowed, because Stripe's pages may have a domain of the operator.
  allowFormsTo(reply, 'https:')
  const asked = { tool: queryText(query, 'tool'), name: queryText(query, 'package') }
  return sendDashboard(service, request, reply, newOrderPage(choices, asked, csrfField(request), service.site.fields()))
}

async function showOrder(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const hasReturned = queryText(request.query as AddressQuery, RETURNED) === 'done'
  if (hasReturned) await compareIfPossible(service, request)
  const order = await performAs(service, request, own.getOwnOrder, { id: param(request, 'id') })
  allowFormsTo(reply, 'https:')
  const mayPay = service.takesPayments && !areFoundersOff(service) && order.state === 'open' && order.tool !== null
  const sold = mayPay ? (await performAs(service, request, own.getOrderChoices, {})).packages : []
  const price = sold.find(({ name }) => name === order.paymentType)?.price ?? null
  const flash = hasReturned ? [returnMessage(order)] : []
  return sendDashboard(service, request, reply, {
    ...orderPage(order, csrfValues(request), { mayPay, hasInvoice: service.takesPayments, price }),
    flash,
  })
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
