import { jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { versionColumn } from '../audit/tables.ts'
import type { SiteFields } from './schema.ts'

/** One row, `site`. Without it everything has its default. */
export const siteTable = pgTable('site', {
  id: text().primaryKey(),
  fields: jsonb().$type<SiteFields>().notNull(),
  version: versionColumn(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
})
