// Vacuums tables of the embedded database.
import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { rowsOf } from '../../kernel/rows.ts'

/** A table is vacuumed when it has this many dead rows and this many for each live one, as in PostgreSQL's autovacuum. */
const DEAD_ROWS = 10_000
const DEAD_PART = 0.2

/**
 * Frees the space of deleted and changed rows. The embedded database has no autovacuum, and queries wait during a vacuum, so each call
 * vacuums one table only: the one with the most dead rows.
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
