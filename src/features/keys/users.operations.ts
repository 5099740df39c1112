// Operator API: users. It stands here because a plan or a ban changes keys, and accounts know nothing of keys.
import { Type } from 'typebox'
import { notFound } from '../../kernel/errors.ts'
import { operation } from '../../kernel/operation.ts'
import { listPage, offsetOf } from '../../kernel/paging.ts'
import * as accounts from '../accounts/queries.ts'
import { plan, role, userExample, userSchema } from '../accounts/schema.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { updateKeysToUserPlan } from './queries.ts'

export const listUsers = operation({
  name: 'list_users',
  summary: 'List users',
  description: 'All users, newest first.',
  group: 'Users',
  access: 'operator',
  method: 'GET',
  path: '/users',
  parameters: Type.Object(listPage),
  data: Type.Array(userSchema),
  example: { success: true, data: [userExample] },
  run: async (ctx, input) => ({ data: await accounts.listUsers(ctx.db, input.limit, offsetOf(input)) }),
})

export const changeUser = operation({
  name: 'change_user',
  summary: 'Change a user',
  description:
    'Changes the given fields; what is omitted stays. A plan holds for all keys of the user; a ban stops them all at once and refuses new ones.',
  group: 'Users',
  access: 'operator',
  method: 'PATCH',
  path: '/users/:id',
  parameters: Type.Object({ id: Type.String({ description: 'Identifier of the user.', examples: [userExample.id] }) }),
  body: Type.Object({
    plan: Type.Optional(plan),
    role: Type.Optional(role),
    banned: Type.Optional(Type.Boolean({ description: 'true bans the user, false lifts the ban.', examples: [true] })),
  }),
  data: userSchema,
  failures: [400, 404],
  example: { success: true, data: userExample },
  run: async (ctx, input, body) => {
    const user = await ctx.transaction(async (ctx) => {
      const changed = await accounts.updateUser(ctx.db, input.id, { ...body, updatedAt: ctx.now() })
      if (!changed) throw notFound('User')
      if (body.plan) await updateKeysToUserPlan(ctx.db, changed.id)
      await insertAudit(ctx.db, auditEntry(ctx, 'user.change', `user:${changed.id}`, body))
      await ctx.announce({ topic: 'users', ids: [changed.id] })
      return changed
    })
    if (user.banned) ctx.keys.drop({ userId: user.id })
    await ctx.keys.hear({ topic: 'users', ids: [user.id] })
    return { data: user }
  },
})

export const userOperations = [listUsers, changeUser]
