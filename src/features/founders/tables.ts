import { sql } from 'drizzle-orm'
import { index, integer, json, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/database/tables.ts'
import { users } from '../accounts/tables.ts'
import { changeableColumns } from '../audit/tables.ts'
import { tools } from '../catalog/tables.ts'
import { PROOF_METHODS } from './claims/rules.ts'
import { type FieldSources, PRODUCT_STATES, READING_STEPS } from './products/rules.ts'
import type { ProductFields } from './products/schema.ts'

/** Products that founders send in: a draft, then a row of the review queue. An accepted one has a listing. */
export const founderProducts = pgTable(
  'founder_products',
  {
    id: text().primaryKey(),
    userId: referenceColumn('user_id', () => users.id, 'cascade'),
    website: text().notNull(),
    websiteKey: text('website_key').notNull(),
    state: text({ enum: PRODUCT_STATES }).notNull(),
    step: text({ enum: READING_STEPS }).notNull(),
    /** What the founder has typed, or the site says. */
    fields: json().$type<ProductFields>().notNull(),
    sources: json().$type<FieldSources>().notNull(),
    /** Why the site could not be read; empty if it could. */
    note: text().notNull().default(''),
    suspicions: text().array().notNull().default(sql`'{}'`),
    /** What the administrator wrote about the decision. */
    reason: text().notNull().default(''),
    timesSent: integer('times_sent').notNull().default(0),
    toolId: text('tool_id').references(() => tools.id, { onDelete: 'set null' }),
    ...changeableColumns(),
    firstSentAt: timeColumn('first_sent_at'),
    sentAt: timeColumn('sent_at'),
    decidedAt: timeColumn('decided_at'),
  },
  (table) => [
    index('founder_products_user').on(table.userId, table.createdAt),
    index('founder_products_state').on(table.state, table.sentAt),
    index('founder_products_website').on(table.websiteKey),
    index('founder_products_tool').on(table.toolId),
  ],
)

/**
 * Websites of which a product was refused and none was accepted since. The row says nothing about who sent it, so that it stays when the
 * account is deleted.
 */
export const refusedWebsites = pgTable('refused_websites', {
  websiteKey: text('website_key').primaryKey(),
  reason: text().notNull(),
  refusedAt: timeColumn('refused_at').notNull(),
})

/** The claims of listings. A proven claim makes its user an owner. A claim that ends is deleted, so that its token proves nothing more. */
export const claims = pgTable(
  'claims',
  {
    id: text().primaryKey(),
    userId: referenceColumn('user_id', () => users.id, 'cascade'),
    toolId: referenceColumn('tool_id', () => tools.id, 'cascade'),
    token: text().notNull(),
    /** null until the claim is proven. */
    method: text({ enum: PROOF_METHODS }),
    /** The website on which the proof was last found. When the listing gets another domain, the claim must be proven there. */
    website: text(),
    provenAt: timeColumn('proven_at'),
    checkedAt: timeColumn('checked_at'),
    /** The first of two failed checks in a row. */
    failedAt: timeColumn('failed_at'),
    /** Since when the place of the proof could not be asked; null: it answered the last time. */
    unaskedAt: timeColumn('unasked_at'),
    /** When the proof is looked for again; null until it is proven. */
    nextAt: timeColumn('next_at'),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('claims_user_tool').on(table.userId, table.toolId),
    index('claims_tool').on(table.toolId),
    index('claims_next').on(table.nextAt),
  ],
)
