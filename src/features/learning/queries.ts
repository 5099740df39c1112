import { and, asc, desc, eq, gte, lt, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { removeWhere } from '../../kernel/queries.ts'
import { MOST_ROWS } from '../unfound/rules.ts'
import { searchOpenings } from './tables.ts'

export type OpeningRow = typeof searchOpenings.$inferSelect
export type NewOpening = Omit<OpeningRow, 'id'>

/** Many years of openings of a whole catalog; a sum must not become infinite. */
const MOST_WEIGHT = 1e300

/** Adds the weights to those of other processes. The rows are sorted, so that two processes that write the same ones cannot deadlock. */
export const insertOpenings = (db: Database, rows: readonly NewOpening[]) =>
  db.execute(sql`
    insert into search_openings as stored (words, listing_id, weight, last_day)
    select o.words, o."listingId", o.weight, o."lastDay"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as o(words text, "listingId" text, weight double precision, "lastDay" date)
    where (select count(*) from search_openings) + ${rows.length} <= ${MOST_ROWS}
      or exists (select from search_openings k where k.words = o.words and k.listing_id = o."listingId")
    order by 1, 2
    on conflict (words, listing_id) do update set
      weight = least(stored.weight + excluded.weight, ${MOST_WEIGHT}::double precision),
      last_day = greatest(stored.last_day, excluded.last_day)`)

/** Those of at least this weight, the weightiest first. */
export const listOpenings = (db: Database, leastWeight: number, limit: number, offset = 0): Promise<OpeningRow[]> =>
  db
    .select()
    .from(searchOpenings)
    .where(gte(searchOpenings.weight, leastWeight))
    .orderBy(desc(searchOpenings.weight), asc(searchOpenings.id))
    .limit(limit)
    .offset(offset)

/** Those of one listing. The table has at most `MOST_ROWS` rows. */
export const listOpeningsOf = (
  db: Database,
  listingId: string,
  leastWeight: number,
  limit: number,
): Promise<OpeningRow[]> =>
  db
    .select()
    .from(searchOpenings)
    .where(and(eq(searchOpenings.listingId, listingId), gte(searchOpenings.weight, leastWeight)))
    .orderBy(desc(searchOpenings.weight), asc(searchOpenings.id))
    .limit(limit)

export const deleteOpening = async (db: Database, id: number): Promise<OpeningRow | undefined> =>
  (await db.delete(searchOpenings).where(eq(searchOpenings.id, id)).returning())[0]

export const removeOldOpenings = (day: string) => removeWhere(searchOpenings, lt(searchOpenings.lastDay, day))
