// Programs (OAuth clients), the grants of users to them, and the codes and tokens of these grants.
import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { countedRows, eitherWay, pickColumns, type RemoveBatch, removeWhere } from '../../kernel/database/queries.ts'
import { users } from '../accounts/tables.ts'
import type { Surface } from '../keys/rules.ts'
import { usageSince } from '../keys/schema.ts'
import { keys } from '../keys/tables.ts'
import { upsertUsageInto } from '../keys/usage/queries.ts'
import type { Ending } from './schema.ts'
import { oauthClients, oauthCodes, oauthGrants, oauthTokens, oauthUsage } from './tables.ts'

export type ClientRow = typeof oauthClients.$inferSelect
export type GrantRow = typeof oauthGrants.$inferSelect
type CodeRow = typeof oauthCodes.$inferSelect
type TokenRow = typeof oauthTokens.$inferSelect

export const findStoredClient = async (db: Database, id: string): Promise<ClientRow | undefined> =>
  (await db.select().from(oauthClients).where(eq(oauthClients.id, id)))[0]

export const insertClient = (db: Database, client: ClientRow) => db.insert(oauthClients).values(client)

/** Stores a program with a metadata document, or what its document says now. */
export const upsertClient = (db: Database, { id, createdAt, ...values }: ClientRow) =>
  db
    .insert(oauthClients)
    .values({ id, createdAt, ...values })
    .onConflictDoUpdate({ target: oauthClients.id, set: values })

/** When the user agreed to this version of the policy, with a grant or else with a key; null: never. */
export const findAgreement = async (db: Database, userId: string, version: string): Promise<Date | null> => {
  const agreed = async (table: typeof keys | typeof oauthGrants) =>
    (
      await db
        .select({ at: table.policyAgreedAt })
        .from(table)
        .where(and(eq(table.userId, userId), eq(table.policyVersion, version), isNotNull(table.policyAgreedAt)))
        .orderBy(desc(table.policyAgreedAt))
        .limit(1)
    )[0]?.at
  return (await agreed(oauthGrants)) ?? (await agreed(keys)) ?? null
}

const isLive = isNull(oauthGrants.endedAt)

/** If the result decides whether a grant is created, the caller must have locked the row of the user. */
export const findLiveGrant = async (db: Database, userId: string, clientId: string): Promise<GrantRow | undefined> =>
  (
    await db
      .select()
      .from(oauthGrants)
      .where(and(isLive, eq(oauthGrants.userId, userId), eq(oauthGrants.clientId, clientId)))
  )[0]

export const listLiveGrants = (db: Database, userId: string): Promise<{ id: string }[]> =>
  db
    .select({ id: oauthGrants.id })
    .from(oauthGrants)
    .where(and(isLive, eq(oauthGrants.userId, userId)))

export const updateGrantAgreement = (db: Database, id: string, policyVersion: string, policyAgreedAt: Date) =>
  db.update(oauthGrants).set({ policyVersion, policyAgreedAt }).where(eq(oauthGrants.id, id))

export const updateGrantOperator = (db: Database, id: string, operator: boolean) =>
  db.update(oauthGrants).set({ operator }).where(eq(oauthGrants.id, id))

export const insertGrant = (db: Database, grant: GrantRow) => db.insert(oauthGrants).values(grant)

/** With `userId`, only a grant of that user is ended. Returns false when there is no such live grant. */
export const updateGrantEnded = async (
  db: Database,
  id: string,
  endedAt: Date,
  endedBy: Ending,
  userId?: string,
): Promise<boolean> => {
  const ended = await db
    .update(oauthGrants)
    .set({ endedAt, endedBy })
    .where(and(isLive, eq(oauthGrants.id, id), userId === undefined ? undefined : eq(oauthGrants.userId, userId)))
    .returning({ id: oauthGrants.id })
  return ended.length > 0
}

export const deleteSecretsOfGrant = async (db: Database, grantId: string): Promise<void> => {
  await db.delete(oauthTokens).where(eq(oauthTokens.grantId, grantId))
  await db.delete(oauthCodes).where(eq(oauthCodes.grantId, grantId))
}

export const insertCode = (db: Database, code: CodeRow) => db.insert(oauthCodes).values(code)

/**
 * Locks the grant of a code or token, if it is live and its user is not banned. Every change of codes and tokens locks the grant first and
 * nothing else, so that the second of two concurrent uses sees the first, and a refresh and a withdrawal cannot deadlock.
 */
const lockGrantOf = async (
  db: Database,
  table: typeof oauthCodes | typeof oauthTokens,
  condition: SQL | undefined,
): Promise<GrantRow | undefined> => {
  const [found] = await db.select({ id: table.grantId }).from(table).where(condition)
  if (!found) return undefined
  const [locked] = await db
    .select({ grant: oauthGrants })
    .from(oauthGrants)
    .innerJoin(users, eq(users.id, oauthGrants.userId))
    .where(and(eq(oauthGrants.id, found.id), isLive, eq(users.banned, false)))
    .for('update', { of: oauthGrants })
  return locked?.grant
}

