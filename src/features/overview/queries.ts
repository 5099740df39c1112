import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { onlyRow, rowsOf } from '../../kernel/rows.ts'

/** A menu shows no larger number, so no more rows are counted. */
export const MOST_COUNTED = 1000

/** One statement, because every page of the console asks. Those of sandboxes are left out. */
export const countWaiting = async (db: Database) =>
  onlyRow(
    await rowsOf<{ queue: number; inbox: number; lostLinks: number }>(
      db,
      sql`select
        (select count(*)::int from (select 1 from submissions where state = 'IN_QUEUE' limit ${MOST_COUNTED}) q) as "queue",
        (select count(*)::int from (select 1 from support_conversations where test = false and open_questions > 0 limit ${MOST_COUNTED}) c) as "inbox",
        (select count(*)::int from (select 1 from listing_links where lost_at is not null limit ${MOST_COUNTED}) l) as "lostLinks"`,
    ),
  )
