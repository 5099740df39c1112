// Reading a whole table in the order in which it is stored, one range of its blocks after the other: each statement takes a moment, however
// large the table is. In the order of a key, nearly every row would be in another block than the one before.
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './context.ts'
import { onlyRow, rowsOf } from './rows.ts'

// Rows may be short or have megabytes beside the table, so the first range is one block, and the next follows from the time of the last
// one. It grows only so far, because a range of short rows may be followed by one of long rows: less far for work that reads long values,
// the more of them are stored beside the table. A part of a block would miss rows: a change usually puts the new version of a row into the same block.
const FIRST_BLOCKS = 1
const MOST_BLOCKS = 512
const LITTLE_BESIDE = 32 * 1024 * 1024
const QUICK_MS = 100
const SLOW_MS = 300

export const ENOUGH = Symbol('enough')

/**
 * Gives every range to `work`, until that answers `ENOUGH`. A row that is changed meanwhile may be in two ranges, or in none when the new
 * version is stored in a range that was read already; use `inSnapshot` where none may be missed.
 */
export async function eachRange(
  db: Database,
  table: string,
  work: (range: SQL) => Promise<unknown>,
  { readsLongValues = false } = {},
): Promise<void> {
  let from = 0
  let size = FIRST_BLOCKS
  // The second time for what was moved to the end meanwhile: a change of a row makes a new one.
  for (let round = 0; round < 2; round++) {
    const { blocks, beside } = await sizeOf(db, table)
    const most = readsLongValues ? Math.ceil(MOST_BLOCKS * Math.min(1, LITTLE_BESIDE / beside)) : MOST_BLOCKS
    while (from < blocks) {
      const begun = performance.now()
      const to = Math.min(from + size, blocks)
      const range = sql`ctid >= ${`(${from},0)`}::tid and ctid < ${`(${to},0)`}::tid`
      if ((await work(range)) === ENOUGH) return
      from = to
      const ms = performance.now() - begun
      if (ms < QUICK_MS) size = Math.min(most, size * 2)
      else if (ms > SLOW_MS) size = Math.max(1, Math.floor((size * QUICK_MS) / ms))
    }
  }
}

/** Reads the database as it was at the beginning, whatever is changed meanwhile. */
export const inSnapshot = <T>(db: Database, read: (snapshot: Database) => Promise<T>): Promise<T> =>
  db.transaction(read, { isolationLevel: 'repeatable read', accessMode: 'read only' })

interface Size {
  blocks: number
  /** Bytes of long values, which are stored beside the table. */
  beside: number
}

const sizeOf = async (db: Database, table: string): Promise<Size> =>
  onlyRow(
    await rowsOf<Size>(
      db,
      sql`select (pg_relation_size(${table}::regclass) / current_setting('block_size')::int)::int as blocks,
        (pg_table_size(${table}::regclass) - pg_relation_size(${table}::regclass))::float8 as beside`,
    ),
  )