/** The code with its grant, which is then locked. */
export const findCodeForUpdate = async (db: Database, hash: string) => {
  const isCode = eq(oauthCodes.hash, hash)
  const grant = await lockGrantOf(db, oauthCodes, isCode)
  const [code] = grant ? await db.select().from(oauthCodes).where(isCode) : []
  return grant && code && { grant, code }
}

export const updateCodeUsed = (db: Database, hash: string, usedAt: Date) =>
  db.update(oauthCodes).set({ usedAt }).where(eq(oauthCodes.hash, hash))

/** The token with its grant, which is then locked. */
export const findRefreshTokenForUpdate = async (db: Database, hash: string) => {
  const isToken = eq(oauthTokens.refreshHash, hash)
  const grant = await lockGrantOf(db, oauthTokens, isToken)
  const [token] = grant ? await db.select().from(oauthTokens).where(isToken) : []
  return grant && token && { grant, token }
}

/** The access token that was issued together with the refresh token works until `accessUntil` at most. */
export const updateTokenRefreshed = (db: Database, hash: string, refreshedAt: Date, accessUntil: Date) =>
  db
    .update(oauthTokens)
    .set({
      refreshedAt,
      accessExpiresAt: sql`least(${oauthTokens.accessExpiresAt}, ${accessUntil.toISOString()}::timestamptz)`,
    })
    .where(eq(oauthTokens.refreshHash, hash))

export const insertToken = (db: Database, token: TokenRow) => db.insert(oauthTokens).values(token)

/** Keeps the newest sign-ins of the grant and the newest tokens that were already refreshed, as many as `kept` says. Deletes the others. */
export const deleteOldSignIns = async (
  db: Database,
  grantId: string,
  kept: { signIns: number; refreshed: number },
): Promise<void> => {
  const deleteBeyond = (count: number, condition: SQL) =>
    db.delete(oauthTokens).where(
      inArray(
        oauthTokens.accessHash,
        db
          .select({ hash: oauthTokens.accessHash })
          .from(oauthTokens)
          .where(and(eq(oauthTokens.grantId, grantId), condition))
          .orderBy(desc(oauthTokens.createdAt))
          .offset(count),
      ),
    )
  await deleteBeyond(kept.signIns, isNull(oauthTokens.refreshedAt))
  await deleteBeyond(kept.refreshed, isNotNull(oauthTokens.refreshedAt))
}

/**
 * Ends the tokens that were issued together with this one, if they are of this program, and returns their grant. A row whose refresh token
 * was used already stays, so that a second use of that token is still noticed; only its access token ends.
 */
export const endSignIn = async (
  db: Database,
  hash: string,
  clientId: string,
  now: Date,
): Promise<string | undefined> => {
  const isToken = or(eq(oauthTokens.accessHash, hash), eq(oauthTokens.refreshHash, hash))
  const grant = await lockGrantOf(db, oauthTokens, isToken)
  if (grant?.clientId !== clientId) return undefined
  const deleted = await db
    .delete(oauthTokens)
    .where(and(isToken, isNull(oauthTokens.refreshedAt)))
    .returning({ grantId: oauthTokens.grantId })
  if (deleted[0]) return deleted[0].grantId
  const ended = await db
    .update(oauthTokens)
    .set({ accessExpiresAt: now })
    .where(and(eq(oauthTokens.accessHash, hash), gt(oauthTokens.accessExpiresAt, now)))
    .returning({ grantId: oauthTokens.grantId })
  return ended[0]?.grantId
}

/** Whether a refresh token of the grant can still be used. */
export const hasSignIns = async (db: Database, grantId: string): Promise<boolean> => {
  const found = await db
    .select({ hash: oauthTokens.accessHash })
    .from(oauthTokens)
    .where(and(eq(oauthTokens.grantId, grantId), isNull(oauthTokens.refreshedAt)))
    .limit(1)
  return found.length > 0
}

/** Access tokens that work: not expired, of a grant that has not ended, of a user who is not banned. */
export const listLiveTokens = (db: Database, condition?: SQL) =>
  db
    .select({
      hash: oauthTokens.accessHash,
      expiresAt: oauthTokens.accessExpiresAt,
      grantId: oauthGrants.id,
      userId: oauthGrants.userId,
      plan: users.plan,
      /** Whether the program may work as an operator: only while the user is an administrator. */
      operator: sql<boolean>`${oauthGrants.operator} and ${users.role} = 'admin'`,
      email: users.email,
      program: oauthClients.name,
    })
    .from(oauthTokens)
    .innerJoin(oauthGrants, eq(oauthGrants.id, oauthTokens.grantId))
    .innerJoin(oauthClients, eq(oauthClients.id, oauthGrants.clientId))
    .innerJoin(users, eq(users.id, oauthGrants.userId))
    .where(and(isLive, eq(users.banned, false), gt(oauthTokens.accessExpiresAt, sql`now()`), condition))

