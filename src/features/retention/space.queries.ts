// Frees the space of deleted rows and counts the tables of the embedded database. On a server PostgreSQL's autovacuum does both.
import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { rowsOf } from '../../kernel/database/queries.ts'

/** A table is vacuumed when it has this many dead rows, and at least this many for each live row, as in PostgreSQL's autovacuum. */
const DEAD_ROWS = 10_000
const DEAD_PART = 0.2

/**
 * A table is analyzed when this many rows and this part of all rows have changed. A table that was never analyzed is analyzed when it has
 * `UNCOUNTED_BYTES`.
 */
const CHANGED_ROWS = 1_000
const CHANGED_PART = 0.2
const UNCOUNTED_BYTES = 1_000_000

/**
 * Frees the space of deleted and changed rows. Queries wait during a vacuum, so each call vacuums one table only: the one with the most
 * dead rows. Returns its name; undefined when no table needs it.
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

/**
 * Counts the rows and values of tables that have changed much, and returns their names. Without the counts, the database takes a large table
 * for a small one, and a join may compare each row of one table with each row of the other.
 */
export async function refreshStatistics(db: Database): Promise<string[]> {
  const changed = await rowsOf<{ table: string }>(
    db,
    sql`select s.relname as table from pg_stat_user_tables s join pg_class c on c.oid = s.relid where schemaname = 'public'
      and (n_mod_since_analyze >= greatest(${CHANGED_ROWS}::int, ${CHANGED_PART}::float8 * reltuples)
        or (reltuples < 0 and pg_relation_size(s.relid) >= ${UNCOUNTED_BYTES}::int)) order by s.relname`,
  )
  for (const { table } of changed) await rowsOf(db, sql`analyze ${sql.identifier(table)}`)
  return changed.map(({ table }) => table)
}
