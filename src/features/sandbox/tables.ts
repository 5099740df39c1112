import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/database/tables.ts'
import { PRICING } from '../catalog/schema.ts'
import { partners } from '../partners/tables.ts'
import { PAYMENT_TYPES, STATES } from '../submissions/rules.ts'
import { RANDOM_TOKEN } from '../submissions/tables.ts'
import type { RecordedTestRow, SandboxTerm } from './rules.ts'

/**
 * Submissions of test keys. They have a table of their own, so that no query of the catalog, the queue or the counts finds them. They refer
 * to no row of the catalog, so that its rows can be deleted. What no answer shows (the founder's e-mail address, texts) is not stored.
 */
export const sandboxSubmissions = pgTable(
  'sandbox_submissions',
  {
    id: text().primaryKey(),
    partnerId: referenceColumn('partner_id', () => partners.id),
    toolId: text('tool_id').notNull(),
    name: text().notNull(),
    slug: text().notNull(),
    website: text().notNull(),
    websiteKey: text('website_key').notNull(),
    pricing: text({ enum: PRICING }).notNull(),
    category: jsonb().$type<SandboxTerm>().notNull(),
    tags: jsonb().$type<SandboxTerm[]>().notNull(),
    /** null: the submission has no package yet. */
    paymentType: text('payment_type', { enum: PAYMENT_TYPES }),
    /** null: the submission has no package. */
    state: text({ enum: STATES }),
    notes: text().notNull(),
    /** The directories on record, as they were when they were recorded. */
    rows: jsonb().$type<RecordedTestRow[]>().notNull(),
    /** How many of the `PARTS` of its directories are on record (`rules.ts`). */
    parts: integer().notNull(),
    /** The secret part of the address of its report. The default is for rows of older versions, whose tests had no report. */
    reportToken: text('report_token').notNull().default(RANDOM_TOKEN),
    /** When its next step is due; null: no step follows. */
    nextStepAt: timeColumn('next_step_at'),
    createdAt: timeColumn('created_at').notNull(),
    updatedAt: timeColumn('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('sandbox_submissions_website').on(table.partnerId, table.websiteKey),
    uniqueIndex('sandbox_submissions_slug').on(table.partnerId, table.slug),
    uniqueIndex('sandbox_submissions_tool').on(table.partnerId, table.toolId),
    uniqueIndex('sandbox_submissions_report').on(table.reportToken),
    index('sandbox_submissions_partner').on(table.partnerId, table.createdAt),
    index('sandbox_submissions_created').on(table.createdAt),
    index('sandbox_submissions_step').on(table.nextStepAt).where(sql`${table.nextStepAt} is not null`),
  ],
)
