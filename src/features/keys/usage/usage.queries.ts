// How many charged calls each key or grant has made, by day.
import { and, asc, eq, gte, lt, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { removeWhere } from '../../../kernel/database/queries.ts'
import { keys, keyUsage } from '../tables.ts'

export type UsageRow = typeof keyUsage.$inferSelect

/**
 * Returns a function that adds counts to `usageTable` in one statement. Rows of callers that are not (or no longer) in `callerTable` are
 * skipped. The rows are sorted, so that two processes that write the same callers cannot deadlock.
 */
export function upsertUsageInto(usageTable: string, callerColumn: string, callerTable: string) {
  const [into, id, from] = [sql.identifier(usageTable), sql.identifier(callerColumn), sql.identifier(callerTable)]
  return (db: Database, rows: readonly UsageRow[]) =>
    db.execute(sql`
      insert into ${into} (${id}, day, surface, calls, last_used_at)
      select u."keyId", u.day, u.surface, sum(u.calls), max(u."lastUsedAt")
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as u("keyId" text, day date, surface text, calls bigint, "lastUsedAt" timestamptz)
      join ${from} c on c.id = u."keyId"
      group by 1, 2, 3 order by 1, 2, 3
      on conflict (${id}, day, surface) do update
      set calls = ${into}.calls + excluded.calls, last_used_at = greatest(${into}.last_used_at, excluded.last_used_at)`)
}

export const upsertUsage = upsertUsageInto('key_usage', 'key_id', 'keys')

/** Calls of one user's keys since a day, by key, day and surface. */
export const listUsageOfUser = (db: Database, userId: string, since: string) =>
  db
    .select({ keyId: keyUsage.keyId, day: keyUsage.day, surface: keyUsage.surface, calls: keyUsage.calls })
    .from(keyUsage)
    .innerJoin(keys, eq(keys.id, keyUsage.keyId))
    .where(and(eq(keys.userId, userId), gte(keyUsage.day, since)))
    .orderBy(asc(keyUsage.day), asc(keyUsage.keyId), asc(keyUsage.surface))

/** A subquery for queries of `keys`: when the key was last used. */
export const lastUse = () =>
  sql<Date | null>`(select max(${keyUsage.lastUsedAt}) from ${keyUsage} where ${keyUsage.keyId} = ${keys.id})`.mapWith(
    keyUsage.lastUsedAt,
  )

export const removeOldUsage = (day: string) => removeWhere(keyUsage, lt(keyUsage.day, day))
