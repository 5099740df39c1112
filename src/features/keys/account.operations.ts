// Operations of a signed-in user. Every query is limited to that user, who is the caller.
import { Type } from 'typebox'
import { badRequest, orNotFound } from '../../kernel/errors.ts'
import { pageOperation } from '../../kernel/operation.ts'
import * as accounts from '../accounts/queries.ts'
import { findPartner } from '../partners/queries.ts'
import * as schema from './account.schema.ts'
import { KEY_BUDGETS } from './budgets.rules.ts'
import { listCallsOfUser, listOutcomesOfUser } from './calls.queries.ts'
import { callsSince } from './calls.ts'
import { issueOwnKey, noteShown, revokeIssued } from './issue.ts'
import * as queries from './queries.ts'
import { rotateOwnKey } from './rotation.operations.ts'
import { listUsageOfUser } from './usage.queries.ts'

export const getAccount = pageOperation({
  name: 'get_account',
  summary: 'The account of the signed-in user',
  data: schema.accountSchema,
  run: async (ctx) => {
    const user = orNotFound(await accounts.findUser(ctx.db, ctx.caller.id), 'User')
    const providers = await accounts.listProvidersOfUser(ctx.db, user.id)
    const partner = user.partnerId ? await findPartner(ctx.db, user.partnerId) : undefined
    return {
      data: {
        ...user,
        limits: { rest: KEY_BUDGETS.rest[user.plan], mcp: KEY_BUDGETS.mcp[user.plan] },
        signIn: providers.map((provider) => (provider === 'credential' ? ('password' as const) : ('github' as const))),
        partner: partner && !partner.banned ? partner : null,
      },
    }
  },
})

export const listOwnKeys = pageOperation({
  name: 'list_own_keys',
  summary: 'List own keys',
  data: Type.Array(schema.ownKeySchema),
  run: async (ctx) => ({ data: await queries.listKeysOfUser(ctx.db, ctx.caller.id) }),
})

export const getOwnKey = pageOperation({
  name: 'get_own_key',
  summary: 'One own key',
  parameters: Type.Object({ id: schema.keyId }),
  data: schema.ownKeySchema,
  run: async (ctx, input) => ({
    data: orNotFound(await queries.findKeyOfUser(ctx.db, ctx.caller.id, input.id), 'Key'),
  }),
})

export const createOwnKey = pageOperation({
  name: 'create_own_key',
  summary: 'Make a key',
  bucket: 'keys',
  body: schema.ownNewKeyBody,
  data: schema.ownNewKeySchema,
  run: async (ctx, _input, body) => {
    if (!body.agree) throw badRequest('A key needs your agreement to the acceptable-use policy.')
    const key = await issueOwnKey(ctx, ctx.caller.id, body.name)
    return { data: key, sent: () => noteShown(ctx, key.id) }
  },
})

export const revokeOwnKey = pageOperation({
  name: 'revoke_own_key',
  summary: 'Revoke an own key',
  parameters: Type.Object({ id: schema.keyId }),
  data: schema.ownKeySchema,
  run: async (ctx, input) => {
    const key = await ctx.transaction(async (ctx) => {
      await revokeIssued(ctx, input.id, ctx.caller.id)
      return orNotFound(await queries.findKeyOfUser(ctx.db, ctx.caller.id, input.id), 'Key')
    })
    return { data: key }
  },
})

export const listOwnUsage = pageOperation({
  name: 'list_own_usage',
  summary: 'Calls by key and day',
  data: Type.Array(schema.usageSchema),
  run: async (ctx) => {
    return { data: await listUsageOfUser(ctx.db, ctx.caller.id, schema.usageSince(ctx.now())) }
  },
})

const keyFilter = Type.Object({ key: Type.Optional(schema.keyId) })

export const listOwnCalls = pageOperation({
  name: 'list_own_calls',
  summary: 'The latest calls of own keys',
  parameters: keyFilter,
  data: Type.Array(schema.callSchema),
  run: async (ctx, input) => {
    const which = { keyId: input.key, since: callsSince(ctx.now()), limit: schema.LATEST_CALLS }
    return { data: await listCallsOfUser(ctx.db, ctx.caller.id, which) }
  },
})

export const listOwnOutcomes = pageOperation({
  name: 'list_own_outcomes',
  summary: 'How the calls of own keys ended, by day and operation',
  parameters: keyFilter,
  data: Type.Array(schema.outcomeSchema),
  run: async (ctx, input) => ({
    data: await listOutcomesOfUser(ctx.db, ctx.caller.id, schema.usageSince(ctx.now()), input.key),
  }),
})

export const ownOperations = [
  getAccount,
  listOwnKeys,
  getOwnKey,
  createOwnKey,
  revokeOwnKey,
  listOwnUsage,
  listOwnCalls,
  listOwnOutcomes,
  rotateOwnKey,
]
