import { pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { users } from '../accounts/tables.ts'
import { SAVED_KINDS } from './schema.ts'

/** What signed-in users have put aside: listings of their shortlist, and launch plans. */
export const savedItems = pgTable(
  'saved_items',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    kind: text({ enum: SAVED_KINDS }).notNull(),
    /** The slug of a listing, or the query of the address of a plan. */
    value: text().notNull(),
    /** Of a plan, as its user calls it; empty for a listing. */
    name: text().notNull().default(''),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.kind, table.value] })],
)
