// The grants of the signed-in user.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { orNotFound } from '../../kernel/errors.ts'
import { pageOperation } from '../../kernel/operation.ts'
import { withdraw } from './grants.ts'
import { selectGrants } from './queries.ts'
import * as schema from './schema.ts'

/** More than a user has in 90 days, after which ended grants are deleted. */
const MOST_LISTED = 200

const findOwn = async (ctx: Context, id: string) =>
  (await selectGrants(ctx.db, { id, user: ctx.caller.id }, ctx.now(), 1, 0))[0]

export const listOwnGrants = pageOperation({
  name: 'list_own_grants',
  data: Type.Array(schema.ownGrantSchema),
  run: async (ctx) => ({ data: await selectGrants(ctx.db, { user: ctx.caller.id }, ctx.now(), MOST_LISTED, 0) }),
})

export const getOwnGrant = pageOperation({
  name: 'get_own_grant',
  parameters: Type.Object({ id: schema.grantId }),
  data: schema.ownGrantSchema,
  run: async (ctx, { id }) => ({ data: orNotFound(await findOwn(ctx, id), 'Grant') }),
})

export const withdrawOwnGrant = pageOperation({
  name: 'withdraw_own_grant',
  parameters: Type.Object({ id: schema.grantId }),
  data: schema.ownGrantSchema,
  run: async (ctx, { id }) => ({ data: await withdraw(ctx, id, 'user', (ctx) => findOwn(ctx, id), ctx.caller.id) }),
})

export const ownGrantOperations = [listOwnGrants, getOwnGrant, withdrawOwnGrant]
