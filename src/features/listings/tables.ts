import { date, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { tools } from '../catalog/tables.ts'

/** One row for each visitor, tool and day, so that a click-through counts once; the visitor is a keyed hash that changes daily. */
export const visits = pgTable(
  'visits',
  {
    day: date().notNull(),
    toolId: text('tool_id')
      .notNull()
      .references(() => tools.id, { onDelete: 'cascade' }),
    visitor: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.toolId, table.visitor] })],
)

/** The copies that this service stores of pictures on other hosts. */
export const pictureCopies = pgTable(
  'picture_copies',
  {
    /** The hash of use and address (`pictures.rules.ts`). */
    key: text().primaryKey(),
    /** The file name in the picture store. */
    name: text().notNull(),
    /** Where the picture can be fetched again when its file is lost. null: nowhere, or the address is too long to be stored. */
    address: text(),
    madeAt: timestamp('made_at', { withTimezone: true }).notNull(),
  },
  (table) => [index('picture_copies_name').on(table.name)],
)
