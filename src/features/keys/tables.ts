import { sql } from 'drizzle-orm'
import { bigint, boolean, check, date, index, pgTable, primaryKey, real, smallint, text } from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/database/tables.ts'
import { PLANS } from '../accounts/schema.ts'
import { users } from '../accounts/tables.ts'
import { partners } from '../partners/tables.ts'
import { SURFACES } from './rules.ts'

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
    /** A partner's key to the sandbox. */
    test: boolean().notNull().default(false),
    /** null: the user's plan applies. */
    plan: text({ enum: PLANS }),
    policyVersion: text('policy_version').notNull(),
    /** When the owner agreed; null when an operator vouched for the agreement. */
    policyAgreedAt: timeColumn('policy_agreed_at'),
    /** The operator who issued the key and vouched that its owner knows the policy. */
    policyVouchedBy: text('policy_vouched_by'),
    createdAt: timeColumn('created_at').notNull(),
    /** When the response that contained the key was sent; null: it was not sent, or the process ended before it could store that. */
    shownAt: timeColumn('shown_at'),
    revokedAt: timeColumn('revoked_at'),
    /** When the key stops working because another one replaced it; null: it works until it is revoked. */
    endsAt: timeColumn('ends_at'),
  },
  (table) => [
    index('keys_user').on(table.userId),
    index('keys_partner').on(table.partnerId),
    check('keys_one_owner', sql`(${table.userId} is null) <> (${table.partnerId} is null)`),
  ],
)

const keyIdColumn = () => referenceColumn('key_id', () => keys.id, 'cascade')

/** Charged calls of a key by day (UTC) and surface. */
export const keyUsage = pgTable(
  'key_usage',
  {
    keyId: keyIdColumn(),
    day: date({ mode: 'string' }).notNull(),
    surface: text({ enum: SURFACES }).notNull(),
    calls: bigint({ mode: 'number' }).notNull(),
    lastUsedAt: timeColumn('last_used_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.day, table.surface] }), index('key_usage_day').on(table.day)],
)

/** Calls of a key, refused ones too, by day (UTC), surface, operation and status. The operation is empty for an unknown address. */
export const keyOutcomes = pgTable(
  'key_outcomes',
  {
    keyId: keyIdColumn(),
    day: date({ mode: 'string' }).notNull(),
    surface: text({ enum: SURFACES }).notNull(),
    operation: text().notNull(),
    status: smallint().notNull(),
    calls: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.day, table.surface, table.operation, table.status] }),
    index('key_outcomes_day').on(table.day),
  ],
)

/** The latest calls of each key, for at most a day. */
export const keyCalls = pgTable(
  'key_calls',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    keyId: keyIdColumn(),
    at: timeColumn('at').notNull(),
    surface: text({ enum: SURFACES }).notNull(),
    operation: text().notNull(),
    status: smallint().notNull(),
    /** Duration in milliseconds. */
    ms: real().notNull(),
    requestId: text('request_id').notNull(),
  },
  (table) => [index('key_calls_key').on(table.keyId, table.at), index('key_calls_at').on(table.at)],
)

/** The fingerprint of the pepper that the stored hashes were made with, so that the service refuses to start with another one. */
export const keySettings = pgTable('key_settings', {
  id: text().primaryKey(),
  pepperFingerprint: text('pepper_fingerprint').notNull(),
})
