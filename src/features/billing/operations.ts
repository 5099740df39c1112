// Operator API: the subscriptions of users to the paid plan.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { badRequest, notFound } from '../../kernel/errors.ts'
import { operationsFor } from '../../kernel/operation.ts'
import { listPage, offsetOf, stringType } from '../../kernel/schema.ts'
import { findUser } from '../accounts/queries.ts'
import { shownSubscription } from './account.operations.ts'
import { compareCustomer } from './compare.ts'
import { orUnavailable } from './payments.ts'
import * as queries from './queries.ts'
import { subscriptionFilters, subscriptionSchema } from './schema.ts'

const operation = operationsFor('operator', 'Users')

export const listSubscriptions = operation({
  name: 'list_subscriptions',
  summary: 'List subscriptions',
  description: 'Subscriptions to the paid plan, those that give Premium longest first; ended ones too unless filtered.',
  method: 'GET',
  path: '/subscriptions',
  parameters: Type.Object({ ...subscriptionFilters, ...listPage }),
  data: Type.Array(subscriptionSchema),
  run: async (ctx, input) => ({ data: await readSubscriptions(ctx, input, input.limit, offsetOf(input)) }),
})

/** A limit above the number of subscriptions that a user can have. */
const ALL_OF_USER = 1_000

export const compareSubscriptions = operation({
  name: 'compare_subscriptions',
  summary: 'Compare with the payment service',
  description:
    "Asks the payment service for the user's subscriptions now and stores the answer, instead of waiting for an event or the daily comparison. Answers the subscriptions.",
  method: 'POST',
  path: '/users/:id/compare-subscriptions',
  parameters: Type.Object({ id: stringType('Identifier of the user.', '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10') }),
  data: Type.Array(subscriptionSchema),
  failures: [400, 404],
  run: async (ctx, input) => {
    if (!ctx.billing) throw badRequest('The paid plan is not set up: set the three STRIPE_ settings.')
    if (!(await findUser(ctx.db, input.id))) throw notFound('User')
    for (const { id } of await queries.listCustomersOfUser(ctx.db, input.id))
      await orUnavailable(() => compareCustomer(ctx, id))
    return { data: await readSubscriptions(ctx, { user: input.id }, ALL_OF_USER, 0) }
  },
})

const readSubscriptions = async (ctx: Context, filter: queries.SubscriptionFilter, limit: number, offset: number) =>
  (await queries.selectSubscriptions(ctx.db, filter, ctx.now(), limit, offset)).map((row) => ({
    ...shownSubscription(row),
    url: ctx.billing?.payments.customerUrl(row.customerId) ?? null,
  }))

export const billingOperations = [listSubscriptions, compareSubscriptions]
