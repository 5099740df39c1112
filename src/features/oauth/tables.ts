import { sql } from 'drizzle-orm'
import { bigint, boolean, date, index, pgTable, primaryKey, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'
import { users } from '../accounts/tables.ts'
import { SURFACES } from '../keys/rules.ts'
import { CLIENT_KINDS, ENDINGS } from './schema.ts'

const time = (name: string) => timestamp(name, { withTimezone: true })

/** The programs (OAuth clients) that may ask users for access. */
export const oauthClients = pgTable(
  'oauth_clients',
  {
    /** The `client_id` of the protocol: the address of the program's metadata document, or an identifier that a registration got. */
    id: text().primaryKey(),
    kind: text({ enum: CLIENT_KINDS }).notNull(),
    /** As the program states it; it is not verified. */
    name: text().notNull(),
    website: text(),
    redirectUris: text('redirect_uris').array().notNull(),
    createdAt: time('created_at').notNull(),
    /** When the values above were registered or last fetched. */
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [index('oauth_clients_created').on(table.createdAt)],
)

/** A user's permission for a program to read the catalog. It has a budget of its own, like a key. */
export const oauthGrants = pgTable(
  'oauth_grants',
  {
    id: text().primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    clientId: text('client_id')
      .notNull()
      .references(() => oauthClients.id),
    /** Whether the program may also work as an operator (the scope `operator`), as long as the user is an administrator. */
    operator: boolean().notNull().default(false),
    policyVersion: text('policy_version').notNull(),
    policyAgreedAt: time('policy_agreed_at').notNull(),
    createdAt: time('created_at').notNull(),
    endedAt: time('ended_at'),
    endedBy: text('ended_by', { enum: ENDINGS }),
  },
  (table) => [
    uniqueIndex('oauth_grants_live').on(table.userId, table.clientId).where(sql`${table.endedAt} is null`),
    index('oauth_grants_client').on(table.clientId),
  ],
)

/** Authorization codes. A used one is kept for a while, so that a second use is detected. */
export const oauthCodes = pgTable(
  'oauth_codes',
  {
    hash: text().primaryKey(),
    grantId: text('grant_id')
      .notNull()
      .references(() => oauthGrants.id, { onDelete: 'cascade' }),
    redirectUri: text('redirect_uri').notNull(),
    challenge: text().notNull(),
    expiresAt: time('expires_at').notNull(),
    usedAt: time('used_at'),
  },
  (table) => [index('oauth_codes_grant').on(table.grantId), index('oauth_codes_expires').on(table.expiresAt)],
)

/** An access token and the refresh token that was issued with it, both as keyed hashes. */
export const oauthTokens = pgTable(
  'oauth_tokens',
  {
    accessHash: text('access_hash').primaryKey(),
    grantId: text('grant_id')
      .notNull()
      .references(() => oauthGrants.id, { onDelete: 'cascade' }),
    accessExpiresAt: time('access_expires_at').notNull(),
    refreshHash: text('refresh_hash').notNull().unique(),
    refreshExpiresAt: time('refresh_expires_at').notNull(),
    /** When the refresh token was used. A second use means that it was stolen. */
    refreshedAt: time('refreshed_at'),
    createdAt: time('created_at').notNull(),
  },
  (table) => [index('oauth_tokens_grant').on(table.grantId), index('oauth_tokens_expires').on(table.refreshExpiresAt)],
)

/** Charged calls of a grant by day (UTC) and surface. */
export const oauthUsage = pgTable(
  'oauth_usage',
  {
    grantId: text('grant_id')
      .notNull()
      .references(() => oauthGrants.id, { onDelete: 'cascade' }),
    day: date({ mode: 'string' }).notNull(),
    surface: text({ enum: SURFACES }).notNull(),
    calls: bigint({ mode: 'number' }).notNull(),
    lastUsedAt: time('last_used_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.grantId, table.day, table.surface] })],
)
