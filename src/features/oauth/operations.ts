// The grants of users to programs: those of all users for operators, and those of the signed-in user.
import { Type } from 'typebox'
import { orNotFound } from '../../kernel/errors.ts'
import { operationsFor, pageOperation } from '../../kernel/operation.ts'
import { listPage, offsetOf } from '../../kernel/schema.ts'
import { withdraw } from './grants.ts'
import { findGrant, selectGrants } from './queries.ts'
import * as schema from './schema.ts'

const operation = operationsFor('operator', 'Grants')

export const listGrants = operation({
  name: 'list_grants',
  summary: 'List grants',
  description:
    'The programs that users have allowed to read the catalog, newest first; all unless filtered, those that ended in the last 90 days too.',
  method: 'GET',
  path: '/grants',
  parameters: Type.Object({ ...schema.grantFilters, ...listPage }),
  data: Type.Array(schema.grantSchema),
  exampleFields: { restCalls: 0, endedAt: null, endedBy: null },
  run: async (ctx, input) => ({ data: await selectGrants(ctx.db, input, ctx.now(), input.limit, offsetOf(input)) }),
})

export const withdrawGrant = operation({
  name: 'withdraw_grant',
  summary: 'Withdraw a grant',
  description:
    'The tokens of the program fail on the next request here and within a second everywhere. Withdrawing it again changes nothing; the user can allow the program again.',
  method: 'DELETE',
  path: '/grants/:id',
  parameters: Type.Object({ id: schema.grantId }),
  data: schema.grantSchema,
  exampleFields: { restCalls: 0, endedAt: '2026-03-02T09:30:00.000Z', endedBy: 'operator' },
  run: async (ctx, { id }) => ({ data: await withdraw(ctx, id, 'operator') }),
})

export const grantOperations = [listGrants, withdrawGrant]

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
