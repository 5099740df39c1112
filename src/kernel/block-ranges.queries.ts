// Reading a whole table in the order in which it is stored, one range of its blocks after the other: each statement takes a moment, however
// large the table is. In the order of a key, nearly every row would be in another block than the one before.
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './context.ts'
import { onlyRow, rowsOf } from './rows.ts'

// A range is counted in places of rows. Rows may be short or have megabytes beside the table, so the first range is small, and the next
// follows from the time of the last one. It grows only so far, because a range of short rows may be followed by one of long rows: less far,
// the more is stored beside the table.
const FIRST_PLACES = 8
const MOST_BLOCKS = 512
const LITTLE_BESIDE = 32 * 1024 * 1024
const QUICK_MS = 100
const SLOW_MS = 300

export const ENOUGH = Symbol('enough')

/**
 * Gives every range to `work`, until that answers `ENOUGH`. A row that is changed meanwhile may be in two ranges, or in none when the new
 * version is stored in a range that was read already; use `inSnapshot` where none may be missed.
 */
export async function eachRange(db: Database, table: string, work: (range: SQL) => Promise<unknown>): Promise<void> {
  let from = 0
  let size = FIRST_PLACES
  // The second time for what was moved to the end meanwhile: a change of a row makes a new one.
  for (let round = 0; round < 2; round++) {
    const { blocks, places, beside } = await sizeOf(db, table)
    const most = Math.ceil(MOST_BLOCKS * Math.min(1, LITTLE_BESIDE / beside)) * places
    const tid = (place: number): SQL => sql`${`(${Math.floor(place / places)},${place % places})`}::tid`
    while (from < blocks * places) {
      const begun = performance.now()
      const to = Math.min(from + size, blocks * places)
      if ((await work(sql`ctid >= ${tid(from)} and ctid < ${tid(to)}`)) === ENOUGH) return
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
  /** So many rows have place in a block: each has 28 bytes beside its values. */
  places: number
  /** Bytes of long values, which are stored beside the table. */
  beside: number
}

const sizeOf = async (db: Database, table: string): Promise<Size> =>
  onlyRow(
    await rowsOf<Size>(
      db,
      sql`select (pg_relation_size(${table}::regclass) / current_setting('block_size')::int)::int as blocks,
        current_setting('block_size')::int / 28 as places,
        (pg_table_size(${table}::regclass) - pg_relation_size(${table}::regclass))::float8 as beside`,
    ),
  )
