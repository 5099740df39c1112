// The paid plan of a signed-in user, who is the caller. Every query is limited to this user.
import { Type } from 'typebox'
import { orNotFound } from '../../kernel/errors.ts'
import { pageOperation } from '../../kernel/operation.ts'
import { booleanType } from '../../kernel/schema.ts'
import { findUser } from '../accounts/queries.ts'
import { compareOwn, openPortal, startCheckout } from './checkout.ts'
import { billingOf } from './payments.ts'
import * as queries from './queries.ts'
import { isFailing, priceText } from './rules.ts'
import * as schema from './schema.ts'

export const shownSubscription = <Row extends queries.SubscriptionRow>(row: Row) => ({
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
