import { boolean, index, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'
import { versionColumn } from '../audit/tables.ts'
import { PLANS, ROLES } from './schema.ts'

const time = (name: string) => timestamp(name, { withTimezone: true })

export const users = pgTable('users', {
  id: text().primaryKey(),
  email: text().notNull().unique(),
  /** As GitHub tells it; nobody is asked for one. */
  name: text().notNull().default(''),
  emailVerified: boolean('email_verified').notNull().default(false),
  image: text(),
  plan: text({ enum: PLANS }).notNull().default('standard'),
  role: text({ enum: ROLES }).notNull().default('user'),
  banned: boolean().notNull().default(false),
  /** The partner this person works for. No constraint, because partners belong to a later feature; they are never deleted. */
  partnerId: text('partner_id'),
  /** Not raised by the sign-in library, which writes only what no operator edits: name, picture, whether the address is verified. */
  version: versionColumn(),
  createdAt: time('created_at').notNull(),
  updatedAt: time('updated_at').notNull(),
})

/** Who is signed in. The cookie carries the token with a signature that is not stored. */
export const sessions = pgTable(
  'sessions',
  {
    id: text().primaryKey(),
    token: text().notNull().unique(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    expiresAt: time('expires_at').notNull(),
    // The sign-in library has these two; they are left empty.
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [index('sessions_user').on(table.userId), index('sessions_expires').on(table.expiresAt)],
)

/** How a user signs in: with a password (`credential`), with GitHub, or both. */
export const credentials = pgTable(
  'credentials',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    providerId: text('provider_id').notNull(),
    accountId: text('account_id').notNull(),
    /** The hash of the password. */
    password: text(),
    // The sign-in library has these; they are left empty, because nobody asks GitHub anything later.
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: time('access_token_expires_at'),
    refreshTokenExpiresAt: time('refresh_token_expires_at'),
    scope: text(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('credentials_provider_account').on(table.providerId, table.accountId),
    index('credentials_user').on(table.userId),
  ],
)

/** What the sign-in library remembers while somebody is away at GitHub. */
export const verifications = pgTable(
  'verifications',
  {
    id: text().primaryKey(),
    identifier: text().notNull(),
    value: text().notNull(),
    expiresAt: time('expires_at').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [index('verifications_identifier').on(table.identifier)],
)

/** One-time links with which somebody sets a password and is signed in. Only a hash is stored, and a used one is gone. */
export const signInLinks = pgTable(
  'sign_in_links',
  {
    hash: text().primaryKey(),
    /** null: whoever has it becomes the first administrator. */
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    expiresAt: time('expires_at').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (table) => [index('sign_in_links_user').on(table.userId)],
)
