import { and, eq, isNull, ne, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { ORDERS, queueItem } from './queries.ts'
import type { SubmissionState } from './rules.ts'
import { submissions } from './tables.ts'

interface Place {
  state: SubmissionState
  /** null: without an assignee. */
  assignee: string | null
  /** A submission that is not wanted. */
  after?: string
}

/** The oldest submission in this state and of this person. Those of sandboxes are in a table of their own. */
export const findNextSubmission = async (db: Database, { state, assignee, after = '' }: Place) =>
  (
    await queueItem(db)
      .where(
        and(
          eq(submissions.state, state),
          assignee === null ? isNull(submissions.assignee) : sql`lower(${submissions.assignee}) = lower(${assignee})`,
          ne(submissions.id, after),
        ),
      )
      .orderBy(...ORDERS.oldest)
      .limit(1)
  )[0]
