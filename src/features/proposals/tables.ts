import { sql } from 'drizzle-orm'
import { index, json, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { timeColumn } from '../../kernel/database/tables.ts'
import { versionColumn } from '../audit/tables.ts'
import { directories, tools } from '../catalog/tables.ts'
import { AUTHOR_KINDS, PROPOSAL_STATES } from './schema.ts'

/** A new value for one field of a listing, which an administrator accepts or refuses. */
export const proposals = pgTable(
  'proposals',
  {
    id: text().primaryKey(),
    /** The listing: a tool, or a directory. */
    toolId: text('tool_id').references(() => tools.id, { onDelete: 'cascade' }),
    directoryId: text('directory_id').references(() => directories.id, { onDelete: 'cascade' }),
    authorKind: text('author_kind', { enum: AUTHOR_KINDS }).notNull(),
    /**
     * - partner, owner: id of the partner, or of the user
     * - look: name of the program that read the pages of the directory
     * - model: name of the language model
     */
    authorId: text('author_id').notNull(),
    /** A field of the listing, named as operators write it. */
    field: text().notNull(),
    oldValue: json('old_value').$type<unknown>(),
    newValue: json('new_value').$type<unknown>(),
    /** What a page says that the proposal relies on; null when a person proposes. */
    quote: text(),
    state: text({ enum: PROPOSAL_STATES }).notNull(),
    reason: text().notNull(),
    decidedBy: text('decided_by'),
    decidedAt: timeColumn('decided_at'),
    version: versionColumn(),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [
    // A later proposal of the same author for the same field replaces the one that waits.
    uniqueIndex('proposals_waiting')
      .on(table.toolId, table.authorKind, table.authorId, table.field)
      .where(sql`${table.state} = 'waiting'`),
    uniqueIndex('proposals_waiting_directory')
      .on(table.directoryId, table.authorKind, table.authorId, table.field)
      .where(sql`${table.state} = 'waiting'`),
    index('proposals_tool').on(table.toolId).where(sql`${table.toolId} is not null`),
    index('proposals_directory').on(table.directoryId).where(sql`${table.directoryId} is not null`),
    index('proposals_state').on(table.state, table.createdAt),
    index('proposals_author').on(table.authorId, table.toolId, table.createdAt),
    index('proposals_created').on(table.createdAt),
  ],
)
