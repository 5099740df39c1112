// Operator API: the owners of listings.

import { Type } from 'typebox'
import { notFound } from '../../../kernel/errors.ts'
import { operationsFor } from '../../../kernel/operation.ts'
import { listPage, offsetOf, oneOf, stringType } from '../../../kernel/schema.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { endClaim } from './outcome.ts'
import * as queries from './queries.ts'
import { CLAIM_STATES } from './rules.ts'
import { CLAIM_ID, ownerExample, ownerSchema } from './schema.ts'

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
