import { date, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
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
