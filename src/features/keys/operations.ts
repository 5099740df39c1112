// Operator API: catalog keys, a partner with its first key, and further keys of a partner; and what replaces a key, for operators and for
// the user who owns it.

import { type Static, Type } from 'typebox'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { badRequest, notFound, orNotFound } from '../../kernel/errors.ts'
import { readBody } from '../../kernel/input.ts'
import { operationsFor, pageOperation } from '../../kernel/operation.ts'
import { listPage, objectType, offsetOf, timestamp } from '../../kernel/schema.ts'
import { HOUR_MS } from '../../kernel/values/days.ts'
import { findUserForUpdate } from '../accounts/queries.ts'
import { findLastEntry } from '../audit/queries.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { tellUser } from '../mail/mail.ts'
import { PARTNER_EXAMPLE, webhookProblems } from '../partners/operations.ts'
import { findPartnerForUpdate } from '../partners/queries.ts'
import { newPartnerBody, partnerId } from '../partners/schema.ts'
import { MAX_LIVE_KEYS, MAX_PARTNER_KEYS } from './budgets.rules.ts'
import { issueKey, issuePartner, issuePartnerKey, noteShown, refuseBanned, revokeIssued, storeKey } from './issue.ts'
import * as queries from './queries.ts'
import { DEFAULT_OVERLAP_HOURS } from './rules.ts'
import * as schema from './schema.ts'
import { keyId, keyRotationBody, rotatedKeySchema } from './schema.ts'

const operation = operationsFor('operator', 'Keys')

const KEY_EXAMPLE = {
  plan: 'premium',
  userId: '0d8d4b0e-4d3c-4b43-9c38-3f3a2f7a9b10',
  partnerId: null,
  policyAgreedAt: null,
  revokedAt: null,
  endsAt: null,
}

type ListedKey = Awaited<ReturnType<typeof queries.selectKeys>>[number]
const shownKey = (row: ListedKey) => ({ ...row, kind: row.partnerId ? ('partner' as const) : ('catalog' as const) })

export const createKey = operation({
  name: 'create_key',
  summary: 'Issue a catalog key',
  description: `Makes a catalog key for a user, who is created when new. Issuing it records that the operator vouches for the owner's agreement to the acceptable-use policy (policyVouchedBy). At most 10 live keys a user.`,
  method: 'POST',
  path: '/keys',
  status: 201,
  location: '/keys/:id',
  body: schema.newKeyBody,
  data: schema.newKeySchema,
  exampleFields: { plan: 'premium' },
  run: async (ctx, _input, body) => {
    const key = await issueKey(ctx, body)
    return { data: key, sent: () => noteShown(ctx, key.id) }
  },
})

export const listKeys = operation({
  name: 'list_keys',
  summary: 'List keys',
  description:
    'All keys unless filtered, revoked ones too, newest first. The keys themselves are not stored and cannot be shown.',
  method: 'GET',
  path: '/keys',
  parameters: Type.Object({ ...schema.keyFilters, ...listPage }),
  data: Type.Array(schema.keySchema),
  exampleFields: KEY_EXAMPLE,
  run: async (ctx, input) => {
    return { data: (await queries.selectKeys(ctx.db, input, input.limit, offsetOf(input))).map(shownKey) }
  },
})

const getKey = operation({
  name: 'get_key',
  summary: 'One key',
  description: 'A key by identifier, as in the list of keys: everything but the key itself.',
  method: 'GET',
  path: '/keys/:id',
  parameters: Type.Object({ id: schema.keyId }),
  data: schema.keySchema,
  exampleFields: KEY_EXAMPLE,
  run: async (ctx, input) => {
    const [row] = await queries.selectKeys(ctx.db, input, 1, 0)
    if (!row) throw notFound('Key')
    return { data: shownKey(row) }
  },
})

