// What becomes of a claim: its proof was found, or it has ended.
import type { TransactionContext } from '../../../kernel/context.ts'
import { deleteWaiting } from '../../proposals/queries.ts'
import type { ProofResult } from './proof.ts'
import * as queries from './queries.ts'
import { nextCheck, type ProofMethod } from './rules.ts'

/** Announced when a claim was proven or a badge was put up or taken off, so that the next check and the badges are known. */
export const CLAIMS_TOPIC = 'claims'

export interface ToolOfClaim {
  slug: string
  name: string
  website: string
}

/** The claim must be locked. Readers see whether the website shows the badge (`badges.ts`), so a change of that is announced. */
export async function storeFound(
  ctx: TransactionContext,
  claim: queries.ClaimRow,
  { website }: ToolOfClaim,
  { method, hasBadge }: Pick<ProofResult, 'hasBadge'> & { method: ProofMethod },
): Promise<void> {
  const now = ctx.now()
  const badgeAt = hasBadge === null ? claim.badgeAt : hasBadge ? now : null
  await queries.updateClaim(ctx.db, claim.id, {
    ...{ method, website, badgeAt, provenAt: claim.provenAt ?? now },
    ...{ checkedAt: now, failedAt: null, unaskedAt: null, nextAt: nextCheck(now, 'found') },
  })
  if ((badgeAt === null) !== (claim.badgeAt === null)) await ctx.announce({ topic: CLAIMS_TOPIC })
}

/** Deletes the claim, so that its token proves nothing more, and what its user has proposed as an owner. */
export async function endClaim(
  ctx: TransactionContext,
  { id, userId, toolId, badgeAt }: Pick<queries.ClaimRow, 'id' | 'userId' | 'toolId' | 'badgeAt'>,
): Promise<void> {
  await queries.deleteClaim(ctx.db, id)
  await deleteWaiting(ctx.db, { toolId, authorKind: 'owner', authorId: userId })
  if (badgeAt) await ctx.announce({ topic: CLAIMS_TOPIC })
}
