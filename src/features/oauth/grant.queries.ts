import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { users } from '../accounts/tables.ts'
import type { Surface } from '../keys/rules.ts'
import type { UsageRow } from '../keys/usage.queries.ts'
import { oauthClients, oauthGrants, oauthUsage } from './tables.ts'

export interface GrantFilter {
  id?: string
  user?: string
  live?: boolean
}

const USAGE_DAYS = 30

/** The calls of the grant of a row since a day. The subquery reads only the counts of that grant. */
const callsOn = (surface: Surface, since: string) =>
  sql<number>`(select coalesce(sum(${oauthUsage.calls}), 0) from ${oauthUsage} where ${oauthUsage.grantId} = ${oauthGrants.id} and ${oauthUsage.surface} = ${surface} and ${oauthUsage.day} >= ${since})`.mapWith(
    Number,
  )

const lastUse = () =>
  sql<Date | null>`(select max(${oauthUsage.lastUsedAt}) from ${oauthUsage} where ${oauthUsage.grantId} = ${oauthGrants.id})`.mapWith(
    oauthUsage.lastUsedAt,
  )

/** Newest first. */
export const listGrants = (db: Database, { id, user, live }: GrantFilter, now: Date, limit: number, offset: number) => {
  const since = new Date(now.getTime() - (USAGE_DAYS - 1) * 24 * 3_600_000).toISOString().slice(0, 10)
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
      policyVersion: oauthGrants.policyVersion,
      policyAgreedAt: oauthGrants.policyAgreedAt,
      createdAt: oauthGrants.createdAt,
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
        live === undefined ? undefined : live ? isNull(oauthGrants.endedAt) : isNotNull(oauthGrants.endedAt),
      ),
    )
    .orderBy(desc(oauthGrants.createdAt), desc(oauthGrants.id))
    .limit(limit)
    .offset(offset)
}

/** Writes all rows in one statement; `keyId` is the grant. Sorted, so that two processes that write the same grants cannot deadlock. */
export const upsertGrantUsage = (db: Database, rows: readonly UsageRow[]) =>
  db.execute(sql`
    insert into oauth_usage (grant_id, day, surface, calls, last_used_at)
    select u."keyId", u.day, u.surface, sum(u.calls), max(u."lastUsedAt")
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as u("keyId" text, day date, surface text, calls bigint, "lastUsedAt" timestamptz)
    join oauth_grants g on g.id = u."keyId"
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (grant_id, day, surface) do update
    set calls = oauth_usage.calls + excluded.calls, last_used_at = greatest(oauth_usage.last_used_at, excluded.last_used_at)`)
