import { bigint, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { timeColumn } from '../../kernel/database/tables.ts'

/**
 * The version of a row, in every table whose rows operators change: a writer learns from it whether the row has changed since it was read
 * (`version-guard.ts`). Each write of a field that people edit raises it by one, in the same statement.
 */
export const versionColumn = () => integer().notNull().default(1)

/** The version of a row, and when it was made and last changed. */
export const changeableColumns = () => ({
  version: versionColumn(),
  createdAt: timeColumn('created_at').notNull(),
  updatedAt: timeColumn('updated_at').notNull(),
})

export const audit = pgTable(
  'audit',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timeColumn('at').notNull(),
    /** `Caller.label`: an e-mail address, "key ...4f2a", or the name of a background worker. */
    actor: text().notNull(),
    /** What was done, such as "tool.put". */
    action: text().notNull(),
    /** Kind and id or slug of a thing, such as "tool:acme-writer", or the kind alone. */
    subject: text().notNull(),
    details: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  },
  (table) => [index('audit_subject').on(table.subject, table.id), index('audit_at').on(table.at)],
)
