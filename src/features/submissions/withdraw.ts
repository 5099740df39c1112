// Withdraws a submission on which no work was done: for its partner, or because an order was refunded.

import type { TransactionContext } from '../../kernel/context.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { TOPIC } from '../catalog/schema.ts'
import { findCreatingPartner } from '../enrichment/queries.ts'
import { deleteWaitingProposals } from '../proposals/queries.ts'
import { lockSubmission } from './queries.ts'
import * as withdrawals from './withdrawals.queries.ts'

export const isWaiting = (state: string | null): boolean => state === null || state === 'IN_QUEUE'

/** Returns false if the work has begun, and undefined if there is no such submission; then nothing is changed. */
export async function withdrawWaiting(ctx: TransactionContext, id: string): Promise<boolean | undefined> {
  // Locked, because an administrator may begin the work at this very moment.
  const submission = await lockSubmission(ctx.db, id)
  if (!submission) return undefined
  if (!isWaiting(submission.state) || (await withdrawals.hasRows(ctx.db, id))) return false
  const { partnerId, toolId, websiteKey, slug } = submission
  await withdrawals.deleteSubmission(ctx.db, id)
  await deleteWaitingProposals(ctx.db, { toolId, authorKind: 'partner', authorId: partnerId })
  const createdAt = ctx.now()
  await withdrawals.upsertWithdrawal(ctx.db, { partnerId, test: false, toolId, slug, websiteKey, createdAt })
  await writeAudit(ctx, 'submission.withdraw', `submission:${id}`, { toolId, slug })
  // The listing is hidden only if this partner's submission created it.
  if ((await findCreatingPartner(ctx.db, toolId)) !== partnerId) return true
  const hidden = await withdrawals.hideListing(ctx.db, toolId, ctx.now())
  if (hidden === undefined) return true
  await writeAudit(ctx, 'tool.withdraw', `tool:${hidden.slug}`, { submission: id })
  await ctx.announce({ topic: TOPIC.tool, ids: [toolId] })
  return true
}
