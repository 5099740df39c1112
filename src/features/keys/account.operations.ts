// What somebody who is signed in may do. Whose it is comes from the caller and is part of every question.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { badRequest, forbidden, notFound } from '../../kernel/errors.ts'
import { operation } from '../../kernel/operation.ts'
import { keepAnAdministrator } from '../accounts/administrators.ts'
import * as accounts from '../accounts/queries.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import * as schema from './account.schema.ts'
import { generateSecret, issueOwnKey, noteShown, revoke } from './issue.ts'
import * as queries from './queries.ts'
import { KEY_BUDGETS, POLICY_VERSION } from './rules.ts'
import { listUsageOfUser } from './usage.queries.ts'

const TIME = '2026-03-01T09:30:00.000Z'
const DAY_MS = 24 * 3_600_000
const keyExample = {
  id: schema.KEY_ID,
  last4: 'x7Qa',
  name: 'Production',
  plan: 'standard',
  policyVersion: POLICY_VERSION,
  policyAgreedAt: TIME,
  createdAt: TIME,
  shownAt: TIME,
  revokedAt: null,
  lastUsedAt: TIME,
}

export const getAccount = operation({
  name: 'get_account',
  summary: 'The account of whoever is signed in',
  description: 'Address, plan, limits, ways of signing in and the partner the user works for.',
  group: 'Account',
  access: 'account',
  method: 'GET',
  path: '/account',
  parameters: Type.Object({}),
  data: schema.accountSchema,
  failures: [404],
  example: {
    success: true,
    data: {
      id: '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10',
      email: 'ada@example.com',
      plan: 'standard',
      role: 'user',
      limits: { rest: 10, mcp: 30 },
      signIn: ['password'],
      partner: null,
      createdAt: TIME,
    },
  },
  run: async (ctx) => {
    const user = await accounts.findUser(ctx.db, ctx.caller.id)
    if (!user) throw notFound('User')
    const providers = await accounts.listProvidersOfUser(ctx.db, user.id)
    const partner = user.partnerId ? await queries.findPartner(ctx.db, user.partnerId) : undefined
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

export const listOwnKeys = operation({
  name: 'list_own_keys',
  summary: 'List own keys',
  description: 'The keys of whoever is signed in, revoked ones too, newest first.',
  group: 'Account',
  access: 'account',
  method: 'GET',
  path: '/account/keys',
  parameters: Type.Object({}),
  data: Type.Array(schema.ownKeySchema),
  example: { success: true, data: [keyExample] },
  run: async (ctx) => ({ data: await queries.listKeysOfUser(ctx.db, ctx.caller.id) }),
})

export const getOwnKey = operation({
  name: 'get_own_key',
  summary: 'One own key',
  description: "A key of whoever is signed in. Somebody else's is not found.",
  group: 'Account',
  access: 'account',
  method: 'GET',
  path: '/account/keys/:id',
  parameters: Type.Object({ id: schema.keyId }),
  data: schema.ownKeySchema,
  failures: [404],
  example: { success: true, data: keyExample },
  run: async (ctx, input) => {
    const key = await queries.findKeyOfUser(ctx.db, ctx.caller.id, input.id)
    if (!key) throw notFound('Key')
    return { data: key }
  },
})

export const createOwnKey = operation({
  name: 'create_own_key',
  summary: 'Make a key',
  description:
    'Makes a catalog key for whoever is signed in, after agreeing to the acceptable-use policy; which version and when is recorded. At most 10 live keys a user.',
  group: 'Account',
  access: 'account',
  bucket: 'keys',
  method: 'POST',
  path: '/account/keys',
  status: 201,
  parameters: Type.Object({}),
  body: schema.ownNewKeyBody,
  data: schema.ownNewKeySchema,
  failures: [400],
  example: {
    success: true,
    data: {
      id: schema.KEY_ID,
      key: 'aid_…',
      last4: 'x7Qa',
      name: 'Production',
      plan: 'standard',
      owner: 'ada@example.com',
      createdAt: TIME,
    },
  },
  run: async (ctx, _input, body) => {
    if (!body.agree) throw badRequest('A key needs your agreement to the acceptable-use policy.')
    const key = await issueOwnKey(ctx, ctx.caller.id, body.name.trim())
    return { data: key, sent: () => noteShown(ctx, key.id) }
  },
})

export const revokeOwnKey = operation({
  name: 'revoke_own_key',
  summary: 'Revoke an own key',
  description: 'The key fails on the next request here and within a second everywhere.',
  group: 'Account',
  access: 'account',
  method: 'DELETE',
  path: '/account/keys/:id',
  parameters: Type.Object({ id: schema.keyId }),
  data: schema.ownKeySchema,
  failures: [404],
  example: { success: true, data: { ...keyExample, revokedAt: TIME } },
  run: async (ctx, input) => {
    const key = await ctx.transaction(async (ctx) => {
      await revoke(ctx, input.id, ctx.caller.id)
      return (await queries.findKeyOfUser(ctx.db, ctx.caller.id, input.id))!
    })
    ctx.keys.drop({ keyId: input.id })
    return { data: key }
  },
})

export const listOwnUsage = operation({
  name: 'list_own_usage',
  summary: 'Calls by key and day',
  description: `Charged calls of the user's keys in the last ${schema.USAGE_DAYS} days, by key, day and surface. Counted within seconds.`,
  group: 'Account',
  access: 'account',
  method: 'GET',
  path: '/account/usage',
  parameters: Type.Object({}),
  data: Type.Array(schema.usageSchema),
  example: { success: true, data: [{ keyId: schema.KEY_ID, day: '2026-03-01', surface: 'rest', calls: 120 }] },
  run: async (ctx) => {
    const since = new Date(ctx.now().getTime() - (schema.USAGE_DAYS - 1) * DAY_MS).toISOString().slice(0, 10)
    return { data: await listUsageOfUser(ctx.db, ctx.caller.id, since) }
  },
})

export const deleteAccount = operation({
  name: 'delete_account',
  summary: 'Delete the own account',
  description:
    'Removes the user with all keys, sessions and counts, after asking for the password where there is one. What was done stays in the audit log. It cannot be undone.',
  group: 'Account',
  access: 'account',
  method: 'DELETE',
  path: '/account',
  parameters: Type.Object({}),
  body: schema.deleteAccountBody,
  data: Type.Object({ deleted: Type.Boolean({ description: 'true.', examples: [true] }) }, { description: 'Done.' }),
  failures: [400],
  example: { success: true, data: { deleted: true } },
  run: async (ctx, _input, { sure, current = '' }) => {
    const userId = ctx.caller.id
    if (!sure) throw badRequest('Say that it is to be deleted for good.')
    const user = await accounts.findUser(ctx.db, userId)
    const providers = await accounts.listProvidersOfUser(ctx.db, userId)
    // A session alone does not prove that the person is its user: a browser may have been left open.
    if (user && providers.includes('credential') && !(await ctx.signIn.signIn(user.email, current)))
      throw badRequest('The password is another.')
    await ctx.transaction(async (ctx) => {
      await keepAnAdministrator(ctx, userId)
      await queries.deleteKeysOfUser(ctx.db, userId)
      await accounts.deleteUser(ctx.db, userId)
      await insertAudit(ctx.db, auditEntry(ctx, 'account.delete', `user:${userId}`))
      await ctx.announce({ topic: 'users', ids: [userId] })
    })
    ctx.keys.drop({ userId })
    return { data: { deleted: true } }
  },
})

export const rotateOwnSecret = operation({
  name: 'rotate_own_secret',
  summary: "Replace the signing secret of the user's partner",
  description: 'Makes a new signing secret and shows it once. Events are signed with it from now on.',
  group: 'Account',
  access: 'account',
  method: 'POST',
  path: '/account/partner/rotate-secret',
  parameters: Type.Object({}),
  data: schema.ownSecretSchema,
  failures: [403],
  example: { success: true, data: { webhookSecret: 'whsec_…' } },
  run: async (ctx) => {
    const webhookSecret = generateSecret()
    await ctx.transaction(async (ctx) => {
      const { id } = await partnerOfCaller(ctx)
      await queries.updatePartner(ctx.db, id, { webhookSecret, updatedAt: ctx.now() })
      await insertAudit(ctx.db, auditEntry(ctx, 'partner.rotate-secret', `partner:${id}`))
      await ctx.announce({ topic: 'partners', ids: [id] })
    })
    return { data: { webhookSecret } }
  },
})

/** The partner that whoever is signed in works for, or a 403. */
export async function partnerOfCaller(ctx: Context): Promise<queries.PartnerRow> {
  const partner = ctx.caller.clientId ? await queries.findPartner(ctx.db, ctx.caller.clientId) : undefined
  if (!partner || partner.banned) throw forbidden('This is for the people of a partner.')
  return partner
}

export const ownOperations = [
  getAccount,
  listOwnKeys,
  getOwnKey,
  createOwnKey,
  revokeOwnKey,
  listOwnUsage,
  deleteAccount,
  rotateOwnSecret,
]