export const listLiveTokensOf = (db: Database, grants: string[], owners: string[]) =>
  listLiveTokens(db, or(inArray(oauthGrants.id, grants), inArray(oauthGrants.userId, owners)))

export const findLiveToken = async (db: Database, hash: string) =>
  (await listLiveTokens(db, eq(oauthTokens.accessHash, hash)))[0]

export const removeExpiredCodes = (before: Date) => removeWhere(oauthCodes, lt(oauthCodes.expiresAt, before))
export const removeExpiredTokens = (now: Date) => removeWhere(oauthTokens, lt(oauthTokens.refreshExpiresAt, now))
export const removeOldGrantUsage = (day: string) => removeWhere(oauthUsage, lt(oauthUsage.day, day))
export const removeEndedGrants = (before: Date) => removeWhere(oauthGrants, lt(oauthGrants.endedAt, before))

/** Ends live grants that were created before this time and have no token or code left. */
export const removeUnusedGrants =
  (before: Date, now: Date): RemoveBatch =>
  (db, limit) =>
    countedRows(
      db,
      sql`update oauth_grants set ended_at = ${now.toISOString()}::timestamptz, ended_by = 'expired' where id in (
        select g.id from oauth_grants g where g.ended_at is null and g.created_at < ${before.toISOString()}::timestamptz
        and not exists (select 1 from oauth_tokens t where t.grant_id = g.id)
        and not exists (select 1 from oauth_codes c where c.grant_id = g.id)
        limit ${limit} for update skip locked) returning 1`,
    )

/** Deletes programs that were created before this time and have no grant. */
export const removeUnusedClients = (before: Date) =>
  removeWhere(
    oauthClients,
    sql`${oauthClients.createdAt} < ${before.toISOString()}::timestamptz
    and not exists (select 1 from oauth_grants g where g.client_id = ${oauthClients.id})`,
  )

interface GrantFilter {
  id?: string
  user?: string
  live?: boolean
}

/** A subquery for queries of `oauthGrants`: the calls of the grant since a day. */
const callsOn = (surface: Surface, since: string) =>
  sql<number>`(select coalesce(sum(${oauthUsage.calls}), 0) from ${oauthUsage} where ${oauthUsage.grantId} = ${oauthGrants.id} and ${oauthUsage.surface} = ${surface} and ${oauthUsage.day} >= ${since})`.mapWith(
    Number,
  )

const lastUse = () =>
  sql<Date | null>`(select max(${oauthUsage.lastUsedAt}) from ${oauthUsage} where ${oauthUsage.grantId} = ${oauthGrants.id})`.mapWith(
    oauthUsage.lastUsedAt,
  )

/** Live grants first, then ended ones, each newest first. */
export const selectGrants = (
  db: Database,
  { id, user, live }: GrantFilter,
  now: Date,
  limit: number,
  offset: number,
) => {
  const since = usageSince(now)
  return db
    .select({
      id: oauthGrants.id,
      clientId: oauthGrants.clientId,
      kind: oauthClients.kind,
      program: oauthClients.name,
      website: oauthClients.website,
      userId: oauthGrants.userId,
      owner: users.email,
      plan: users.plan,
      ...pickColumns(oauthGrants, 'operator', 'policyVersion', 'policyAgreedAt', 'createdAt'),
      lastUsedAt: lastUse(),
      restCalls: callsOn('rest', since),
      mcpCalls: callsOn('mcp', since),
      endedAt: oauthGrants.endedAt,
      endedBy: oauthGrants.endedBy,
    })
    .from(oauthGrants)
    .innerJoin(oauthClients, eq(oauthClients.id, oauthGrants.clientId))
    .innerJoin(users, eq(users.id, oauthGrants.userId))
    .where(
      and(
        id === undefined ? undefined : eq(oauthGrants.id, id),
        user === undefined ? undefined : eq(oauthGrants.userId, user),
        eitherWay(live, isLive, isNotNull(oauthGrants.endedAt)),
      ),
    )
    .orderBy(sql`${oauthGrants.endedAt} is not null`, desc(oauthGrants.createdAt), desc(oauthGrants.id))
    .limit(limit)
    .offset(offset)
}

export const findGrant = async (db: Database, filter: GrantFilter & { id: string }, now: Date) =>
  (await selectGrants(db, filter, now, 1, 0))[0]

/** Adds the counts of calls. The `keyId` of its rows is the id of the grant. */
export const upsertGrantUsage = upsertUsageInto('oauth_usage', 'grant_id', 'oauth_grants')
