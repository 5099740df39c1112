// Operations of a signed-in user: the account, its keys and their calls, and the keys of the user's partner. Every query is limited to that
// user, who is the caller, or to the partner of that user.
import { Type } from 'typebox'
import { badRequest, notFound, orNotFound } from '../../kernel/errors.ts'
import { pageOperation } from '../../kernel/operation.ts'
import { objectType } from '../../kernel/schema.ts'
import * as accounts from '../accounts/queries.ts'
import { findPartner } from '../partners/queries.ts'
import { partnerOfCaller } from '../partners/webhook-settings.operations.ts'
import { KEY_BUDGETS, MAX_PARTNER_KEYS } from './budgets.rules.ts'
import { issueOwnKey, issuePartnerKey, noteShown, revokeIssued } from './issue.ts'
import { rotateOwnKey } from './operations.ts'
import * as queries from './queries.ts'
import * as schema from './schema.ts'
import { keySchema, newKeySchema, newPartnerKeySchema } from './schema.ts'
import { listCallsOfUser, listOutcomesOfUser, listUsageOfUser } from './usage/queries.ts'
import { callsSince } from './usage/usage.ts'

export const getAccount = pageOperation({
  name: 'get_account',
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
  data: Type.Array(schema.ownKeySchema),
  run: async (ctx) => ({ data: await queries.listKeysOfUser(ctx.db, ctx.caller.id) }),
})

export const getOwnKey = pageOperation({
  name: 'get_own_key',
  parameters: Type.Object({ id: schema.keyId }),
  data: schema.ownKeySchema,
  run: async (ctx, input) => ({
    data: orNotFound(await queries.findKeyOfUser(ctx.db, ctx.caller.id, input.id), 'Key'),
  }),
})

export const createOwnKey = pageOperation({
  name: 'create_own_key',
  bucket: 'keys',
  body: schema.ownNewKeyBody,
  data: newKeySchema,
  run: async (ctx, _input, body) => {
    if (!body.agree) throw badRequest('A key needs your agreement to the acceptable-use policy.')
    const key = await issueOwnKey(ctx, ctx.caller.id, body.name)
    return { data: key, sent: () => noteShown(ctx, key.id) }
  },
})

export const revokeOwnKey = pageOperation({
  name: 'revoke_own_key',
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
  data: Type.Array(schema.usageSchema),
  run: async (ctx) => ({ data: await listUsageOfUser(ctx.db, ctx.caller.id, schema.usageSince(ctx.now())) }),
})

const keyFilter = Type.Object({ key: Type.Optional(schema.keyId) })

export const listOwnCalls = pageOperation({
  name: 'list_own_calls',
  parameters: keyFilter,
  data: Type.Array(schema.callSchema),
  run: async (ctx, input) => {
    const which = { keyId: input.key, since: callsSince(ctx.now()), limit: schema.LATEST_CALLS }
    return { data: await listCallsOfUser(ctx.db, ctx.caller.id, which) }
  },
})

export const listOwnOutcomes = pageOperation({
  name: 'list_own_outcomes',
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

// Users of a partner see all of its live keys. They make and revoke only test keys, because the operator hands over a live key.

const partnerKeySchema = objectType(
  'A key of the partner, without the key itself.',
  Type.Pick(keySchema, ['id', 'last4', 'test', 'createdAt', 'shownAt', 'revokedAt', 'endsAt', 'lastUsedAt']).properties,
)

// While a key is replaced, both it and the new one are live.
const MOST_LIVE = 4 * MAX_PARTNER_KEYS

export const listOwnPartnerKeys = pageOperation({
  name: 'list_own_partner_keys',
  data: Type.Array(partnerKeySchema),
  run: async (ctx) => {
    const partner = await partnerOfCaller(ctx)
    return { data: await queries.selectKeys(ctx.db, { partner: partner.id, live: true }, MOST_LIVE, 0) }
  },
})

export const createOwnTestKey = pageOperation({
  name: 'create_own_test_key',
  bucket: 'keys',
  data: newPartnerKeySchema,
  run: async (ctx) => {
    const key = await issuePartnerKey(ctx, (await partnerOfCaller(ctx)).id, { test: true })
    return { data: key, sent: () => noteShown(ctx, key.id) }
  },
})

export const revokeOwnTestKey = pageOperation({
  name: 'revoke_own_test_key',
  parameters: Type.Object({ id: schema.keyId }),
  data: Type.Object({ id: keySchema.properties.id }),
  run: (ctx, input) =>
    ctx.transaction(async (ctx) => {
      const partner = await partnerOfCaller(ctx)
      const [key] = await queries.selectKeys(ctx.db, { id: input.id, partner: partner.id }, 1, 0)
      if (!key?.test) throw notFound('Test key')
      await revokeIssued(ctx, key.id)
      return { data: { id: key.id } }
    }),
})

export const ownPartnerKeyOperations = [listOwnPartnerKeys, createOwnTestKey, revokeOwnTestKey]
