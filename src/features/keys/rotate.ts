// Replaces a key: a new one is made, and the old one works until the end of the overlap, then stops by itself in every process.
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { badRequest, notFound } from '../../kernel/errors.ts'
import { findUserForUpdate } from '../accounts/queries.ts'
import { findLastEntry, insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { tellUser } from '../mail/mail.ts'
import { findPartnerForUpdate } from '../partners/queries.ts'
import { MAX_PARTNER_KEYS, storeKey } from './issue.ts'
import * as queries from './queries.ts'
import { MAX_LIVE_KEYS } from './rules.ts'

const HOUR_MS = 3_600_000

/** With a user, only a key of that user is found. */
export async function rotateIssued(ctx: Context, id: string, overlapHours: number, userId?: string) {
  return ctx.transaction(async (ctx) => {
    const owner = await queries.findKeyOwner(ctx.db, id, userId)
    if (!owner) throw notFound('Key')
    // The owner is locked first, as when a key is made, so that concurrent requests for keys are counted one after the other.
    const ownerName = owner.userId ? await lockUser(ctx, owner.userId) : await lockPartner(ctx, owner.partnerId ?? '')
    const old = await queries.findKeyForUpdate(ctx.db, id)
    if (!old) throw notFound('Key')
    if (old.revokedAt || old.endsAt) throw badRequest(await whyNot(ctx, old))
    if (overlapHours > 0) await requireRoom(ctx, old)
    const { name, plan, policyAgreedAt, policyVouchedBy, policyVersion } = old
    const kind = old.partnerId ? (old.test ? 'test' : 'partner') : 'catalog'
    const row = { name, userId: old.userId, partnerId: old.partnerId, plan, policyAgreedAt, policyVouchedBy }
    // The agreement is the one that the old key was made under.
    const key = await storeKey(ctx, kind, row, policyVersion)
    const previousValidUntil = overlapHours > 0 ? new Date(key.createdAt.getTime() + overlapHours * HOUR_MS) : null
    if (previousValidUntil) await queries.updateKeyEnd(ctx.db, id, previousValidUntil)
    else await queries.updateKeyRevoked(ctx.db, id, key.createdAt)
    const details = { replacedBy: key.id, owner: ownerName, overlapHours }
    await insertAudit(ctx.db, auditEntry(ctx, 'key.rotate', `key:${id}`, details))
    await ctx.announce({ topic: 'keys', ids: [id] })
    const news = { name, last4: key.last4, replaced: old.last4 }
    if (old.userId) await tellUser(ctx, { event: key.id, kind: 'key-created', userId: old.userId, details: news })
    return { ...key, name, previousId: id, previousValidUntil }
  })
}

/** Why a key that has ended or was replaced is not replaced again. A second click must not leave its owner without the new key. */
async function whyNot(ctx: TransactionContext, { id, revokedAt, endsAt }: queries.KeyRow): Promise<string> {
  const rotation = await findLastEntry(ctx.db, `key:${id}`, ['key.rotate'])
  const next = rotation && (await queries.findLast4(ctx.db, String(rotation.details.replacedBy)))
  if (!next) return 'This key has ended and cannot be replaced. Make a new one.'
  const until = !revokedAt && endsAt ? ` This one works until ${endsAt.toISOString()}.` : ''
  return `This key has been replaced already, by the one that ends in ${next}.${until} If you do not have that one, replace it, and copy the key that is shown then.`
}

async function lockUser(ctx: TransactionContext, id: string): Promise<string> {
  const user = await findUserForUpdate(ctx.db, id)
  if (!user) throw notFound('Key')
  if (user.banned) throw badRequest(`${user.email} is banned and gets no new key. Lift the ban first.`)
  return user.email
}

async function lockPartner(ctx: TransactionContext, id: string): Promise<string> {
  const partner = await findPartnerForUpdate(ctx.db, id)
  if (!partner) throw notFound('Key')
  if (partner.banned) throw badRequest(`${partner.name} is banned and gets no new key. Lift the ban first.`)
  return partner.name
}

/** During the overlap both keys are live, and each has a budget of its own, so both count. */
async function requireRoom(ctx: TransactionContext, { userId, partnerId, test }: queries.KeyRow): Promise<void> {
  const [live, most] = userId
    ? [await queries.countLiveKeysOfUser(ctx.db, userId), MAX_LIVE_KEYS]
    : [await queries.countLiveKeysOfPartner(ctx.db, partnerId ?? '', test), MAX_PARTNER_KEYS]
  if (live >= most)
    throw badRequest(
      `There are ${most} live keys, the most there may be, so the old and the new one cannot both work. Revoke another key first, or replace this one at once.`,
    )
}
