// What visitors do with tools: click-throughs, each counted once for a visitor, tool and day, and the numbers by day that owners see.
import { and, asc, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { removeWhere } from '../../../kernel/database/queries.ts'
import { tools } from '../../catalog/tables.ts'
import { toolDays, visits } from '../tables.ts'

export type CountedVisit = typeof visits.$inferInsert

/** Returns the visits that were not stored before. Visits of deleted tools are skipped. */
export async function insertVisits(
  db: Database,
  rows: readonly CountedVisit[],
): Promise<{ toolId: string; day: string }[]> {
  const existingTools = await db
    .select({ id: tools.id })
    .from(tools)
    .where(inArray(tools.id, [...new Set(rows.map((row) => row.toolId))]))
  const ids = new Set(existingTools.map((tool) => tool.id))
  const visitsToStore = rows.filter((row) => ids.has(row.toolId))
  if (visitsToStore.length === 0) return []
  return db
    .insert(visits)
    .values(visitsToStore)
    .onConflictDoNothing()
    .returning({ toolId: visits.toolId, day: visits.day })
}

/**
 * Adds the new visits of each tool. The rows are locked in the order of ids, so that two processes cannot deadlock. The lock is
 * `for no key update`, because new rows that refer to a tool do not wait for it.
 */
export const addOpens = (db: Database, visitsOf: ReadonlyMap<string, number>) =>
  db.execute(sql`
    with visited as (
      select tools.id, visits
      from unnest(${sql.param([...visitsOf.keys()])}::text[], ${sql.param([...visitsOf.values()])}::int[]) as given (id, visits)
      join tools on tools.id = given.id
      order by tools.id for no key update of tools)
    update tools set opens = opens + visits from visited where tools.id = visited.id`)

/** Removes the visits before `day`. They are not needed: they only prevented that a visitor was counted twice on one day. */
export const removeOldVisits = (day: string) => removeWhere(visits, lt(visits.day, day))

export type ToolDay = typeof toolDays.$inferSelect

/**
 * Adds the counts to those of other processes, in one statement. The rows are sorted, so that two processes that write the same ones
 * cannot deadlock. Rows of deleted tools are skipped.
 */
export const addToolDays = (db: Database, rows: readonly ToolDay[]) =>
  db.execute(sql`
    insert into tool_days as stored (tool_id, day, appearances, views, opens)
    select d."toolId", d.day, d.appearances, d.views, d.opens
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as d("toolId" text, day date, appearances int, views int, opens int)
    where exists (select from tools t where t.id = d."toolId")
    order by 1, 2
    on conflict (tool_id, day) do update set
      appearances = least(stored.appearances::bigint + excluded.appearances, ${MOST_COUNT}),
      views = least(stored.views::bigint + excluded.views, ${MOST_COUNT}),
      opens = least(stored.opens::bigint + excluded.opens, ${MOST_COUNT})`)

/** Sums stop here, so that they fit into their columns; a page has fewer visitors a day. */
const MOST_COUNT = 2_000_000_000

export const listToolDays = (db: Database, toolId: string, since: string): Promise<ToolDay[]> =>
  db
    .select()
    .from(toolDays)
    .where(and(eq(toolDays.toolId, toolId), gte(toolDays.day, since)))
    .orderBy(asc(toolDays.day))

export const removeOldToolDays = (day: string) => removeWhere(toolDays, lt(toolDays.day, day))
