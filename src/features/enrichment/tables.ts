import { index, integer, json, pgTable, text } from 'drizzle-orm/pg-core'
import { timeColumn } from '../../kernel/database/tables.ts'
import { tools } from '../catalog/tables.ts'
import { partners } from '../partners/tables.ts'
import { ENRICHMENT_STATES, type EnrichmentPart, TEXT_FIELDS } from './rules.ts'

/** The enrichment of each tool: what was looked for after the tool was listed, and the outcome. One row for each tool. */
export const enrichments = pgTable(
  'enrichments',
  {
    toolId: text('tool_id')
      .primaryKey()
      .references(() => tools.id, { onDelete: 'cascade' }),
    /** The partner whose submission created the listing; only this partner is told what became of its pictures. */
    partnerId: text('partner_id').references(() => partners.id),
    state: text({ enum: ENRICHMENT_STATES }).notNull(),
    /** Attempts since the enrichment was last requested. */
    attempts: integer().notNull(),
    parts: json().$type<EnrichmentPart[]>().notNull(),
    /** Texts that the partner sent empty; enrichment makes none for them. */
    declined: text({ enum: TEXT_FIELDS }).array().notNull().default([]),
    createdAt: timeColumn('created_at').notNull(),
    updatedAt: timeColumn('updated_at').notNull(),
    finishedAt: timeColumn('finished_at'),
  },
  (table) => [index('enrichments_state').on(table.state, table.createdAt)],
)
