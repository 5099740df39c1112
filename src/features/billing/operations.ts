// Subscriptions to the paid plan: those of all users for operators, and the plan of a signed-in user, who is the caller.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { badRequest, notFound, orNotFound } from '../../kernel/errors.ts'
import { operationsFor, pageOperation } from '../../kernel/operation.ts'
import { booleanType, listPage, offsetOf, stringType } from '../../kernel/schema.ts'
import { findUser } from '../accounts/queries.ts'
import { compareOwn, openPortal, startCheckout } from './checkout.ts'
import { compareCustomer } from './compare.ts'
import { billingOf, orUnavailable } from './payments.ts'
import * as queries from './queries.ts'
import { isFailing, priceText } from './rules.ts'
import * as schema from './schema.ts'

const operation = operationsFor('operator', 'Users')

export const listSubscriptions = operation({
  name: 'list_subscriptions',
  summary: 'List subscriptions',
  description: 'Subscriptions to the paid plan, those that give Premium longest first; ended ones too unless filtered.',
  method: 'GET',
  path: '/subscriptions',
  parameters: Type.Object({ ...schema.subscriptionFilters, ...listPage }),
  data: Type.Array(schema.subscriptionSchema),
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
  data: Type.Array(schema.subscriptionSchema),
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

/** A subscription as operators and its user see it. */
const shownSubscription = <Row extends queries.SubscriptionRow>(row: Row) => ({
  ...row,
  since: row.firstPaidAt,
  failing: isFailing(row),
})

export const getOwnPlan = pageOperation({
  name: 'get_own_plan',
  data: schema.ownPlanSchema,
  run: async (ctx) => {
    const billing = billingOf(ctx)
    const user = orNotFound(await findUser(ctx.db, ctx.caller.id), 'User')
    const price = await billing.planPrice()
    const subscriptions = await queries.listSubscriptionsOfUser(ctx.db, user.id)
    return {
      data: {
        ...user,
        price: price && priceText(price),
        subscriptions: subscriptions.map(shownSubscription),
        canManage: subscriptions.length > 0,
      },
    }
  },
})

/** Asks the payment service about the user’s own subscriptions. */
export const compareOwnPlan = pageOperation({
  name: 'compare_own_plan',
  bucket: 'payments',
  data: Type.Object({ compared: booleanType('true.', true) }, { description: 'Done.' }),
  run: async (ctx) => {
    await compareOwn(ctx)
    return { data: { compared: true } }
  },
})

export const startOwnCheckout = pageOperation({
  name: 'start_own_checkout',
  bucket: 'payments',
  data: schema.addressSchema,
  run: async (ctx) => ({ data: { url: await startCheckout(ctx) } }),
})

export const openOwnPortal = pageOperation({
  name: 'open_own_portal',
  bucket: 'payments',
  data: schema.addressSchema,
  run: async (ctx) => ({ data: { url: await openPortal(ctx) } }),
})

export const ownPlanOperations = [getOwnPlan, compareOwnPlan, startOwnCheckout, openOwnPortal]
