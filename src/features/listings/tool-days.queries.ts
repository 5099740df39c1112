import { and, asc, eq, gte, lt, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { removeWhere } from '../../kernel/queries.ts'
import { toolDays } from './tables.ts'

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

/** More than the people who can visit a page in a day; a sum must fit into its column. */
const MOST_COUNT = 2_000_000_000

export const listToolDays = (db: Database, toolId: string, since: string): Promise<ToolDay[]> =>
  db
    .select()
    .from(toolDays)
    .where(and(eq(toolDays.toolId, toolId), gte(toolDays.day, since)))
    .orderBy(asc(toolDays.day))

export const removeOldToolDays = (day: string) => removeWhere(toolDays, lt(toolDays.day, day))
