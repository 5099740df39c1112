import { index, integer, json, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { tools } from '../catalog/tables.ts'
import { partners } from '../keys/tables.ts'
import { ENRICHMENT_STATES, type Part, TEXT_FIELDS } from './rules.ts'

/** What was looked for after a tool had been listed, and what came of it: one row a tool. */
export const enrichments = pgTable(
  'enrichments',
  {
    toolId: text('tool_id')
      .primaryKey()
      .references(() => tools.id, { onDelete: 'cascade' }),
    /** The partner whose submission made the listing; what came of its pictures is told to no other partner. */
    partnerId: text('partner_id').references(() => partners.id),
    state: text({ enum: ENRICHMENT_STATES }).notNull(),
    /** Since it was last asked for. */
    attempts: integer().notNull(),
    parts: json().$type<Part[]>().notNull(),
    /** Texts that the partner sent empty: none are made for the listing. */
    declined: text({ enum: TEXT_FIELDS }).array().notNull().default([]),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
    finishedAt: timestamp('finished_at', { withTimezone: true }),
  },
  (table) => [index('enrichments_state').on(table.state, table.createdAt)],
)
