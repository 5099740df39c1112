import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/database/tables.ts'
import { users } from '../accounts/tables.ts'
import { SAVED_KINDS } from './schema.ts'

/** What signed-in users have put aside: listings of their shortlist, and launch plans. */
export const savedItems = pgTable(
  'saved_items',
  {
    userId: referenceColumn('user_id', () => users.id, 'cascade'),
    kind: text({ enum: SAVED_KINDS }).notNull(),
    /** The slug of a listing, or the name of a plan. */
    value: text().notNull(),
    /** The query of the address of a plan; empty for a listing. */
    query: text().notNull().default(''),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.kind, table.value] })],
)
