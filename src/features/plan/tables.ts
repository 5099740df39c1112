import { sql } from 'drizzle-orm'
import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { referenceColumn } from '../../kernel/database/tables.ts'
import { changeableColumns } from '../audit/tables.ts'
import { directories } from '../catalog/tables.ts'
import { submissions } from '../submissions/tables.ts'
import { PLAN_DECISIONS } from './schema.ts'

/** What an administrator decided about a directory in the plan of a submission. */
export const planDecisions = pgTable(
  'plan_decisions',
  {
    submissionId: referenceColumn('submission_id', () => submissions.id),
    directoryId: referenceColumn('directory_id', () => directories.id, 'cascade'),
    /** null: withdrawn. The row stays, so that its version keeps rising. */
    decision: text({ enum: PLAN_DECISIONS }),
    reason: text(),
    ...changeableColumns(),
  },
  (table) => [
    primaryKey({ columns: [table.submissionId, table.directoryId] }),
    // For counting skips of a directory in the plans of later products.
    index('plan_decisions_remembered').on(table.directoryId).where(sql`${table.decision} = 'skipped'`),
  ],
)
