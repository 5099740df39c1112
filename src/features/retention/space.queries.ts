// The space of rows that were deleted or changed.
import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { rowsOf } from '../../kernel/rows.ts'

/** As PostgreSQL itself does, a table is cleaned when this many rows, and this part of them, are dead. */
const DEAD_ROWS = 10_000
const DEAD_PART = 0.2

/**
 * Gives back the space of deleted and changed rows. The embedded database has no process of its own for that, and others wait meanwhile, so
 * it is done for one table at a time: the one with the most dead rows.
 */
export async function reclaimSpace(db: Database): Promise<string | undefined> {
  const [worst] = await rowsOf<{ table: string }>(
    db,
    sql`select relname as table from pg_stat_user_tables where schemaname = 'public'
      and n_dead_tup >= ${DEAD_ROWS}::int and n_dead_tup >= ${DEAD_PART}::float8 * n_live_tup order by n_dead_tup desc limit 1`,
  )
  if (worst) await rowsOf(db, sql`vacuum ${sql.identifier(worst.table)}`)
  return worst?.table
}
