// Collections, which operators compose, and the one row of the site's settings.
import { boolean, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { timeColumn } from '../../kernel/database/tables.ts'
import { changeableColumns, versionColumn } from '../audit/tables.ts'
import type { SiteFields } from './schema.ts'

export const collectionsTable = pgTable('collections', {
  slug: text().primaryKey(),
  name: text().notNull(),
  text: text().notNull(),
  tools: jsonb().$type<string[]>().notNull(),
  directories: jsonb().$type<string[]>().notNull(),
  published: boolean().notNull(),
  ...changeableColumns(),
})

/** One row with the id `site`. Without it every field has its default. */
export const siteTable = pgTable('site', {
  id: text().primaryKey(),
  fields: jsonb().$type<SiteFields>().notNull(),
  /** Whether no agent may work at /mcp/operator. */
  agentsStopped: boolean('agents_stopped').notNull().default(false),
  version: versionColumn(),
  updatedAt: timeColumn('updated_at').notNull(),
})
