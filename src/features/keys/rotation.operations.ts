// Operations that replace a key: for operators, and for the user who owns it.
import { type Static, Type } from 'typebox'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { badRequest, orNotFound } from '../../kernel/errors.ts'
import { operation, pageOperation } from '../../kernel/operation.ts'
import { HOUR_MS } from '../../kernel/values/days.ts'
import { findUserForUpdate } from '../accounts/queries.ts'
import { findLastEntry } from '../audit/queries.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { tellUser } from '../mail/mail.ts'
import { findPartnerForUpdate } from '../partners/queries.ts'
import { MAX_LIVE_KEYS, MAX_PARTNER_KEYS } from './budgets.rules.ts'
import { noteShown, refuseBanned, storeKey } from './issue.ts'
import * as queries from './queries.ts'
import { DEFAULT_OVERLAP_HOURS } from './rules.ts'
import { keyId, keyRotationBody, rotatedKeySchema } from './schema.ts'

const overlapOf = ({ overlapHours = DEFAULT_OVERLAP_HOURS }: Static<typeof keyRotationBody>): number => overlapHours

export const rotateKey = operation({
  name: 'rotate_key',
  summary: 'Replace a key',
  description:
    'Makes a key with the same owner, name and plan, and shows it once. The old one works on for the overlap, then it stops by itself; with an overlap of 0 it fails on the next request. It holds for catalog, partner and test keys. During the overlap both count as live keys.',
  group: 'Keys',
  access: 'operator',
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
