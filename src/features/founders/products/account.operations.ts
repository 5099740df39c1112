// What a signed-in founder does with own products: begin with an address, correct what the site says, send it, follow the review.
import { Type } from 'typebox'
import { isOwnAddress } from '../../../kernel/addresses/own-addresses.ts'
import { addressProblem } from '../../../kernel/addresses/web-address.ts'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { orderedId } from '../../../kernel/database/ordered-id.ts'
import { lockText } from '../../../kernel/database/queries.ts'
import { badRequest, conflict, invalid, notFound, orNotFound } from '../../../kernel/errors.ts'
import { pageOperation } from '../../../kernel/operation.ts'
import { problem } from '../../../kernel/problem.ts'
import {
  booleanType,
  listPage,
  nullable,
  nullableObject,
  objectType,
  offsetOf,
  stringType,
} from '../../../kernel/schema.ts'
import { versionGuard } from '../../audit/schema.ts'
import { checkVersion } from '../../audit/version-guard.ts'
import { websiteKey } from '../../listings/website-key.ts'
import { findToolByWebsite } from '../../submissions/queries.ts'
import * as queries from './queries.ts'
import { READING } from './reading.jobs.ts'
import { MOST_DRAFTS, mayChange, READING_SECONDS, websiteIn } from './rules.ts'
import { ownProductSchema, PRODUCT_ID, productFields } from './schema.ts'
import { checkLimits, sendProduct } from './send.ts'

const byId = Type.Object({ id: stringType('Identifier of the product.', PRODUCT_ID) })
const byIdAndVersion = Type.Object({ ...byId.properties, ...versionGuard.parameters })
const websiteField = stringType("Address of the product's site; https:// may be left out.", 'acme-writer.example.com', {
  maxLength: 2000,
})

const listed = nullableObject(
  objectType('The listing.', {
    slug: stringType('Slug of the tool.', 'acme-writer'),
    name: stringType('Name of the tool.', 'Acme Writer'),
  }),
  'The listing of this website; null when there is none.',
)
const ownId = nullable(stringType("The founder's own product with this website.", PRODUCT_ID))

/** Whether a website is listed or sent already. */
export const findProductAddress = pageOperation({
  name: 'find_product_address',
  parameters: Type.Object({ website: websiteField }),
  data: Type.Object({ website: Type.String({ description: 'The complete address.' }), listed, id: ownId }),
  run: async (ctx, input) => {
    const website = readWebsite(ctx, input.website)
    return { data: { website, ...(await findKnown(ctx, website)) } }
  },
})

export const startOwnProduct = pageOperation({
  name: 'start_own_product',
  bucket: 'submit',
  body: Type.Object({ website: websiteField }),
  data: Type.Object({ listed, id: ownId }),
  run: (ctx, _input, body) =>
    ctx.transaction(async (ctx) => {
      const website = readWebsite(ctx, body.website)
      await lockFounder(ctx)
      const known = await findKnown(ctx, website)
      if (known.listed || known.id) return { data: known }
      await checkLimits(ctx)
      await queries.deleteOldDrafts(ctx.db, ctx.caller.id, MOST_DRAFTS - 1)
      const id = orderedId()
      const now = ctx.now()
      await queries.insertProduct(ctx.db, {
        id,
        userId: ctx.caller.id,
        website,
        websiteKey: websiteKey(website),
        state: 'reading',
        step: 'queued',
        fields: {},
        sources: {},
        createdAt: now,
        updatedAt: now,
      })
      await ctx.enqueue(READING, { id }, ctx.caller.id)
      return { data: { listed: null, id } }
    }),
})

function readWebsite(ctx: Context, text: string): string {
  const website = websiteIn(text)
  const wrong = isOwnAddress(ctx.publicUrl, website)
    ? 'must not be an address of this service.'
    : addressProblem(website, { allowed: ctx.outboundAllowed })
  if (wrong) throw invalid([problem('website', wrong)])
  return website
}

/** The listing of a website, or the founder's own product that has not become one. */
async function findKnown(ctx: Context, website: string) {
  const key = websiteKey(website)
  const listing = await findToolByWebsite(ctx.db, key)
  const begun = await queries.findOwnByWebsite(ctx.db, ctx.caller.id, key)
  return {
    listed: listing ? { slug: listing.slug, name: listing.name } : null,
    id: begun && begun.state !== 'accepted' ? begun.id : null,
  }
}

/** Two requests of one founder must not pass the limits together. */
const lockFounder = (ctx: TransactionContext) => lockText(ctx.db, `founder:${ctx.caller.id}`)

