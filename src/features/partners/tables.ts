import { boolean, doublePrecision, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/database/tables.ts'
import { changeableColumns } from '../audit/tables.ts'
import { OPTIONAL_EVENT_NAMES, SUPPORT_MODES } from './schema.ts'

/** Platforms that submit tools and forward questions. */
export const partners = pgTable('partners', {
  id: text().primaryKey(),
  name: text().notNull(),
  contactEmail: text('contact_email'),
  webhookUrl: text('webhook_url'),
  webhookSecret: text('webhook_secret').notNull(),
  /** The secret before the last rotation. Until `previousValidUntil` webhooks are also signed with it; it is deleted soon after. */
  previousSecret: text('previous_secret'),
  previousValidUntil: timeColumn('previous_valid_until'),
  /** The events that the partner has asked for, in addition to those that every partner gets. */
  events: text({ enum: OPTIONAL_EVENT_NAMES }).array().notNull().default([]),
  support: text({ enum: SUPPORT_MODES }).notNull().default('off'),
  banned: boolean().notNull().default(false),
  /** Plans for its products contain only directories whose lowest price is at most this; 0: only free ones. */
  planBudget: doublePrecision('plan_budget').notNull().default(0),
  /** Whether plans for its products may contain directories that demand a badge. */
  planBadges: boolean('plan_badges').notNull().default(true),
  ...changeableColumns(),
})

/** Responses are kept for a day, so that a retry with the same Idempotency-Key gets the same response. */
export const idempotentAnswers = pgTable(
  'idempotent_answers',
  {
    partnerId: referenceColumn('partner_id', () => partners.id),
    key: text().notNull(),
    requestHash: text('request_hash').notNull(),
    status: integer().notNull(),
    answer: text().notNull(),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.partnerId, table.key] })],
)
