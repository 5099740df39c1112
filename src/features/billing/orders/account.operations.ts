// What a signed-in founder does with own orders: choose, pay, follow the work, ask. Every query is limited to the caller's orders.
import { Type } from 'typebox'
import type { Context } from '../../../kernel/context.ts'
import { badRequest, orNotFound } from '../../../kernel/errors.ts'
import { pageOperation } from '../../../kernel/operation.ts'
import { booleanType, listPage, offsetOf, stringType } from '../../../kernel/schema.ts'
import { DIRECT_ORDERS } from '../../partners/rules.ts'
import { makePlan } from '../../plan/make-plan.ts'
import { findSubmissionByToolId } from '../../submissions/queries.ts'
import { PACKAGES, packageOf } from '../../submissions/rules.ts'
import { statusOf } from '../../submissions/status.ts'
import { ask } from '../../support/ask.ts'
import { readOwnThread } from '../../support/operations.ts'
import { findConversationId, findSupportMode } from '../../support/queries.ts'
import { readQuestion } from '../../support/read-question.ts'
import { MAX_QUESTION } from '../../support/schema.ts'
import { billingOf, orUnavailable } from '../payments.ts'
import { moneyText } from '../rules.ts'
import { addressSchema } from '../schema.ts'
import * as queries from './queries.ts'
import { isUnpaid, orderProblem } from './rules.ts'
import {
  listingWorkSchema,
  ORDER_ID,
  orderChoicesSchema,
  ownOrderSchema,
  ownWorkSchema,
  paymentType,
} from './schema.ts'
import { soldPackages, startOrder } from './start.ts'

/** An order as founders and operators see it. */
export const shownOrder = ({ order, tool, submission, submittedCount }: queries.OrderWithWork) => {
  const { id, state, paymentType, amount, currency, refundedAmount, disputed, createdAt, paidAt } = order
  const inWords = (value: number | null) => (value === null || !currency ? null : moneyText(value, currency))
  return {
    ...{ id, state, paymentType, tool, disputed, submittedCount, createdAt, paidAt },
    price: inWords(amount),
    refunded: refundedAmount > 0 ? inWords(refundedAmount) : null,
    submissionState: submission?.state ?? null,
    targetDirectoriesCount: packageOf(paymentType).targetDirectoriesCount,
  }
}

const byId = Type.Object({ id: stringType('Identifier of the order.', ORDER_ID) })

/** A founder with more products than this orders for the first ones by name. */
const MOST_PRODUCTS = 200

export const getOrderChoices = pageOperation({
  name: 'get_order_choices',
  data: orderChoicesSchema,
  run: async (ctx) => {
    const products = await queries.listOrderable(ctx.db, ctx.caller.id, MOST_PRODUCTS)
    const ids = products.map(({ id }) => id)
    const work = ids.length > 0 ? await queries.listWorkOn(ctx.db, ids) : []
    return {
      data: {
        packages: await packagesInWords(ctx),
        products: products.map((product) => ({
          slug: product.slug,
          name: product.name,
          problem: orderProblem(
            product,
            work.filter(({ toolId }) => toolId === product.id),
          ),
        })),
      },
    }
  },
})

/** The packages that are sold, for pages. */
export const packagesInWords = async (ctx: Context) =>
  (await soldPackages(ctx)).map(({ name, price }) => ({
    name,
    label: PACKAGES[name].label,
    targetDirectoriesCount: PACKAGES[name].target,
    price: price && moneyText(price.amount ?? 0, price.currency),
  }))

export const startOwnOrder = pageOperation({
  name: 'start_own_order',
  bucket: 'payments',
  body: Type.Object({ tool: stringType('Slug of the tool.', 'acme-writer', { maxLength: 200 }), package: paymentType }),
  data: addressSchema,
  run: async (ctx, _input, body) => ({ data: { url: await startOrder(ctx, body.tool, body.package) } }),
})

export const listOwnOrders = pageOperation({
  name: 'list_own_orders',
  parameters: Type.Object(listPage),
  data: Type.Array(ownOrderSchema),
  run: async (ctx, input) => {
    const rows = await queries.listOrdersOfUser(ctx.db, ctx.caller.id, input.limit, offsetOf(input))
    return { data: rows.map(shownOrder) }
  },
})

/** The questions of founders are conversations of the built-in partner, one for each order. */
const DIRECT_CONVERSATIONS = { partnerId: DIRECT_ORDERS.id, test: false }
const threadOf = (orderId: string): string => `order:${orderId}`

