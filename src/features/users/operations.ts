// Operator API: lists and changes users (plan, role, ban, partner), and makes sign-in links. It is not part of `features/accounts`, because a
// plan or a ban changes keys, and that feature must not import `features/keys`.
import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import type { TransactionContext } from '../../kernel/context.ts'
import { badRequest, invalid, orNotFound, unfit } from '../../kernel/errors.ts'
import { operationsFor } from '../../kernel/operation.ts'
import { problem } from '../../kernel/problem.ts'
import { booleanType, listPage, nullable, objectType, offsetOf, stringType, timestamp } from '../../kernel/schema.ts'
import { hoursText } from '../../kernel/values/text.ts'
import * as accounts from '../accounts/queries.ts'
import { LINK_HOURS } from '../accounts/rules.ts'
import { PLAN_LABELS, type Plan, plan, role, userFilters, userSchema } from '../accounts/schema.ts'
import { makeLink } from '../accounts/sign-in.ts'
import { versionGuard } from '../audit/schema.ts'
import { checkVersion } from '../audit/version-guard.ts'
import { changesAnything, writeAudit } from '../audit/write-audit.ts'
import { KEY_BUDGETS } from '../keys/budgets.rules.ts'
import { updateKeysToUserPlan } from '../keys/queries.ts'
import { tellUser } from '../mail/mail.ts'
import { findPartner } from '../partners/queries.ts'
import { DIRECT_ORDERS } from '../partners/rules.ts'

const operation = operationsFor('operator', 'Users')

const id = userSchema.properties.id
const WITHOUT_PARTNER = { partnerId: null }

const partnerReference = (description: string) =>
  nullable(stringType(description, '8c0c2b0e-5a1f-4f7e-8a4e-6a0f3f4d2c10', { maxLength: 100 }))

export const listUsers = operation({
  name: 'list_users',
  summary: 'List users',
  description: 'Users, newest first; all unless filtered.',
  method: 'GET',
  path: '/users',
  parameters: Type.Object({ ...userFilters, ...listPage }),
  data: Type.Array(userSchema),
  exampleFields: WITHOUT_PARTNER,
  run: async (ctx, input) => ({ data: await accounts.selectUsers(ctx.db, input, input.limit, offsetOf(input)) }),
})

export const getUser = operation({
  name: 'get_user',
  summary: 'One user',
  description: 'A user by identifier, as in the list of users.',
  method: 'GET',
  path: '/users/:id',
  parameters: Type.Object({ id }),
  data: userSchema,
  exampleFields: WITHOUT_PARTNER,
  run: async (ctx, input) => ({ data: orNotFound(await accounts.findUser(ctx.db, input.id), 'User') }),
})

