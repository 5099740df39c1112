// Operator API: the grants of users to programs.
import { Type } from 'typebox'
import { operationsFor } from '../../kernel/operation.ts'
import { listPage, offsetOf } from '../../kernel/schema.ts'
import { withdraw } from './grants.ts'
import { selectGrants } from './queries.ts'
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
