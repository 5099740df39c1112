import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './context.ts'
import { onlyRow, rowsOf } from './rows.ts'

/** The channel of the database on which changes are announced. */
export const CHANNEL = 'catalog'

/** Wakes the background work of this topic in every process, when the transaction is committed. Queries that make something due call it. */
export const announceDue = (db: Database, topic: string) =>
  db.execute(sql`select pg_notify(${CHANNEL}, ${JSON.stringify({ topic })})`)

/** How many milliseconds the time that the query finds is after `from`; null when it finds none. */
export const findMsTo = async (db: Database, time: SQL, from: Date): Promise<number | null> =>
  onlyRow(
    await rowsOf<{ ms: number | null }>(
      db,
      sql`select (extract(epoch from (${time}) - ${from.toISOString()}::timestamptz) * 1000)::float8 as ms`,
    ),
  ).ms
