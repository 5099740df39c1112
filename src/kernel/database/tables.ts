// Columns as the tables of many features have them.
import { type AnyPgColumn, text, timestamp, type UpdateDeleteAction } from 'drizzle-orm/pg-core'

export const timeColumn = (name: string) => timestamp(name, { withTimezone: true })

/** The identifier of a row that must exist. Without `onDelete`, that row cannot be deleted while this one is there. */
export const referenceColumn = (name: string, column: () => AnyPgColumn, onDelete?: UpdateDeleteAction) =>
  text(name)
    .notNull()
    .references(column, onDelete && { onDelete })
