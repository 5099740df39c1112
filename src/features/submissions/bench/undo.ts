// Undoes the last record of a directory. The audit log has the previous values of the row, so no caller has to send them.
import type { TransactionContext } from '../../../kernel/context.ts'
import { badRequest } from '../../../kernel/errors.ts'
import { findLastEntry } from '../../audit/queries.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import * as queries from '../queries.ts'

/** Actions in the audit log. */
const RECORDED = 'submission.directory'
export const UNDONE = 'submission.undo'
export const DONE = 'submission.done'

/**
 * The version of a new row. After an undo it follows the version of the removed row, so that a client that has read the removed row cannot
 * change the new one by mistake.
 */
export async function firstVersionOf(
  ctx: TransactionContext,
  submissionId: string,
  slug: string,
): Promise<{ version?: number }> {
  const undone = await findLastEntry(ctx.db, `submission:${submissionId}`, [UNDONE], { directory: slug })
  const last = undone?.details.version
  return typeof last === 'number' ? { version: last + 1 } : {}
}

/** Restores the row as it was before it was last recorded. The submission must be locked and the version of the row checked. */
export async function undoRecord(
  ctx: TransactionContext,
  submissionId: string,
  slug: string,
  row: queries.RecordedDirectoryRow,
): Promise<void> {
  const subject = `submission:${submissionId}`
  const entry = await findLastEntry(ctx.db, subject, [RECORDED, UNDONE], { directory: slug })
  const previous = entry?.action === RECORDED ? (entry.details.was as StoredValues | null | undefined) : undefined
  if (!entry || previous === undefined)
    throw badRequest('There is no record to undo here: it was undone already, or is too old.')
  const done = await findLastEntry(ctx.db, subject, [DONE])
  if (done && done.id > entry.id)
    throw badRequest('The work is Done, and the partner was told what was entered. Only later records can be undone.')
  const now = ctx.now()
  if (previous === null) await queries.deleteRow(ctx.db, submissionId, row.directoryId)
  else {
    const submittedAt = storedTime(previous.submittedAt)
    const waitingSince = storedTime(previous.waitingSince)
    const { waitingReason = null } = previous
    await queries.upsertRow(ctx.db, { ...row, ...previous, submittedAt, waitingReason, waitingSince, updatedAt: now })
  }
  await queries.updateSubmissionTime(ctx.db, submissionId, now)
  // The log keeps the values that were undone, so that an operator can record them again by hand.
  const undone = { directory: slug, version: row.version, was: queries.recordedValues(row) }
  await writeAudit(ctx, UNDONE, subject, undone)
}

const storedTime = (text: string | null | undefined): Date | null => (text == null ? null : new Date(text))

/** The values as JSON in the audit log. Entries that older versions of the service wrote lack `waitingReason` and `waitingSince`. */
type StoredValues = Omit<queries.RecordedValues, 'submittedAt' | 'waitingReason' | 'waitingSince'> &
  Partial<Pick<queries.RecordedValues, 'waitingReason'>> & { submittedAt: string | null; waitingSince?: string | null }