export const getOwnOrder = pageOperation({
  name: 'get_own_order',
  parameters: byId,
  data: ownWorkSchema,
  run: async (ctx, { id }) => {
    const found = await findOwn(ctx, id)
    const submitted = await findWork(ctx, found)
    const work = submitted && {
      ...(await statusOf(ctx, submitted)),
      plan: await makePlan(ctx, submitted.submission.id),
    }
    const thread = await findConversationId(ctx.db, DIRECT_CONVERSATIONS, threadOf(id))
    return {
      data: {
        ...shownOrder(found),
        work,
        questions: thread === undefined ? null : await readOwnThread(ctx, DIRECT_CONVERSATIONS, thread),
        answersQuestions: await answersQuestions(ctx),
        mayAsk: await mayAsk(ctx, found),
      },
    }
  },
})

/** The submission that the order has paid for; null when it has none. */
async function findWork(ctx: Context, { order: { toolId, submissionId } }: queries.OrderWithWork) {
  if (toolId === null || submissionId === null) return null
  const submitted = await findSubmissionByToolId(ctx.db, DIRECT_ORDERS.id, toolId)
  return submitted?.submission.id === submissionId ? submitted : null
}

/** The latest own order for a listing with its work, and whether a package can be ordered. */
export const getWorkOnOwnListing = pageOperation({
  name: 'get_work_on_own_listing',
  parameters: Type.Object({ slug: stringType('Slug of the tool.', 'acme-writer') }),
  data: listingWorkSchema,
  run: async (ctx, { slug }) => {
    const last = await queries.findLastOrder(ctx.db, ctx.caller.id, slug)
    const submitted = last && (await findWork(ctx, last))
    const tool = await queries.findOrderable(ctx.db, ctx.caller.id, slug)
    const isOrderable = tool !== undefined && orderProblem(tool, await queries.listWorkOn(ctx.db, [tool.id])) === null
    return {
      data: {
        order: last ? { ...shownOrder(last), work: submitted ? await statusOf(ctx, submitted) : null } : null,
        mayOrder: isOrderable && !(last && isUnpaid(last.order)),
      },
    }
  },
})

/** The built-in partner does not exist before the first paid order. Until then the support mode that it will have counts. */
const answersQuestions = async (ctx: Context): Promise<boolean> =>
  ((await findSupportMode(ctx.db, DIRECT_CONVERSATIONS.partnerId)) ?? DIRECT_ORDERS.support) !== 'off'

const mayAsk = async (ctx: Context, { order }: queries.OrderWithWork): Promise<boolean> =>
  order.paidAt !== null && ((await findSupportMode(ctx.db, DIRECT_CONVERSATIONS.partnerId)) ?? 'off') !== 'off'

export const askAboutOrder = pageOperation({
  name: 'ask_about_order',
  bucket: 'submit',
  parameters: byId,
  body: Type.Object({ question: stringType('The question.', 'When does it begin?', { maxLength: MAX_QUESTION }) }),
  data: Type.Object({ asked: booleanType('Always true.', true) }),
  run: async (ctx, { id }, { question }) => {
    const found = await findOwn(ctx, id)
    if (!(await mayAsk(ctx, found))) throw badRequest('Questions about this order are not answered here. Write to us.')
    const { user, tool } = found
    await ask(
      ctx,
      DIRECT_CONVERSATIONS,
      readQuestion({
        question,
        externalId: threadOf(id),
        customer: { id: ctx.caller.id, email: user?.email },
        metadata: { product: tool?.name ?? '' },
      }),
    )
    return { data: { asked: true } }
  },
})

export const findOwnReceipt = pageOperation({
  name: 'find_own_receipt',
  bucket: 'payments',
  parameters: byId,
  data: addressSchema,
  run: async (ctx, { id }) => {
    const { order } = await findOwn(ctx, id)
    const { checkoutId, paidAt } = order
    const { payments } = billingOf(ctx)
    const url = checkoutId && paidAt ? await orUnavailable(() => payments.findReceipt(checkoutId)) : null
    if (!url) throw badRequest('There is no invoice for this order yet. Look again in a few minutes.')
    return { data: { url } }
  },
})

async function findOwn(ctx: Context, id: string): Promise<queries.OrderWithWork> {
  return orNotFound(await queries.findOrderOfUser(ctx.db, ctx.caller.id, id), 'Order')
}

export const ownOrderOperations = [
  getOrderChoices,
  startOwnOrder,
  listOwnOrders,
  getOwnOrder,
  getWorkOnOwnListing,
  askAboutOrder,
  findOwnReceipt,
]
