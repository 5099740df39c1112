// Recording a directory as entered is work, so a submission that was not begun is In progress from then on.
import type { TransactionContext } from '../../kernel/context.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { type SubmissionRow, updateSubmission } from './queries.ts'
import { stateAfterRecord } from './rules.ts'

/** The submission must be locked. */
export async function startWork(ctx: TransactionContext, submission: SubmissionRow): Promise<void> {
  const state = stateAfterRecord(submission.state)
  if (state === submission.state) return
  await updateSubmission(ctx.db, submission.id, { state, updatedAt: ctx.now() })
  await insertAudit(ctx.db, auditEntry(ctx, 'submission.change', `submission:${submission.id}`, { state }))
}
