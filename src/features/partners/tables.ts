import { boolean, doublePrecision, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { versionColumn } from '../audit/tables.ts'
import { SUPPORT_MODES } from './schema.ts'

/** Platforms that submit tools and forward questions. */
export const partners = pgTable('partners', {
  id: text().primaryKey(),
  name: text().notNull(),
  contactEmail: text('contact_email'),
  webhookUrl: text('webhook_url'),
  webhookSecret: text('webhook_secret').notNull(),
  support: text({ enum: SUPPORT_MODES }).notNull().default('off'),
  banned: boolean().notNull().default(false),
  /** The highest least price of a directory in plans for its products; 0: only free ones. */
  planBudget: doublePrecision('plan_budget').notNull().default(0),
  /** Whether its products carry badges of directories. */
  planBadges: boolean('plan_badges').notNull().default(true),
  version: versionColumn(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
})
