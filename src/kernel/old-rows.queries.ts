// Deleting what is old in batches: a statement locks a bounded number of rows, and none that another transaction has locked.
import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from './context.ts'
import { onlyRow, rowsOf } from './rows.ts'

/** Deletes at most `limit` rows and returns how many it has deleted. */
export type RemoveBatch = (db: Database, limit: number) => Promise<number>

/** The rows of the table that fulfil the condition. */
export const removeWhere =
  (table: PgTable, condition: SQL | undefined): RemoveBatch =>
  (db, limit) =>
    countedRows(
      db,
      sql`delete from ${table} where ctid = any(array(
        select ctid from ${table} where ${condition ?? sql`false`} limit ${limit} for update skip locked)) returning 1`,
    )

/** How many rows a statement with `returning` returns; the rows themselves are not sent. */
export const countedRows = async (db: Database, statement: SQL): Promise<number> =>
  onlyRow(await rowsOf<{ count: number }>(db, sql`with gone as (${statement}) select count(*)::int as count from gone`))
    .count
