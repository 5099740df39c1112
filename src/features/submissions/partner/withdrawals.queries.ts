// Queries of withdrawing a submission, and the record of it, which makes a second call answer the same.
import { and, eq, lt, notExists, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { removeWhere } from '../../../kernel/database/queries.ts'
import { raisedVersion } from '../../audit/queries.ts'
import { tools } from '../../catalog/tables.ts'
import { submissionDetails, submissionRows, submissions, withdrawals } from '../tables.ts'

export interface Withdrawer {
  partnerId: string
  test: boolean
}

export const upsertWithdrawal = (db: Database, row: typeof withdrawals.$inferInsert) =>
  db
    .insert(withdrawals)
    .values(row)
    .onConflictDoUpdate({ target: [withdrawals.partnerId, withdrawals.test, withdrawals.toolId], set: row })

/** Whether the partner has withdrawn the tool. The caller gives one of the id, the slug and the website key. */
export const isWithdrawn = async (
  db: Database,
  { partnerId, test }: Withdrawer,
  { toolId, slug, websiteKey }: { toolId?: string; slug?: string; websiteKey?: string },
): Promise<boolean> => {
  const which: SQL[] = [
    ...(toolId === undefined ? [] : [eq(withdrawals.toolId, toolId)]),
    ...(slug === undefined ? [] : [eq(withdrawals.slug, slug)]),
    ...(websiteKey === undefined ? [] : [eq(withdrawals.websiteKey, websiteKey)]),
  ]
  if (which.length === 0) return false
  const rows = await db
    .select({ toolId: withdrawals.toolId })
    .from(withdrawals)
    .where(and(eq(withdrawals.partnerId, partnerId), eq(withdrawals.test, test), or(...which)))
    .limit(1)
  return rows.length > 0
}

/** Whether any directory is on record for the submission. */
export const hasRows = async (db: Database, submissionId: string): Promise<boolean> =>
  (
    await db
      .select({ id: submissionRows.directoryId })
      .from(submissionRows)
      .where(eq(submissionRows.submissionId, submissionId))
      .limit(1)
  ).length > 0

/** Deletes a submission that has no rows, with what belongs to it. */
export async function deleteSubmission(db: Database, id: string): Promise<void> {
  await db.delete(submissionDetails).where(eq(submissionDetails.submissionId, id))
  // The table of the feature `plan`, which depends on this feature and so cannot be imported.
  await db.execute(sql`delete from plan_decisions where submission_id = ${id}`)
  await db.delete(submissions).where(eq(submissions.id, id))
}

/**
 * Hides the listing unless another submission has it or an administrator has taken it down. Returns its slug; undefined when it was not
 * hidden.
 */
export const hideListing = async (db: Database, id: string, at: Date): Promise<{ slug: string } | undefined> => {
  const others = db.select({ id: submissions.id }).from(submissions).where(eq(submissions.toolId, tools.id))
  const rows = await db
    .update(tools)
    .set({ published: false, hiddenReason: 'withdrawn', updatedAt: at, version: raisedVersion(tools.version) })
    .where(and(eq(tools.id, id), sql`(${tools.published} or ${tools.hiddenReason} = 'review')`, notExists(others)))
    .returning({ slug: tools.slug })
  return rows[0]
}

/** Removes withdrawals before this time, and withdrawals of tests before another time. */
export const removeOldWithdrawals = (beforeOfTests: Date, before: Date) =>
  removeWhere(
    withdrawals,
    or(lt(withdrawals.createdAt, before), and(withdrawals.test, lt(withdrawals.createdAt, beforeOfTests))),
  )
