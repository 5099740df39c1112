// Sign-in links from mails and operators. A mailed link may be the first proof that the user owns the address of the account: before the
// service sent mail, anyone could sign up with it. So earlier keys and programs end when the link is used, unless the owner keeps them.
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { extend } from '../../kernel/values/objects.ts'
import { findLink, type LinkTarget, type LinkUse, type NewSession, redeemLink } from '../accounts/sign-in.ts'
import { revokeIssued } from '../keys/issue.ts'
import { listNotEndedKeysOfUser } from '../keys/queries.ts'
import { endGrant } from '../oauth/grants.ts'
import { listLiveGrants } from '../oauth/queries.ts'

/** How many keys and programs have access for the user. */
export interface UserAccess {
  keys: number
  programs: number
}

/**
 * What a sign-in link is for; undefined for a link that does not exist or was used. `unconfirmed`: the keys and programs that end when the
 * link is used, unless the owner keeps them; null: there are none.
 */
export async function describeLink(
  ctx: Context,
  token: string,
): Promise<(LinkTarget & { unconfirmed: UserAccess | null }) | undefined> {
  const target = await findLink(ctx, token)
  if (!target) return undefined
  const { unconfirmedUserId: id } = target
  const access = id && {
    keys: (await listNotEndedKeysOfUser(ctx.db, id)).length,
    programs: (await listLiveGrants(ctx.db, id)).length,
  }
  return { ...target, unconfirmed: access && access.keys + access.programs > 0 ? access : null }
}

/** Uses the link: sets the password and signs in. `ended`: the keys and programs that ended; null: none did. */
export async function useLink(
  ctx: Context,
  token: string,
  { keepsAccess, ...use }: Omit<LinkUse, 'whenConfirmed'> & { keepsAccess: boolean },
): Promise<NewSession & { ended: UserAccess | null }> {
  const outcome: { ended: UserAccess | null } = { ended: null }
  const session = await redeemLink(ctx, token, {
    ...use,
    whenConfirmed: async (ctx, user) => {
      // The request has no caller yet, so the actor in the audit log is the user.
      const caller = { ...ctx.caller, label: user.email }
      if (!keepsAccess) outcome.ended = await endAccess(extend(ctx, { caller }), user.id)
    },
  })
  return { ...session, ...outcome }
}

/** Ends all keys and programs of the user, whose row must be locked. */
async function endAccess(ctx: TransactionContext, userId: string): Promise<UserAccess | null> {
  const keys = await listNotEndedKeysOfUser(ctx.db, userId)
  for (const { id } of keys) await revokeIssued(ctx, id, userId)
  const grants = await listLiveGrants(ctx.db, userId)
  for (const { id } of grants) await endGrant(ctx, id, 'user', userId)
  return keys.length + grants.length > 0 ? { keys: keys.length, programs: grants.length } : null
}
