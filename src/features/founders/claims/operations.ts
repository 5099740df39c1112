// The owners of listings for operators, and claiming a listing as a signed-in user: begin, prove, give up.
import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { orderedId } from '../../../kernel/database/ordered-id.ts'
import { lockText } from '../../../kernel/database/queries.ts'
import { badRequest, conflict, notFound, orNotFound } from '../../../kernel/errors.ts'
import { operationsFor, pageOperation } from '../../../kernel/operation.ts'
import { booleanType, listPage, nullable, offsetOf, oneOf, stringType, timestamp } from '../../../kernel/schema.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { CLAIMS_TOPIC, endClaim, findProof, storeFoundProof, type ToolOfClaim } from './proof.ts'
import * as queries from './queries.ts'
import { CLAIM_STATES, hasMoved, MOST_OWNERS, MOST_UNPROVEN, type ProofMethod, proofScope } from './rules.ts'
import { CLAIM_ID, lookSchema, ownClaimSchema, ownerExample, ownerSchema } from './schema.ts'

const operation = operationsFor('operator', 'Founders')

export const listOwners = operation({
  name: 'list_owners',
  summary: 'Owners of listings',
  description:
    'Accounts that have proven that a listing is their own, newest first; with a state, those that have begun a claim and not proven it.',
  method: 'GET',
  path: '/owners',
  parameters: Type.Object({
    tool: Type.Optional(stringType('Slug or id of a tool: only its owners.', 'acme-writer', { maxLength: 200 })),
    state: oneOf(CLAIM_STATES, { default: 'proven', description: 'Only this state.', examples: ['proven'] }),
    ...listPage,
  }),
  data: Type.Array(ownerSchema),
  example: { success: true, data: [ownerExample] },
  tool: {
    description: 'Accounts that have proven a listing as their own.',
    shows: ['id', 'tool', 'user', 'method', 'provenAt', 'failedAt'],
  },
  run: async (ctx, { tool, state, ...page }) => ({
    data: await queries.selectOwners(ctx.db, { tool, state }, page.limit, offsetOf(page)),
  }),
})

export const removeOwner = operation({
  name: 'remove_owner',
  summary: 'Remove an owner',
  description:
    'Ends the claim of an account. The account may claim the listing again, with another token: the one that its site shows proves nothing more.',
  method: 'DELETE',
  path: '/owners/:id',
  parameters: Type.Object({ id: stringType('Identifier of the owner.', CLAIM_ID) }),
  data: ownerSchema,
  example: { success: true, data: ownerExample },
  tool: { description: 'End the claim of an account to a listing.', isFinal: true, shows: ['id', 'tool', 'user'] },
  run: (ctx, { id }) =>
    ctx.transaction(async (ctx) => {
      const claim = await queries.findClaimForUpdate(ctx.db, id)
      const owner = await queries.findOwner(ctx.db, id)
      if (!owner || !claim) throw notFound('Owner')
      await endClaim(ctx, claim)
      await writeAudit(ctx, 'owner.remove', `tool:${owner.tool.slug}`, { user: owner.user.id })
      return { data: owner }
    }),
})

export const ownerOperations = [listOwners, removeOwner]

const bySlug = Type.Object({ slug: stringType('Slug of the tool.', 'acme-writer') })

export const getOwnClaim = pageOperation({
  name: 'get_own_claim',
  parameters: bySlug,
  data: ownClaimSchema,
  run: async (ctx, { slug }) => ({ data: await shownClaim(ctx, await findClaimable(ctx, slug)) }),
})

export const startClaim = pageOperation({
  name: 'start_claim',
  parameters: bySlug,
  data: ownClaimSchema,
  run: (ctx, { slug }) =>
    ctx.transaction(async (ctx) => {
      const tool = await findClaimable(ctx, slug)
      if (ctx.founders.mode === 'off') throw badRequest('This service takes no claims.')
      if (!proofScope(tool.website)) throw badRequest('The listing has no website, so no one can prove to own it.')
      await lockText(ctx.db, `founder:${ctx.caller.id}`)
      if (!(await queries.findClaim(ctx.db, ctx.caller.id, tool.id))) {
        await queries.deleteOldUnproven(ctx.db, ctx.caller.id, MOST_UNPROVEN - 1)
        await queries.insertClaim(ctx.db, {
          id: orderedId(),
          userId: ctx.caller.id,
          toolId: tool.id,
          // 128 bits, so that no one can guess the token of another account.
          token: randomBytes(16).toString('hex'),
          createdAt: ctx.now(),
        })
      }
      return { data: await shownClaim(ctx, tool) }
    }),
})

