import { and, desc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { pickColumns } from '../../kernel/queries.ts'
import { users } from '../accounts/tables.ts'
import { usageSince } from '../keys/account.schema.ts'
import type { Surface } from '../keys/rules.ts'
import { upsertUsageInto } from '../keys/usage.queries.ts'
import { oauthClients, oauthGrants, oauthUsage } from './tables.ts'

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
        live === undefined ? undefined : live ? isNull(oauthGrants.endedAt) : isNotNull(oauthGrants.endedAt),
      ),
    )
    .orderBy(sql`${oauthGrants.endedAt} is not null`, desc(oauthGrants.createdAt), desc(oauthGrants.id))
    .limit(limit)
    .offset(offset)
}

/** In its rows, `keyId` is the id of the grant. */
export const upsertGrantUsage = upsertUsageInto('oauth_usage', 'grant_id', 'oauth_grants')