export const listOwnProducts = pageOperation({
  name: 'list_own_products',
  parameters: Type.Object(listPage),
  data: Type.Array(ownProductSchema),
  run: async (ctx, input) => {
    const rows = await queries.listProductsOfUser(ctx.db, ctx.caller.id, input.limit, offsetOf(input))
    return { data: rows.map((row) => shownProduct(ctx, row)) }
  },
})

export const getOwnProduct = pageOperation({
  name: 'get_own_product',
  parameters: byId,
  data: ownProductSchema,
  run: async (ctx, { id }) => ({ data: shownProduct(ctx, await findOwn(ctx, id)) }),
})

/** Saves what the founder has typed, without sending it. */
export const saveOwnProduct = pageOperation({
  name: 'save_own_product',
  parameters: byIdAndVersion,
  body: productFields,
  data: ownProductSchema,
  run: (ctx, { id, ifVersion }, fields) =>
    ctx.transaction(async (ctx) => {
      const product = await lockOwn(ctx, id)
      await checkOwnVersion(ctx, product, ifVersion)
      const state = product.state === 'refused' ? 'refused' : 'draft'
      await queries.updateProduct(ctx.db, id, { fields, state, updatedAt: ctx.now() })
      return { data: shownProduct(ctx, await findOwn(ctx, id)) }
    }),
})

export const sendOwnProduct = pageOperation({
  name: 'send_own_product',
  parameters: byIdAndVersion,
  body: productFields,
  // The rules of submissions go beyond the schema, and all problems are reported together.
  rawBody: true,
  data: ownProductSchema,
  run: (ctx, { id, ifVersion }, raw) =>
    ctx.transaction(async (ctx) => {
      await lockFounder(ctx)
      const product = await lockOwn(ctx, id)
      await checkOwnVersion(ctx, product, ifVersion)
      await sendProduct(ctx, product, raw)
      return { data: shownProduct(ctx, await findOwn(ctx, id)) }
    }),
})

export const discardOwnProduct = pageOperation({
  name: 'discard_own_product',
  parameters: byId,
  data: Type.Object({ deleted: booleanType('Always true.', true) }),
  run: (ctx, { id }) =>
    ctx.transaction(async (ctx) => {
      const { timesSent } = await lockOwn(ctx, id)
      if (timesSent > 0) throw badRequest('A product that was sent cannot be deleted; its review is kept with it.')
      await queries.deleteProduct(ctx.db, id)
      return { data: { deleted: true } }
    }),
})

async function findOwn(ctx: Context, id: string) {
  return orNotFound(await queries.findProductOfUser(ctx.db, ctx.caller.id, id), 'Product')
}

/** The own product, locked until the transaction ends. Throws a 409 if it may not be changed now. */
async function lockOwn(ctx: TransactionContext, id: string): Promise<queries.ProductRow> {
  const product = await queries.findProductForUpdate(ctx.db, id)
  if (product?.userId !== ctx.caller.id) throw notFound('Product')
  if (!mayChange(product)) throw conflict(UNCHANGEABLE[product.state])
  return product
}

/** Only the founder changes the product, so a newer version was saved in another window. */
const checkOwnVersion = (ctx: TransactionContext, { id, version, updatedAt }: queries.ProductRow, ifVersion?: number) =>
  checkVersion(ctx, ifVersion, {
    ...{ name: 'product', version, subject: `review:${id}`, actions: [] },
    lastChange: { actor: 'you in another window', at: updatedAt },
  })

/** Why a product may not be changed, by state; empty for the states in which it always may. */
const UNCHANGEABLE: Record<queries.ProductRow['state'], string> = {
  reading: '',
  draft: '',
  waiting: 'It waits for review and cannot be changed now.',
  accepted: 'It is accepted. Claim the listing to change it.',
  refused: 'It was refused twice and cannot be sent again.',
}

/** When reading the site takes too long, the product is shown as a draft, so that the founder can fill in the form. */
const shownProduct = (ctx: Context, product: Awaited<ReturnType<typeof findOwn>>) => {
  const isLate =
    product.state === 'reading' && ctx.now().getTime() - product.createdAt.getTime() > READING_SECONDS * 1000
  return {
    ...product,
    state: isLate ? ('draft' as const) : product.state,
    note: isLate ? 'The site could not be read in time.' : product.note,
    mayChange: mayChange(product),
  }
}

export const ownProductOperations = [
  findProductAddress,
  startOwnProduct,
  listOwnProducts,
  getOwnProduct,
  saveOwnProduct,
  sendOwnProduct,
  discardOwnProduct,
]
