import { Type } from 'typebox'
import type { Context } from '../../../kernel/context.ts'
import { badRequest, orNotFound } from '../../../kernel/errors.ts'
import { operationsFor } from '../../../kernel/operation.ts'
import { listPage, offsetOf, stringType } from '../../../kernel/schema.ts'
import { compareCustomer } from '../compare.ts'
import { orUnavailable } from '../payments.ts'
import { shownOrder } from './account.operations.ts'
import * as queries from './queries.ts'
import { ORDER_ID, orderFilters, orderSchema } from './schema.ts'

const operation = operationsFor('operator', 'Founders')

const id = stringType('Identifier of the order.', ORDER_ID)

export const listOrders = operation({
  name: 'list_orders',
  summary: 'List orders',
  description:
    'Packages that founders ordered, newest first, also those that were not paid; with waiting, what is paid and not begun.',
  method: 'GET',
  path: '/orders',
  parameters: Type.Object({ ...orderFilters, ...listPage }),
  data: Type.Array(orderSchema),
  run: async (ctx, input) => ({
    data: (await queries.selectOrders(ctx.db, input, input.limit, offsetOf(input))).map((row) =>
      operatorOrder(ctx, row),
    ),
  }),
})

export const compareOrder = operation({
  name: 'compare_order',
  summary: 'Compare an order with the payment service',
  description:
    'Asks the payment service for the payments of the founder now and stores the answer, instead of waiting for an event or the daily comparison.',
  method: 'POST',
  path: '/orders/:id/compare',
  parameters: Type.Object({ id }),
  data: orderSchema,
  failures: [400, 404],
  run: async (ctx, input) => {
    if (!ctx.billing) throw badRequest('Payments are not set up: set the three STRIPE_ settings.')
    const order = orNotFound(await queries.findOrder(ctx.db, input.id), 'Order')
    const { customerId } = order
    if (customerId === null) throw badRequest('The account of this order was deleted, so nothing can be compared.')
    await orUnavailable(() => compareCustomer(ctx, customerId))
    return { data: operatorOrder(ctx, orNotFound(await queries.findOrderWithWork(ctx.db, input.id), 'Order')) }
  },
})

const operatorOrder = (ctx: Context, row: queries.OrderWithWork) => {
  const { customerId, paymentId, submissionId } = row.order
  return {
    ...shownOrder(row),
    user: row.user,
    submissionId,
    customerId,
    paymentId,
    waiting: row.waiting,
    url: customerId === null ? null : (ctx.billing?.payments.customerUrl(customerId) ?? null),
  }
}

export const orderOperations = [listOrders, compareOrder]