export const revokeKey = operation({
  name: 'revoke_key',
  summary: 'Revoke a key',
  description:
    'The key fails on the next request here and within a second everywhere. Revoking it again changes nothing.',
  method: 'DELETE',
  path: '/keys/:id',
  parameters: Type.Object({ id: schema.keyId }),
  data: objectType('The revoked key.', { id: schema.keyId, revokedAt: timestamp('When the key was revoked.') }),
  run: async (ctx, input) => {
    const revokedAt = await ctx.transaction((ctx) => revokeIssued(ctx, input.id))
    return { data: { id: input.id, revokedAt } }
  },
})

const overlapOf = ({ overlapHours = DEFAULT_OVERLAP_HOURS }: Static<typeof keyRotationBody>): number => overlapHours

export const rotateKey = operation({
  name: 'rotate_key',
  summary: 'Replace a key',
  description:
    'Makes a key with the same owner, name and plan, and shows it once. The old one works on for the overlap, then it stops by itself; with an overlap of 0 it fails on the next request. It holds for catalog, partner and test keys. During the overlap both count as live keys.',
  method: 'POST',
  path: '/keys/:id/rotate',
  parameters: Type.Object({ id: keyId }),
  body: keyRotationBody,
  data: rotatedKeySchema,
  exampleFields: { previousId: '5b8f61c4-0a6a-4a36-9d52-0b1f4f0f7c22', previousValidUntil: '2026-03-02T09:30:00.000Z' },
  run: async (ctx, input, body) => {
    const key = await rotateIssued(ctx, input.id, overlapOf(body))
    return { data: key, sent: () => noteShown(ctx, key.id) }
  },
})

export const rotateOwnKey = pageOperation({
  name: 'rotate_own_key',
  bucket: 'keys',
  parameters: Type.Object({ id: keyId }),
  body: keyRotationBody,
  data: rotatedKeySchema,
  run: async (ctx, input, body) => {
    const key = await rotateIssued(ctx, input.id, overlapOf(body), ctx.caller.id)
    return { data: key, sent: () => noteShown(ctx, key.id) }
  },
})

/**
 * Replaces a key: a new one is created, and the old one works until the overlap ends. Then every process refuses it by its stored end. With
 * `userId`, only a key of that user is found.
 */
async function rotateIssued(ctx: Context, id: string, overlapHours: number, userId?: string) {
  return ctx.transaction(async (ctx) => {
    const owner = orNotFound(await queries.findKeyOwner(ctx.db, id, userId), 'Key')
    // The owner is locked first, as when a key is created, so that concurrent requests cannot exceed the limit of live keys.
    const ownerName = owner.userId ? await lockUser(ctx, owner.userId) : await lockPartner(ctx, owner.partnerId ?? '')
    const old = orNotFound(await queries.findKeyForUpdate(ctx.db, id), 'Key')
    if (old.revokedAt || old.endsAt) throw badRequest(await whyNotReplaceable(ctx, old))
    if (overlapHours > 0) await requireFreePlace(ctx, old)
    const { name, plan, policyAgreedAt, policyVouchedBy, policyVersion } = old
    const partnerKind = old.test ? 'test' : 'partner'
    const row = { name, userId: old.userId, partnerId: old.partnerId, plan, policyAgreedAt, policyVouchedBy }
    // The new key keeps the version of the policy that the old key was issued under.
    const key = await storeKey(ctx, old.partnerId ? partnerKind : 'catalog', row, policyVersion)
    const previousValidUntil = overlapHours > 0 ? new Date(key.createdAt.getTime() + overlapHours * HOUR_MS) : null
    if (previousValidUntil) await queries.updateKeyEnd(ctx.db, id, previousValidUntil)
    else await queries.updateKeyRevoked(ctx.db, id, key.createdAt)
    const details = { replacedBy: key.id, owner: ownerName, overlapHours }
    await writeAudit(ctx, 'key.rotate', `key:${id}`, details)
    await ctx.announce({ topic: 'keys', ids: [id] })
    const notice = { name, last4: key.last4, replaced: old.last4 }
    if (old.userId) await tellUser(ctx, { event: key.id, kind: 'key-created', userId: old.userId, details: notice })
    return { ...key, name, previousId: id, previousValidUntil }
  })
}

