import { bigint, index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { timeColumn } from '../../kernel/tables.ts'

/**
 * The version of a row, in every table whose rows operators change: a writer learns from it whether the row has changed since it was read
 * (`version-guard.ts`). Each write of a field that people edit raises it by one, in the same statement.
 */
export const versionColumn = () => integer().notNull().default(1)

export const audit = pgTable(
  'audit',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timeColumn('at').notNull(),
    actor: text().notNull(),
    action: text().notNull(),
    subject: text().notNull(),
    details: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  },
  (table) => [index('audit_subject').on(table.subject, table.id), index('audit_at').on(table.at)],
)
