// The grants of the signed-in user.
import { Type } from 'typebox'
import { orNotFound } from '../../kernel/errors.ts'
import { pageOperation } from '../../kernel/operation.ts'
import { withdraw } from './grants.ts'
import { findGrant, selectGrants } from './queries.ts'
import * as schema from './schema.ts'

/** More than a user has in 90 days, after which ended grants are deleted. */
const MOST_LISTED = 200

export const listOwnGrants = pageOperation({
  name: 'list_own_grants',
  data: Type.Array(schema.ownGrantSchema),
  run: async (ctx) => ({ data: await selectGrants(ctx.db, { user: ctx.caller.id }, ctx.now(), MOST_LISTED, 0) }),
})

export const getOwnGrant = pageOperation({
  name: 'get_own_grant',
  parameters: Type.Object({ id: schema.grantId }),
  data: schema.ownGrantSchema,
  run: async (ctx, { id }) => ({
    data: orNotFound(await findGrant(ctx.db, { id, user: ctx.caller.id }, ctx.now()), 'Grant'),
  }),
})

export const withdrawOwnGrant = pageOperation({
  name: 'withdraw_own_grant',
  parameters: Type.Object({ id: schema.grantId }),
  data: schema.ownGrantSchema,
  run: async (ctx, { id }) => ({ data: await withdraw(ctx, id, 'user', ctx.caller.id) }),
})

export const ownGrantOperations = [listOwnGrants, getOwnGrant, withdrawOwnGrant]