/** Why a key that has ended or was already replaced cannot be replaced. Names the new key, because the user may have clicked twice. */
async function whyNotReplaceable(ctx: TransactionContext, { id, revokedAt, endsAt }: queries.KeyRow): Promise<string> {
  const rotation = await findLastEntry(ctx.db, `key:${id}`, ['key.rotate'])
  const newLast4 = rotation && (await queries.findLast4(ctx.db, String(rotation.details.replacedBy)))
  if (!newLast4) return 'This key has ended and cannot be replaced. Make a new one.'
  const until = !revokedAt && endsAt ? ` This one works until ${endsAt.toISOString()}.` : ''
  return `This key has been replaced already, by the one that ends in ${newLast4}.${until} If you do not have that one, replace it, and copy the key that is shown then.`
}

/** Locks the user's row and returns the e-mail address. */
async function lockUser(ctx: TransactionContext, id: string): Promise<string> {
  const user = orNotFound(await findUserForUpdate(ctx.db, id), 'Key')
  refuseBanned(user, user.email)
  return user.email
}

/** Locks the partner's row and returns its name. */
async function lockPartner(ctx: TransactionContext, id: string): Promise<string> {
  const partner = orNotFound(await findPartnerForUpdate(ctx.db, id), 'Key')
  refuseBanned(partner, partner.name)
  return partner.name
}

/** During the overlap both keys are live and have a budget each, so both count towards the limit of live keys. */
async function requireFreePlace(ctx: TransactionContext, { userId, partnerId, test }: queries.KeyRow): Promise<void> {
  const [live, limit] = userId
    ? [(await queries.listNotEndedKeysOfUser(ctx.db, userId)).length, MAX_LIVE_KEYS]
    : [await queries.countNotEndedKeysOfPartner(ctx.db, partnerId ?? '', test), MAX_PARTNER_KEYS]
  if (live >= limit)
    throw badRequest(
      `There are ${limit} live keys, the most there may be, so the old and the new one cannot both work. Revoke another key first, or replace this one at once.`,
    )
}

export const keyOperations = [createKey, listKeys, getKey, revokeKey, rotateKey]

const partnerOperation = operationsFor('operator', 'Partners')

export const createPartner = partnerOperation({
  name: 'create_partner',
  summary: 'Issue a partner key',
  description: 'Creates a partner with a key and a signing secret. Both are shown only in this answer.',
  method: 'POST',
  path: '/partners',
  status: 201,
  location: '/partners/:id',
  body: newPartnerBody,
  data: schema.newPartnerSchema,
  exampleFields: { ...PARTNER_EXAMPLE, webhookSecret: 'whsec_…' },
  rawBody: true,
  run: async (ctx, _input, raw) => {
    const body = readBody(newPartnerBody, raw, webhookProblems(ctx))
    const { name, contactEmail = null, webhookUrl = null, support = 'off' } = body
    const partner = await issuePartner(ctx, { name, contactEmail, webhookUrl, support })
    return { data: partner, sent: () => noteShown(ctx, partner.keyId) }
  },
})

export const createPartnerKey = partnerOperation({
  name: 'create_partner_key',
  summary: 'Issue another key to a partner',
  description:
    'Makes one more key for the partner and shows it once, so that a key can be replaced without a gap: hand the new one over, then revoke the old. With test, a key to the sandbox: it takes the same calls, and what it writes touches nothing that is live.',
  method: 'POST',
  path: '/partners/:id/keys',
  status: 201,
  location: '/keys/:id',
  parameters: Type.Object({ id: partnerId }),
  body: schema.newPartnerKeyBody,
  data: schema.newPartnerKeySchema,
  run: async (ctx, input, { test = false }) => {
    const key = await issuePartnerKey(ctx, input.id, { test })
    return { data: key, sent: () => noteShown(ctx, key.id) }
  },
})

export const partnerKeyOperations = [createPartner, createPartnerKey]
