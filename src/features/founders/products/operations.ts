import { Type } from 'typebox'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { conflict, invalid, notFound, orNotFound } from '../../../kernel/errors.ts'
import { operationsFor } from '../../../kernel/operation.ts'
import { problem } from '../../../kernel/problem.ts'
import { listPage, offsetOf, oneOf, stringType } from '../../../kernel/schema.ts'
import { trimmed } from '../../../kernel/values/text.ts'
import { versionGuard } from '../../audit/schema.ts'
import { checkVersion } from '../../audit/version-guard.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { tellUser } from '../../mail/mail.ts'
import { REVIEW_STATES, STATE_AFTER } from '../../proposals/schema.ts'
import { createListing } from '../../submissions/submit/create-listing.ts'
import * as queries from './queries.ts'
import { PRODUCT_ID, type ProductFields, reviewBody, reviewExample, reviewSchema } from './schema.ts'
import { checkedProduct, emailOfFounder, lockUnlisted } from './send.ts'

const operation = operationsFor('operator', 'Founders')

const id = stringType('Identifier of the product.', PRODUCT_ID)

export const listReviews = operation({
  name: 'list_reviews',
  summary: 'Products that founders have sent',
  description:
    'Products that wait for a decision, suspicious ones first and then the oldest; with a state, those that were accepted or refused.',
  method: 'GET',
  path: '/reviews',
  parameters: Type.Object({
    state: oneOf(REVIEW_STATES, { default: 'waiting', description: 'Only this state.', examples: ['waiting'] }),
    ...listPage,
  }),
  data: Type.Array(reviewSchema),
  example: { success: true, data: [reviewExample] },
  tool: {
    title: 'Products to review',
    description: 'Products of founders that wait for a decision. get_review has all of one.',
    shows: ['id', 'state', 'website', 'suspicions', 'timesSent', 'version'],
  },
  run: async (ctx, input) => ({
    data: (await queries.listReviewRows(ctx.db, input.state, input.limit, offsetOf(input))).map(shownReview),
  }),
})

export const getReview = operation({
  name: 'get_review',
  summary: 'A product that a founder has sent',
  description: 'All that the founder wrote, and what to look at before it is accepted.',
  method: 'GET',
  path: '/reviews/:id',
  parameters: Type.Object({ id }),
  data: reviewSchema,
  example: { success: true, data: reviewExample },
  tool: {
    title: 'One product to review',
    description: 'All that the founder wrote, and what is suspicious.',
    namesPictures: true,
  },
  run: async (ctx, input) => ({ data: await findReview(ctx, input.id) }),
})

export const decideReview = operation({
  name: 'decide_review',
  summary: 'Accept or refuse a product',
  description:
    'Accepted, the product is listed and public at once, with the changes that are sent along. Refused, the founder sees the reason and may send it once more. The founder is told by mail where mail is set up. The same decision again changes nothing.',
  method: 'POST',
  path: '/reviews/:id',
  parameters: Type.Object({ id, ...versionGuard.parameters }),
  body: reviewBody,
  data: reviewSchema,
  failures: [400, 404, ...versionGuard.failures],
  example: { success: true, data: { ...reviewExample, state: 'accepted', version: 3 } },
  tool: {
    description: 'Accepted, the product is public at once; refused, it needs a reason. The founder is told.',
    omit: ['changes', 'removed', 'ifVersion'],
    isFinal: true,
    isRepeatable: true,
    shows: ['id', 'state', 'reason', 'listing', 'version'],
  },
  run: (ctx, { id, ifVersion }, { decision, changes = {}, removed = [], ...given }) =>
    ctx.transaction(async (ctx) => {
      const product = await queries.findProductForUpdate(ctx.db, id)
      if (!product || product.timesSent === 0) throw notFound('Product')
      const reason = trimmed(given.reason ?? '')
      const decided = STATE_AFTER[decision]
      if (product.state === decided) return { data: await findReview(ctx, id) }
      if (product.state !== 'waiting')
        throw conflict(`The product does not wait for a decision: it is ${product.state}.`)
      await checkVersion(ctx, ifVersion, {
        name: 'review',
        version: product.version,
        subject: `review:${id}`,
        actions: ['review.send', 'review.accept', 'review.refuse'],
      })
      if (decision === 'refuse' && reason === '')
        throw invalid([problem('reason', 'is needed, so that the founder knows what to change.')])
      const tool = decision === 'accept' ? await acceptProduct(ctx, product, changes, removed) : null
      const now = ctx.now()
      const stored = tool ? { toolId: tool.id, fields: tool.fields } : {}
      await queries.updateProduct(ctx.db, id, { ...stored, state: decided, reason, decidedAt: now, updatedAt: now })
      const { websiteKey } = product
      if (tool) await queries.deleteRefusal(ctx.db, websiteKey)
      else await queries.upsertRefusal(ctx.db, { websiteKey, reason, refusedAt: now })
      const details = tool ? { tool: tool.slug, changed: [...Object.keys(changes), ...removed] } : { reason }
      await writeAudit(ctx, `review.${decision}`, `review:${id}`, details)
      await tellUser(ctx, {
        event: `${id}:${product.timesSent}`,
        kind: tool ? 'product-accepted' : 'product-refused',
        userId: product.userId,
        details: { name: changes.name ?? product.fields.name ?? product.website, reason, id, slug: tool?.slug ?? '' },
      })
      return { data: await findReview(ctx, id) }
    }),
})

async function acceptProduct(
  ctx: TransactionContext,
  product: queries.ProductRow,
  changes: ProductFields,
  removed: readonly (keyof ProductFields)[],
) {
  const email = await emailOfFounder(ctx, product.userId)
  const given = { ...product.fields, ...changes }
  for (const name of removed) delete given[name]
  const { submission, fields } = await checkedProduct(ctx, product, given, email)
  await lockUnlisted(ctx, product)
  // The administrator has looked at it, so it is public even if a listing of its host was taken down.
  const { tool } = await createListing(ctx, null, submission, { needsReview: false })
  return { ...tool, fields }
}

const shownReview = (row: Awaited<ReturnType<typeof queries.listReviewRows>>[number]) => ({
  ...row,
  state: REVIEW_STATES.find((state) => state === row.state) ?? 'waiting',
})

async function findReview(ctx: Context, id: string) {
  return shownReview(orNotFound(await queries.findReview(ctx.db, id), 'Product'))
}

export const reviewOperations = [listReviews, getReview, decideReview]