export const changeUser = operation({
  name: 'change_user',
  summary: 'Change a user',
  description:
    'Changes the given fields; omitted fields stay. A plan is a grant: it holds for all keys of the user and for the programs that the user signed in to, and changes nothing about a plan that the user pays for; a ban stops them all at once, signs the user out everywhere and refuses new keys. Lifting the ban reactivates the keys, except revoked ones. The last administrator cannot be banned or demoted, and administrators cannot ban or demote themselves.',
  method: 'PATCH',
  path: '/users/:id',
  parameters: Type.Object({ id, ...versionGuard.parameters }),
  body: Type.Object({
    plan: Type.Optional(plan),
    role: Type.Optional(role),
    banned: Type.Optional(booleanType('true bans the user, false lifts the ban.', true)),
    partner: Type.Optional(partnerReference('Identifier of the partner that the user works for; null for none.')),
    partnerId: Type.Optional(partnerReference('Alias of partner: the field name in GET /users.')),
  }),
  data: userSchema,
  failures: [400, 404, ...versionGuard.failures],
  exampleFields: WITHOUT_PARTNER,
  run: async (ctx, input, body) => {
    const user = await ctx.transaction(async (ctx) => {
      const { partner: givenPartner, partnerId, plan: grantedPlan, ...others } = body
      const values = grantedPlan === undefined ? others : { ...others, grantedPlan }
      if (givenPartner !== undefined && partnerId !== undefined && givenPartner !== partnerId)
        throw unfit(
          'partner and partnerId are the same field and must not differ. Send one of them.',
          'partner',
          'partnerId',
        )
      const partner = givenPartner === undefined ? partnerId : givenPartner
      // A user of the built-in partner would see the orders of all founders.
      if (partner && (partner === DIRECT_ORDERS.id || !(await findPartner(ctx.db, partner))))
        throw invalid([
          problem(givenPartner === undefined ? 'partnerId' : 'partner', 'must be the identifier of a partner.'),
        ])
      if (body.role === 'user' || body.banned) await requireOtherAdministrator(ctx, input.id)
      const change = partner === undefined ? values : { ...values, partnerId: partner }
      const before = orNotFound(await accounts.findUserForUpdate(ctx.db, input.id), 'User')
      await checkVersion(ctx, input.ifVersion, {
        name: `user ${before.email}`,
        version: before.version,
        subject: `user:${before.id}`,
        actions: ['user.change'],
      })
      if (ctx.caller.id === before.id && body.banned) throw unfit('You cannot ban yourself.', 'banned')
      if (ctx.caller.id === before.id && body.role !== undefined && body.role !== before.role)
        throw unfit('You cannot take your own rights away.', 'role')
      // The plan of the user replaces plans that single keys had.
      const keysWithPlanRemoved = body.plan ? await updateKeysToUserPlan(ctx.db, before.id) : 0
      if (keysWithPlanRemoved === 0 && !changesAnything(before, change)) return before
      const changed = await accounts.updateUser(ctx.db, before.id, { ...change, updatedAt: ctx.now() })
      if (changed.banned) {
        await accounts.deleteSessionsOfUser(ctx.db, changed.id)
        await accounts.deleteLinksOfUser(ctx.db, changed.id)
      }
      await writeAudit(ctx, 'user.change', `user:${changed.id}`, body)
      await ctx.announce({ topic: 'users', ids: [changed.id] })
      if (changed.plan !== before.plan) await tellPlan(ctx, changed.id, changed.plan)
      return changed
    })
    return { data: user }
  },
})

export const createUserLink = operation({
  name: 'create_user_link',
  summary: 'Make a sign-in link',
  description: `Makes a link with which the user sets a password and is signed in. It works once, for ${hoursText(LINK_HOURS)}, and replaces earlier links. Hand it over in private: its holder can sign in as that user.`,
  method: 'POST',
  path: '/users/:id/link',
  parameters: Type.Object({ id }),
  data: objectType('A sign-in link.', {
    url: stringType('The link. It is shown only here.', 'https://catalog.example.com/link?token=…'),
    expiresAt: timestamp('When it stops working.'),
  }),
  failures: [400, 404],
  exampleFields: { expiresAt: '2026-03-02T09:30:00.000Z' },
  run: async (ctx, input) =>
    ctx.transaction(async (ctx) => {
      const user = orNotFound(await accounts.findUserForUpdate(ctx.db, input.id), 'User')
      if (user.banned) throw badRequest(`${user.email} is banned and gets no link. Lift the ban first.`)
      await writeAudit(ctx, 'user.link', `user:${user.id}`)
      return { data: await makeLink(ctx, user.id) }
    }),
})

export const userOperations = [listUsers, getUser, changeUser, createUserLink]

/** Sends a user the mail that says which plan the account has now, and what it allows. */
export const tellPlan = (ctx: TransactionContext, userId: string, plan: Plan): Promise<void> =>
  tellUser(ctx, {
    event: randomUUID(),
    kind: 'plan-changed',
    userId,
    details: { plan: PLAN_LABELS[plan], rest: String(KEY_BUDGETS.rest[plan]), mcp: String(KEY_BUDGETS.mcp[plan]) },
  })

/**
 * Refuses to remove, demote or ban the last administrator. Call it in the transaction of that change, before the change: the rows of all
 * administrators stay locked until the transaction ends, so of two concurrent transactions the second sees what the first did.
 */
export async function requireOtherAdministrator(ctx: TransactionContext, leavingId: string): Promise<void> {
  const [first, ...others] = await accounts.listAdministratorsForUpdate(ctx.db)
  if (first?.id === leavingId && others.length === 0)
    throw badRequest(`${first.email} is the only administrator. Promote another user first.`)
}