export const proveClaim = pageOperation({
  name: 'prove_claim',
  bucket: 'submit',
  parameters: bySlug,
  data: lookSchema,
  run: async (ctx, { slug }) => {
    const tool = await findClaimable(ctx, slug)
    const claim = await queries.findClaim(ctx.db, ctx.caller.id, tool.id)
    if (!claim) throw conflict('Begin the claim first; its token may have been replaced.')
    // Requests to the site take seconds, so they are made outside of a transaction.
    const found = await findProof(ctx, tool, claim.token)
    const { method } = found
    if (method) await ctx.transaction((ctx) => storeProof(ctx, { claim, tool, method }))
    return { data: found }
  },
})

async function storeProof(
  ctx: TransactionContext,
  { claim, tool, method }: { claim: queries.ClaimRow; tool: ToolOfClaim & { id: string }; method: ProofMethod },
): Promise<void> {
  // Claims of one listing wait for each other, so that it never has more owners than it may have.
  await lockText(ctx.db, `claims:${tool.id}`)
  const current = await queries.findClaimForUpdate(ctx.db, claim.id)
  const listed = await queries.findClaimable(ctx.db, ctx.caller.id, tool.slug)
  // An administrator may have ended the claim or changed the listing while the site was asked.
  if (current?.token !== claim.token || listed?.id !== tool.id || listed.website !== tool.website)
    throw conflict('The claim or the listing was changed meanwhile. Look at it and try again.')
  if (!current.provenAt && (await queries.countOwners(ctx.db, tool.id)) >= MOST_OWNERS)
    throw badRequest(
      `The listing has ${MOST_OWNERS} owners, which is the most. Ask the operator if one of them is wrong.`,
    )
  await storeFoundProof(ctx, current, tool, method)
  if (!current.provenAt) await writeAudit(ctx, 'claim.prove', `tool:${tool.slug}`, { method })
  await ctx.announce({ topic: CLAIMS_TOPIC })
}

export const endOwnClaim = pageOperation({
  name: 'end_own_claim',
  parameters: bySlug,
  data: Type.Object({ ended: booleanType('Always true.', true) }),
  run: (ctx, { slug }) =>
    ctx.transaction(async (ctx) => {
      const tool = await findClaimable(ctx, slug)
      const claim = orNotFound(await queries.findClaim(ctx.db, ctx.caller.id, tool.id), 'Claim')
      await endClaim(ctx, claim)
      if (claim.provenAt) await writeAudit(ctx, 'claim.end', `tool:${tool.slug}`)
      return { data: { ended: true } }
    }),
})

export const listOwnClaims = pageOperation({
  name: 'list_own_claims',
  data: Type.Array(
    Type.Object({
      tool: ownClaimSchema.properties.tool,
      icon: nullable(stringType('The logo.', 'https://catalog.example.com/media/acme.png')),
      published: booleanType('Whether readers see it.', true),
      provenAt: timestamp('Since when the user owns it.'),
      failedAt: nullable(timestamp('When the proof was first not found.')),
    }),
  ),
  run: async (ctx) => {
    const rows = await queries.selectOwnClaims(ctx.db, ctx.caller.id)
    return { data: rows.flatMap(({ provenAt, ...row }) => (provenAt ? [{ ...row, provenAt }] : [])) }
  },
})

/** Throws a 404 for a listing that neither readers see nor the caller owns. */
async function findClaimable(ctx: Context, slug: string) {
  return orNotFound(await queries.findClaimable(ctx.db, ctx.caller.id, slug), 'Tool')
}

async function shownClaim(ctx: Context, tool: Awaited<ReturnType<typeof findClaimable>>) {
  const claim = await queries.findClaim(ctx.db, ctx.caller.id, tool.id)
  const scope = proofScope(tool.website)
  return {
    tool: { slug: tool.slug, name: tool.name },
    website: tool.website,
    host: scope?.host ?? '',
    domain: scope?.domain ?? '',
    token: claim?.token ?? null,
    isOwner: Boolean(claim?.provenAt),
    mustProve: claim?.provenAt ? claim.failedAt !== null || hasMoved(claim.website, tool.website) : false,
    failedAt: claim?.failedAt ?? null,
    method: claim?.method ?? null,
    isFull: (await queries.countOwners(ctx.db, tool.id)) >= MOST_OWNERS,
  }
}

export const ownClaimOperations = [getOwnClaim, startClaim, proveClaim, endOwnClaim, listOwnClaims]
