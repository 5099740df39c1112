// The calls of each key: the newest one by one, counts by operation and status, and how many charged calls each key or grant has made by day.
import { and, asc, desc, eq, gte, lt, sql, sum } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { pickColumns, removeWhere } from '../../../kernel/database/queries.ts'
import { keyCalls, keyOutcomes, keys, keyUsage } from '../tables.ts'

export type OutcomeRow = typeof keyOutcomes.$inferSelect
export type CallRow = Omit<typeof keyCalls.$inferSelect, 'id' | 'at'> & { /** In milliseconds. */ at: number }

/** Adds all counts in one statement. The rows are sorted so that two processes cannot deadlock. Deleted keys are skipped. */
export const upsertOutcomes = (db: Database, rows: readonly OutcomeRow[]) =>
  db.execute(sql`
    insert into key_outcomes (key_id, day, surface, operation, status, calls)
    select u."keyId", u.day, u.surface, u.operation, u.status, sum(u.calls)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as u("keyId" text, day date, surface text, operation text, status smallint, calls bigint)
    join keys k on k.id = u."keyId"
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (key_id, day, surface, operation, status) do update set calls = key_outcomes.calls + excluded.calls`)

/** Inserts the calls in the given order: their ids then order calls of the same millisecond. Deleted keys are skipped. */
export const insertCalls = (db: Database, rows: readonly CallRow[]) =>
  db.execute(sql`
    insert into key_calls (key_id, at, surface, operation, status, ms, request_id)
    select u."keyId", to_timestamp(u.at / 1000.0), u.surface, u.operation, u.status, u.ms, u."requestId"
    from jsonb_to_recordset(${JSON.stringify(rows.map((row, place) => ({ ...row, place })))}::jsonb)
      as u("keyId" text, at bigint, surface text, operation text, status smallint, ms real, "requestId" text, place int)
    join keys k on k.id = u."keyId"
    order by u.place`)

/** Deletes all but the newest calls of each of these keys. */
export const deleteCallsBeyond = (db: Database, keyIds: readonly string[], kept: number) =>
  db.execute(sql`
    delete from key_calls where id in (
      select id from (
        select id, row_number() over (partition by key_id order by at desc, id desc) as place
        from key_calls where key_id in (select jsonb_array_elements_text(${JSON.stringify(keyIds)}::jsonb))
      ) as numbered where place > ${kept})`)

export const removeOldCalls = (at: Date) => removeWhere(keyCalls, lt(keyCalls.at, at))

export const removeOldOutcomes = (day: string) => removeWhere(keyOutcomes, lt(keyOutcomes.day, day))

/** The newest calls of all keys of a user, or of the key `keyId`. */
export const listCallsOfUser = (
  db: Database,
  userId: string,
  { keyId, since, limit }: { keyId?: string; since: Date; limit: number },
) =>
  db
    .select({ ...pickColumns(keyCalls, 'keyId', 'at', 'surface', 'operation', 'status', 'ms', 'requestId') })
    .from(keyCalls)
    .innerJoin(keys, eq(keys.id, keyCalls.keyId))
    .where(
      and(
        eq(keys.userId, userId),
        gte(keyCalls.at, since),
        keyId === undefined ? undefined : eq(keyCalls.keyId, keyId),
      ),
    )
    .orderBy(desc(keyCalls.at), desc(keyCalls.id))
    .limit(limit)

/** Numbers of calls by day, operation and status, of all keys of a user or of the key `keyId`. */
export const listOutcomesOfUser = (db: Database, userId: string, since: string, keyId?: string) =>
  db
    .select({
      ...pickColumns(keyOutcomes, 'day', 'surface', 'operation', 'status'),
      calls: sum(keyOutcomes.calls).mapWith(Number),
    })
    .from(keyOutcomes)
    .innerJoin(keys, eq(keys.id, keyOutcomes.keyId))
    .where(
      and(
        eq(keys.userId, userId),
        gte(keyOutcomes.day, since),
        keyId === undefined ? undefined : eq(keyOutcomes.keyId, keyId),
      ),
    )
    .groupBy(keyOutcomes.day, keyOutcomes.surface, keyOutcomes.operation, keyOutcomes.status)
    .orderBy(asc(keyOutcomes.day))

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
