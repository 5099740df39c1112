import { sql } from 'drizzle-orm'
import { boolean, index, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/database/tables.ts'
import { changeableColumns } from '../audit/tables.ts'
import { PLANS, ROLES } from './schema.ts'

export const users = pgTable(
  'users',
  {
    id: text().primaryKey(),
    email: text().notNull().unique(),
    /** The name from GitHub. The service itself asks for no name. */
    name: text().notNull().default(''),
    emailVerified: boolean('email_verified').notNull().default(false),
    image: text(),
    /** The plan that an administrator granted, and the plan that is paid for. Neither changes the other. */
    grantedPlan: text('granted_plan', { enum: PLANS }).notNull().default('standard'),
    paidPlan: text('paid_plan', { enum: PLANS }).notNull().default('standard'),
    /** The better of the two. The database computes it. */
    plan: text({ enum: PLANS })
      .notNull()
      .generatedAlwaysAs(
        sql`case when granted_plan = 'premium' or paid_plan = 'premium' then 'premium' else 'standard' end`,
      ),
    role: text({ enum: ROLES }).notNull().default('user'),
    banned: boolean().notNull().default(false),
    /** The partner this user works for. There is no foreign key, because accounts do not depend on partners; partners are never deleted. */
    partnerId: text('partner_id'),
    /** The sign-in library does not raise it, because it writes only fields that no operator edits: name, picture, emailVerified. */
    ...changeableColumns(),
  },
  // Partial index: the billing worker polls paying users, who are few.
  (table) => [index('users_paid').on(table.id).where(sql`${table.paidPlan} = 'premium'`)],
)

/** One row for each signed-in browser. Its cookie has the token and a signature of it, which is not stored. */
export const sessions = pgTable(
  'sessions',
  {
    id: text().primaryKey(),
    token: text().notNull().unique(),
    userId: referenceColumn('user_id', () => users.id, 'cascade'),
    expiresAt: timeColumn('expires_at').notNull(),
    // The sign-in library needs these two columns; they stay empty.
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    createdAt: timeColumn('created_at').notNull(),
    updatedAt: timeColumn('updated_at').notNull(),
  },
  (table) => [index('sessions_user').on(table.userId), index('sessions_expires').on(table.expiresAt)],
)

/** How a user signs in: with a password (`credential`), with GitHub, or both. */
export const credentials = pgTable(
  'credentials',
  {
    id: text().primaryKey(),
    userId: referenceColumn('user_id', () => users.id, 'cascade'),
    providerId: text('provider_id').notNull(),
    accountId: text('account_id').notNull(),
    /** The hash of the password. */
    password: text(),
    // The sign-in library needs these columns; they stay empty, because the service does not call GitHub after signing in.
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: timeColumn('access_token_expires_at'),
    refreshTokenExpiresAt: timeColumn('refresh_token_expires_at'),
    scope: text(),
    createdAt: timeColumn('created_at').notNull(),
    updatedAt: timeColumn('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('credentials_provider_account').on(table.providerId, table.accountId),
    index('credentials_user').on(table.userId),
  ],
)

/** State that the sign-in library keeps while a browser is at GitHub. */
export const verifications = pgTable(
  'verifications',
  {
    id: text().primaryKey(),
    identifier: text().notNull(),
    value: text().notNull(),
    expiresAt: timeColumn('expires_at').notNull(),
    createdAt: timeColumn('created_at').notNull(),
    updatedAt: timeColumn('updated_at').notNull(),
  },
  (table) => [index('verifications_identifier').on(table.identifier)],
)

/** One-time links with which a user sets a password and is signed in. Only a hash is stored, and a used link is deleted. */
export const signInLinks = pgTable(
  'sign_in_links',
  {
    hash: text().primaryKey(),
    /** null: the holder creates an account with `email`, or, when that is null too, becomes the first administrator. */
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The address that the link was mailed to; null: an operator hands the link out. */
    email: text(),
    expiresAt: timeColumn('expires_at').notNull(),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [index('sign_in_links_user').on(table.userId)],
)
