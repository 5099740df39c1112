import { sql } from 'drizzle-orm'
import { bigint, boolean, date, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/database/tables.ts'
import { users } from '../accounts/tables.ts'
import { SURFACES } from '../keys/rules.ts'
import { CLIENT_KINDS, ENDINGS } from './schema.ts'

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
    createdAt: timeColumn('created_at').notNull(),
    /** When the values above were registered or last fetched. */
    updatedAt: timeColumn('updated_at').notNull(),
  },
  (table) => [index('oauth_clients_created').on(table.createdAt)],
)

/** A user's permission for a program to read the catalog. It has a budget of its own, like a key. */
export const oauthGrants = pgTable(
  'oauth_grants',
  {
    id: text().primaryKey(),
    userId: referenceColumn('user_id', () => users.id, 'cascade'),
    clientId: referenceColumn('client_id', () => oauthClients.id),
    /** Whether the program may also work as an operator (the scope `operator`), as long as the user is an administrator. */
    operator: boolean().notNull().default(false),
    policyVersion: text('policy_version').notNull(),
    policyAgreedAt: timeColumn('policy_agreed_at').notNull(),
    createdAt: timeColumn('created_at').notNull(),
    endedAt: timeColumn('ended_at'),
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
    grantId: referenceColumn('grant_id', () => oauthGrants.id, 'cascade'),
    redirectUri: text('redirect_uri').notNull(),
    challenge: text().notNull(),
    expiresAt: timeColumn('expires_at').notNull(),
    usedAt: timeColumn('used_at'),
  },
  (table) => [index('oauth_codes_grant').on(table.grantId), index('oauth_codes_expires').on(table.expiresAt)],
)

/** An access token and the refresh token that was issued with it, both as keyed hashes. */
export const oauthTokens = pgTable(
  'oauth_tokens',
  {
    accessHash: text('access_hash').primaryKey(),
    grantId: referenceColumn('grant_id', () => oauthGrants.id, 'cascade'),
    accessExpiresAt: timeColumn('access_expires_at').notNull(),
    refreshHash: text('refresh_hash').notNull().unique(),
    refreshExpiresAt: timeColumn('refresh_expires_at').notNull(),
    /** When the refresh token was used. A second use means that it was stolen. */
    refreshedAt: timeColumn('refreshed_at'),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [index('oauth_tokens_grant').on(table.grantId), index('oauth_tokens_expires').on(table.refreshExpiresAt)],
)

/** Charged calls of a grant by day (UTC) and surface. */
export const oauthUsage = pgTable(
  'oauth_usage',
  {
    grantId: referenceColumn('grant_id', () => oauthGrants.id, 'cascade'),
    day: date({ mode: 'string' }).notNull(),
    surface: text({ enum: SURFACES }).notNull(),
    calls: bigint({ mode: 'number' }).notNull(),
    lastUsedAt: timeColumn('last_used_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.grantId, table.day, table.surface] })],
)
