import { boolean, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
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
  /** Further events that the partner wants, beside the two of the specification. */
  events: text().array().notNull().default([]),
  version: versionColumn(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
})
