// Creates and revokes keys, and creates partners: for the operator API, the dashboard and the first start of the demo.
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { orderedId } from '../../kernel/database/ordered-id.ts'
import { badRequest, orNotFound } from '../../kernel/errors.ts'
import { findUserForUpdate, insertOrFindUser, type UserRow } from '../accounts/queries.ts'
import type { Plan } from '../accounts/schema.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { tellUser } from '../mail/mail.ts'
import { findPartnerForUpdate, insertPartner, type PartnerRow } from '../partners/queries.ts'
import { DIRECT_ORDERS, newPartner, planLimitsOf } from '../partners/rules.ts'
import { MAX_LIVE_KEYS, MAX_PARTNER_KEYS } from './budgets.rules.ts'
import * as queries from './queries.ts'
import { generateKey, type KeyKind, POLICY_VERSION } from './rules.ts'

/** Either the owner agreed to the policy, or the operator who issues the key vouches for it. */
interface Agreement {
  policyAgreedAt: Date | null
  policyVouchedBy: string | null
}

const vouchedForByCaller = ({ caller }: Context): Agreement => ({ policyAgreedAt: null, policyVouchedBy: caller.label })

/** Creates the user if there is none. The plan is stored with the key only if it differs from the plan granted to the user. */
export async function issueKey(
  ctx: Context,
  { email, name = '', plan }: { email: string; name?: string; plan?: Plan },
) {
  return ctx.transaction(async (ctx) => {
    const user = await findOrCreateUser(ctx, email.toLowerCase(), plan ?? 'standard')
    return createUserKey(ctx, user, name, plan, vouchedForByCaller(ctx))
  })
}

/** A key that a signed-in user creates. It has the user's plan. */
export async function issueOwnKey(ctx: Context, userId: string, name: string) {
  return ctx.transaction(async (ctx) => {
    const user = orNotFound(await findUserForUpdate(ctx.db, userId), 'User')
    return createUserKey(ctx, user, name, undefined, { policyAgreedAt: ctx.now(), policyVouchedBy: null })
  })
}

export function refuseBanned({ banned }: { banned: boolean }, name: string): void {
  if (banned) throw badRequest(`${name} is banned and gets no new key. Lift the ban first.`)
}

/** The user's row must be locked, so that concurrent requests cannot exceed the limit of live keys. */
async function createUserKey(
  ctx: TransactionContext,
  user: UserRow,
  name: string,
  plan: Plan | undefined,
  agreement: Agreement,
) {
  refuseBanned(user, user.email)
  if ((await queries.listNotEndedKeysOfUser(ctx.db, user.id)).length >= MAX_LIVE_KEYS)
    throw badRequest(`${user.email} has ${MAX_LIVE_KEYS} live keys, the most a user may have. Revoke one first.`)
  const ownPlan = plan !== undefined && plan !== user.grantedPlan ? plan : null
  const key = await storeKey(ctx, 'catalog', { name, userId: user.id, partnerId: null, plan: ownPlan, ...agreement })
  const effectivePlan = user.paidPlan === 'premium' ? user.paidPlan : (ownPlan ?? user.plan)
  await writeAudit(ctx, 'key.create', `key:${key.id}`, { owner: user.email, plan: effectivePlan, name })
  const details = { name, last4: key.last4 }
  await tellUser(ctx, { event: key.id, kind: 'key-created', userId: user.id, details })
  return { ...key, name, plan: effectivePlan, owner: user.email }
}

/** Creates a partner with its first key. */
export async function issuePartner(
  ctx: Context,
  given: Pick<PartnerRow, 'name' | 'contactEmail' | 'webhookUrl' | 'support'>,
) {
  return ctx.transaction(async (ctx) => {
    const partner = newPartner({ ...given, id: orderedId() }, ctx.now())
    await insertPartner(ctx.db, partner)
    await ctx.announce({ topic: 'partners', ids: [partner.id] })
    const fields = { name: given.name, userId: null, partnerId: partner.id, plan: null }
    const key = await storeKey(ctx, 'partner', { ...fields, ...vouchedForByCaller(ctx) })
    await writeAudit(ctx, 'partner.create', `partner:${partner.id}`, { name: given.name, support: given.support })
    return { ...partner, plan: planLimitsOf(partner), key: key.key, last4: key.last4, keyId: key.id }
  })
}

/** One more key for a partner; with `test`, a key to its sandbox. Earlier keys work until they are revoked. */
export async function issuePartnerKey(ctx: Context, partnerId: string, { test }: { test: boolean }) {
  return ctx.transaction(async (ctx) => {
    const partner = orNotFound(await findPartnerForUpdate(ctx.db, partnerId), 'Partner')
    if (partner.id === DIRECT_ORDERS.id)
      throw badRequest(`${partner.name} is built in and has no keys: founders order in their dashboard.`)
    refuseBanned(partner, partner.name)
    if ((await queries.countNotEndedKeysOfPartner(ctx.db, partnerId, test)) >= MAX_PARTNER_KEYS)
      throw badRequest(
        `${partner.name} has ${MAX_PARTNER_KEYS} live ${test ? 'test ' : ''}keys, the most a partner may have. Revoke one first.`,
      )
    const fields = { name: partner.name, userId: null, partnerId, plan: null }
    const key = await storeKey(ctx, test ? 'test' : 'partner', { ...fields, ...vouchedForByCaller(ctx) })
    await writeAudit(ctx, 'key.create', `key:${key.id}`, {
      partner: partnerId,
      owner: partner.name,
      ...(test ? { test } : {}),
    })
    return { ...key, test }
  })
}

/** Stores that the response with the whole key was sent. Until then the key counts as one that its owner does not have. */
export const noteShown = (ctx: Context, keyId: string) => queries.updateKeyShown(ctx.db, keyId, ctx.now())

/** Returns when the key was revoked; revoking it again changes nothing. With `userId`, only a key of that user is found. */
export async function revokeIssued(ctx: TransactionContext, id: string, userId?: string): Promise<Date> {
  if (await queries.updateKeyRevoked(ctx.db, id, ctx.now(), userId)) {
    await writeAudit(ctx, 'key.revoke', `key:${id}`)
    await ctx.announce({ topic: 'keys', ids: [id] })
  }
  return orNotFound(await queries.findRevoked(ctx.db, id, userId), 'Key')
}

function findOrCreateUser(ctx: TransactionContext, email: string, plan: Plan): Promise<UserRow> {
  const now = ctx.now()
  return insertOrFindUser(ctx.db, { id: orderedId(), email, grantedPlan: plan, createdAt: now, updatedAt: now })
}

/** Generates a key and stores its hash. `policyVersion`: the policy that the owner agreed to or the operator vouched for. */
export async function storeKey(
  ctx: TransactionContext,
  kind: KeyKind | 'test',
  fields: { name: string; userId: string | null; partnerId: string | null; plan: Plan | null } & Agreement,
  policyVersion = POLICY_VERSION,
) {
  const key = generateKey(kind)
  const now = ctx.now()
  const row = {
    ...fields,
    id: orderedId(),
    test: kind === 'test',
    hash: ctx.keys.hash(key),
    last4: key.slice(-4),
    policyVersion,
    createdAt: now,
    shownAt: null,
    revokedAt: null,
    endsAt: null,
  }
  await queries.insertKey(ctx.db, row)
  await ctx.announce({ topic: 'keys', ids: [row.id] })
  return { id: row.id, key, last4: row.last4, createdAt: now }
}
