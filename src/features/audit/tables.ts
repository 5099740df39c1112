import { bigint, index, integer, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

/**
 * Every table whose rows operators change has it: it tells a writer whether the row is still the one that the writer read
 * (`version-guard.ts`). Each write of a field that people edit raises it by one, in the same statement.
 */
export const versionColumn = () => integer().notNull().default(1)

export const audit = pgTable(
  'audit',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp({ withTimezone: true }).notNull(),
    actor: text().notNull(),
    action: text().notNull(),
    subject: text().notNull(),
    details: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  },
  (table) => [index('audit_subject').on(table.subject, table.id), index('audit_at').on(table.at)],
)
