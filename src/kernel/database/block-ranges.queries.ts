// Reads a whole table in the order in which it is stored, one range of its blocks after the other, so that each statement is short. In the
// order of a key, nearly every row would be in another block than the row before.
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../context.ts'
import { onlyRow, rowsOf } from './queries.ts'

// The first range is one block, because rows may have megabytes of long values, which PostgreSQL stores outside of the blocks. The time of
// each range decides the size of the next, up to a limit, because long rows may follow short ones. The limit is lower for work that reads
// long values if there are many. A range never ends inside a block, because a change usually moves a row within its block.
const FIRST_BLOCKS = 1
const MAX_BLOCKS = 512
const FEW_LONG_BYTES = 32 * 1024 * 1024
const QUICK_MS = 100
const SLOW_MS = 300

/** `work` returns this to end `eachRange` early. */
export const ENOUGH = Symbol('enough')

/**
 * Calls `work` with every range. A row that is changed meanwhile may be in two ranges, or in none if its new version is stored in a range
 * that was read already; use `inSnapshot` where no row may be missed.
 */
export async function eachRange(
  db: Database,
  table: string,
  work: (range: SQL) => Promise<unknown>,
  { readsLongValues = false } = {},
): Promise<void> {
  let from = 0
  let size = FIRST_BLOCKS
  // The second round reads what was added at the end meanwhile: a change of a row stores a new version, perhaps at the end.
  for (let round = 0; round < 2; round++) {
    const { blocks, longBytes } = await sizeOf(db, table)
    const maxSize = readsLongValues ? Math.ceil(MAX_BLOCKS * Math.min(1, FEW_LONG_BYTES / longBytes)) : MAX_BLOCKS
    while (from < blocks) {
      const begun = performance.now()
      const to = Math.min(from + size, blocks)
      const range = sql`ctid >= ${`(${from},0)`}::tid and ctid < ${`(${to},0)`}::tid`
      if ((await work(range)) === ENOUGH) return
      from = to
      const ms = performance.now() - begun
      if (ms < QUICK_MS) size = Math.min(maxSize, size * 2)
      else if (ms > SLOW_MS) size = Math.max(1, Math.floor((size * QUICK_MS) / ms))
    }
  }
}

/** `read` sees the database as it was at the beginning, whatever is changed meanwhile. */
export const inSnapshot = <T>(db: Database, read: (snapshot: Database) => Promise<T>): Promise<T> =>
  db.transaction(read, { isolationLevel: 'repeatable read', accessMode: 'read only' })

interface Size {
  blocks: number
  /** Bytes of long values, which are stored outside of the blocks. */
  longBytes: number
}

const sizeOf = async (db: Database, table: string): Promise<Size> =>
  onlyRow(
    await rowsOf<Size>(
      db,
      sql`select (pg_relation_size(${table}::regclass) / current_setting('block_size')::int)::int as blocks,
        (pg_table_size(${table}::regclass) - pg_relation_size(${table}::regclass))::float8 as "longBytes"`,
    ),
  )
