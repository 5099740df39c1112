// The event submission.progress, for partners that have asked for it.
import type { TransactionContext } from '../../kernel/context.ts'
import { storeEvent, wantsEvent } from '../webhooks/events.ts'
import { progressEvent } from './events.ts'
import * as queries from './queries.ts'
import { packageOf, summaryOf } from './rules.ts'

/**
 * Call it inside the transaction, after the state was changed or a directory was recorded. `slug` is the directory that was recorded.
 * A change that does both is one event.
 */
export async function storeProgress(
  ctx: TransactionContext,
  { id, partnerId, toolId }: Pick<queries.SubmissionRow, 'id' | 'partnerId' | 'toolId'>,
  slug?: string,
): Promise<void> {
  if (!(await wantsEvent(ctx, partnerId, 'submission.progress'))) return
  const found = await queries.findSubmissionByToolId(ctx.db, partnerId, toolId)
  if (!found) return
  const { submission, tool } = found
  const rows = await queries.listRows(ctx.db, id)
  const body = progressEvent.write({
    event: 'submission.progress',
    occurredAt: ctx.now(),
    tool: { ...tool, ...packageOf(submission.paymentType) },
    submissionState: submission.state,
    summary: summaryOf(rows, submission.notes),
    submission: slug === undefined ? undefined : rows.find((row) => row.slug === slug),
  })
  await storeEvent(ctx, partnerId, 'submission.progress', body)
}
