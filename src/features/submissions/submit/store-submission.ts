// Stores a new submission of a listed tool, whether a partner sent it or a founder ordered it, and the package of one that has none.
import type { TransactionContext } from '../../../kernel/context.ts'
import { orderedId } from '../../../kernel/database/ordered-id.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { storeProgress } from '../events.ts'
import * as queries from '../queries.ts'
import { changeWork, NEW_SUBMISSION, type PaymentType } from '../rules.ts'
import type { detailsOf } from '../schema.ts'
import { type FoundSubmission, newReportToken } from '../status.ts'

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
  await writeAudit(ctx, 'submission.create', `submission:${submission.id}`, { toolId: tool.id, paymentType })
  return submission
}

/**
 * Sets the package of a submission that has none, when its partner sends the tool again with a package or a founder has paid for an order.
 * The directory work then waits in the queue. Returns the submission as it is then.
 */
export async function setPackage(
  ctx: TransactionContext,
  found: FoundSubmission,
  paymentType: PaymentType | undefined,
): Promise<FoundSubmission> {
  if (paymentType === undefined || found.submission.paymentType !== null) return found
  const { id } = found.submission
  // Locked and read again: an administrator may have set the package at this very moment.
  const before = await queries.lockSubmission(ctx.db, id)
  if (before === undefined) return found
  if (before.paymentType !== null) return { ...found, submission: before }
  const next = changeWork(before, { paymentType })
  // Only a broken row is Done without a package; it stays as it is.
  if ('problem' in next) return { ...found, submission: before }
  const change = { ...next.work, updatedAt: ctx.now() }
  await queries.updateSubmission(ctx.db, id, change)
  await writeAudit(ctx, 'submission.change', `submission:${id}`, { paymentType })
  const submission = { ...before, ...change }
  if (submission.state !== before.state) await storeProgress(ctx, submission)
  return { ...found, submission }
}
