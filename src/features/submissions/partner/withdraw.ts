// Withdraws a submission whose work has not begun: for its partner, or because the order of a founder was refunded.
import type { TransactionContext } from '../../../kernel/context.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { TOPIC } from '../../catalog/schema.ts'
import { findCreatingPartner } from '../../enrichment/queries.ts'
import { deleteWaitingProposals } from '../../proposals/queries.ts'
import { lockSubmission } from '../queries.ts'
import * as withdrawals from './withdrawals.queries.ts'

/** Whether the state is before the work: in the queue, or without a package. */
export const isUnbegun = (state: string | null): boolean => state === null || state === 'IN_QUEUE'

/** Changes nothing if the work has begun or there is no such submission. */
export async function withdrawUnbegun(
  ctx: TransactionContext,
  id: string,
): Promise<'withdrawn' | 'work has begun' | 'not found'> {
  // Locked, because an administrator may begin the work at this very moment.
  const submission = await lockSubmission(ctx.db, id)
  if (!submission) return 'not found'
  if (!isUnbegun(submission.state) || (await withdrawals.hasRows(ctx.db, id))) return 'work has begun'
  const { partnerId, toolId, websiteKey, slug } = submission
  await withdrawals.deleteSubmission(ctx.db, id)
  await deleteWaitingProposals(ctx.db, { toolId, authorKind: 'partner', authorId: partnerId })
  const createdAt = ctx.now()
  await withdrawals.upsertWithdrawal(ctx.db, { partnerId, test: false, toolId, slug, websiteKey, createdAt })
  await writeAudit(ctx, 'submission.withdraw', `submission:${id}`, { toolId, slug })
  // The listing is hidden only if this partner's submission created it.
  const hasCreatedListing = (await findCreatingPartner(ctx.db, toolId)) === partnerId
  const hidden = hasCreatedListing ? await withdrawals.hideListing(ctx.db, toolId, ctx.now()) : undefined
  if (hidden) {
    await writeAudit(ctx, 'tool.withdraw', `tool:${hidden.slug}`, { submission: id })
    await ctx.announce({ topic: TOPIC.tool, ids: [toolId] })
  }
  return 'withdrawn'
}
