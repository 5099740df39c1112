import { sql } from 'drizzle-orm'
import { boolean, check, index, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { users } from '../accounts/tables.ts'

/** Partners: the clients that submit tools and forward questions. */
export const partners = pgTable('partners', {
  id: text().primaryKey(),
  name: text().notNull(),
  contactEmail: text('contact_email'),
  webhookUrl: text('webhook_url'),
  webhookSecret: text('webhook_secret').notNull(),
  support: text({ enum: ['off', 'hybrid', 'human'] })
    .notNull()
    .default('off'),
  banned: boolean().notNull().default(false),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
})

/** A key belongs to a user (catalog key) or to a partner (partner key). Only a keyed hash of it is stored. */
export const keys = pgTable(
  'keys',
  {
    id: text().primaryKey(),
    hash: text().notNull().unique(),
    last4: text().notNull(),
    name: text().notNull().default(''),
    userId: text('user_id').references(() => users.id),
    partnerId: text('partner_id').references(() => partners.id),
    /** null: the plan of the user. */
    plan: text({ enum: ['standard', 'premium'] }),
    policyVersion: text('policy_version').notNull(),
    policyAgreedAt: timestamp('policy_agreed_at', { withTimezone: true }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
  },
  (table) => [
    index('keys_user').on(table.userId),
    index('keys_partner').on(table.partnerId),
    check('keys_one_owner', sql`(${table.userId} is null) <> (${table.partnerId} is null)`),
  ],
)

/** Remembers which pepper the stored hashes were made with, so that a wrong one is noticed at start and not by every caller. */
export const keySettings = pgTable('key_settings', {
  id: text().primaryKey(),
  pepperFingerprint: text('pepper_fingerprint').notNull(),
})
