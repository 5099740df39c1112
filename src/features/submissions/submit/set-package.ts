// Sets the package of a submission that has none, when its partner sends the tool again with a package or a founder has paid for an order.
// The directory work then waits in the queue.
import type { TransactionContext } from '../../../kernel/context.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { storeProgress } from '../events.ts'
import * as queries from '../queries.ts'
import { changeWork, type PaymentType } from '../rules.ts'
import type { FoundSubmission } from '../status.ts'

/** Returns the submission with its package, if it had none before; otherwise as it was. */
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
