// What becomes of a claim: its proof was found, or it has ended.
import type { TransactionContext } from '../../../kernel/context.ts'
import { deleteWaitingProposals } from '../../proposals/queries.ts'
import * as queries from './queries.ts'
import { nextCheck, type ProofMethod } from './rules.ts'

/** Announced when a claim was proven, so that its next check is known. */
export const CLAIMS_TOPIC = 'claims'

export interface ToolOfClaim {
  slug: string
  name: string
  website: string
}

/** The claim must be locked. */
export async function storeFoundProof(
  ctx: TransactionContext,
  claim: queries.ClaimRow,
  { website }: ToolOfClaim,
  method: ProofMethod,
): Promise<void> {
  const now = ctx.now()
  await queries.updateClaim(ctx.db, claim.id, {
    method,
    website,
    provenAt: claim.provenAt ?? now,
    checkedAt: now,
    failedAt: null,
    unaskedAt: null,
    nextAt: nextCheck(now, 'found'),
  })
}

/** Deletes the claim, so that its token proves nothing more, and the waiting changes that its user has proposed as an owner. */
export async function endClaim(
  ctx: TransactionContext,
  { id, userId, toolId }: Pick<queries.ClaimRow, 'id' | 'userId' | 'toolId'>,
): Promise<void> {
  await queries.deleteClaim(ctx.db, id)
  await deleteWaitingProposals(ctx.db, { toolId, authorKind: 'owner', authorId: userId })
}
