// What visitors opened after a question. A pair is the hash of a question and a listing in a month (`openings.ts`).
import { and, asc, count, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../kernel/context.ts'
import { lockText, removeWhere, rowsOf } from '../../kernel/database/queries.ts'
import { MOST_ROWS } from '../unfound/rules.ts'
import { searchOpeningCallers, searchOpenings } from './tables.ts'

export type OpeningRow = typeof searchOpenings.$inferSelect
export type NewOpening = Omit<OpeningRow, 'id'>
export type OpeningCaller = typeof searchOpeningCallers.$inferSelect

/** When the table has this many rows, no more callers are counted until the month is over. */
const MOST_CALLER_ROWS = 200_000

/**
 * Weights of newer openings are larger (`weightAt`), so the sums grow with the years. Many years of openings of a whole catalog stay below
 * this bound, which keeps a sum from becoming infinite.
 */
const MOST_WEIGHT = 1e300

/** Without this lock, neither of two concurrent transactions would count the callers of a pair that the other one stores. */
export const lockOpenings = (db: Transaction) => lockText(db, 'search openings')

/** Stores callers, except those that are stored already. Returns the pair of each caller that was added. */
export const addOpeningCallers = async (db: Transaction, rows: readonly OpeningCaller[]): Promise<string[]> => {
  const stored = await rowsOf<{ pair: string }>(
    db,
    sql`insert into search_opening_callers (pair, caller, month)
    select o.pair, o.caller, o.month
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as o(pair text, caller text, month date)
    where (select count(*) from search_opening_callers) + ${rows.length} <= ${MOST_CALLER_ROWS}
    on conflict do nothing returning pair`,
  )
  return stored.map(({ pair }) => pair)
}

export const countOpeningCallers = async (db: Database, pairs: readonly string[]): Promise<Map<string, number>> => {
  const { pair } = searchOpeningCallers
  const rows = await db
    .select({ pair, callers: count() })
    .from(searchOpeningCallers)
    .where(inArray(pair, [...pairs]))
    .groupBy(pair)
  return new Map(rows.map(({ pair, callers }) => [pair, callers]))
}

export const removeOldOpeningCallers = (month: string) =>
  removeWhere(searchOpeningCallers, lt(searchOpeningCallers.month, month))

/** Adds the weights to those of other processes. The rows are sorted, so that two processes that write the same ones cannot deadlock. */
export const addOpenings = (db: Database, rows: readonly NewOpening[]) =>
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

/** Openings of at least this weight, those with the highest weight first. */
export const listOpenings = (db: Database, leastWeight: number, limit: number, offset = 0): Promise<OpeningRow[]> =>
  db
    .select()
    .from(searchOpenings)
    .where(gte(searchOpenings.weight, leastWeight))
    .orderBy(desc(searchOpenings.weight), asc(searchOpenings.id))
    .limit(limit)
    .offset(offset)

/** Openings of one listing of at least this weight. The table has at most `MOST_ROWS` rows. */
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
