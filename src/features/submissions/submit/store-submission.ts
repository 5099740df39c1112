// Stores a new submission of a listed tool, whether a partner sent it or a founder ordered it.
import type { TransactionContext } from '../../../kernel/context.ts'
import { orderedId } from '../../../kernel/database/ordered-id.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import * as queries from '../queries.ts'
import { NEW_SUBMISSION, type PaymentType } from '../rules.ts'
import type { detailsOf } from '../schema.ts'
import { newReportToken } from '../status.ts'

interface NewSubmission {
  partnerId: string
  tool: { id: string; slug: string }
  siteKey: string
  /** null: it waits for a package. */
  paymentType: PaymentType | null
  details?: ReturnType<typeof detailsOf>
}

/** The caller must hold the lock of the website, and have found no submission of this tool by this partner. */
export async function storeSubmission(
  ctx: TransactionContext,
  { partnerId, tool, siteKey, paymentType, details }: NewSubmission,
): Promise<queries.SubmissionRow> {
  const now = ctx.now()
  const submission = {
    id: orderedId(),
    partnerId,
    toolId: tool.id,
    websiteKey: siteKey,
    slug: tool.slug,
    paymentType,
    state: paymentType ? ('IN_QUEUE' as const) : null,
    assignee: null,
    notes: '',
    internalNotes: '',
    ...NEW_SUBMISSION,
    version: 1,
    reportToken: newReportToken(),
    createdAt: now,
    updatedAt: now,
  }
  await queries.insertSubmission(ctx.db, submission)
  await queries.insertDetails(ctx.db, { submissionId: submission.id, ...details })
  const audited = { toolId: tool.id, paymentType }
  await writeAudit(ctx, 'submission.create', `submission:${submission.id}`, audited)
  return submission
}
