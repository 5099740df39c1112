// The tables to move, read from the database's system catalog, so that tables of later versions are moved too.
import { onlyRow } from '../../kernel/database/queries.ts'
import type { RunSql } from '../../platform/database/postgres.ts'

export interface MovedTable {
  /** Quoted, with the schema. */
  name: string
  /** The name for messages. */
  title: string
  columns: MovedColumn[]
}

interface MovedColumn {
  /** Quoted. */
  name: string
  /** As it is written in a cast: with its schema, unless the schema is in the search path. */
  type: string
}

/** A foreign key between tables that are moved. */
interface ForeignKey {
  constraint: string
  from: string
  to: string
}

// The schemas of the service and of the queue. The schema `drizzle` lists the applied migrations, which are the same on both sides before
// rows are moved.
const SCHEMAS = ['public', 'jobs']

/** Tables that the queue makes for itself in every database, with the reason why each must not be moved. */
export const NOT_MOVED: Readonly<Record<string, string>> = {
  'jobs.version': 'says which version of the queue made these tables',
  'jobs.bam': 'changes of the tables themselves that are under way',
  'jobs.queue_stats': 'statistics in tables by day, which the other side has for its own days',
  'jobs.warning': 'warnings about the old database',
}

export async function listTables(query: RunSql): Promise<MovedTable[]> {
  const { rows } = await query(
    `select n.nspname || '.' || c.relname as title, format('%I.%I', n.nspname, c.relname) as name,
       (select json_agg(json_build_object('name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod)) order by a.attname)
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition
     order by 1`,
    [SCHEMAS],
  )
  return (rows as MovedTable[]).filter(({ title }) => !(title in NOT_MOVED))
}

export async function listReferences(query: RunSql): Promise<ForeignKey[]> {
  // A constraint of a partition counts for the whole partitioned table.
  const wholeTable = (column: string) => `
    (select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.oid = coalesce(pg_partition_root(f.${column}), f.${column}))`
  const { rows } = await query(
    `select quote_ident(f.conname) as constraint, ${wholeTable('conrelid')} as "from", ${wholeTable('confrelid')} as "to"
     from pg_constraint f join pg_namespace n on n.oid = f.connamespace
     where f.contype = 'f' and f.conparentid = 0 and n.nspname = any($1)
     order by 1`,
    [SCHEMAS],
  )
  return rows as ForeignKey[]
}

/** All sequences, including those of identity columns, with their current values. */
export async function listSequences(query: RunSql): Promise<{ name: string; last: string; used: boolean }[]> {
  const { rows } = await query(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind = 'S' order by 1`,
    [SCHEMAS],
  )
  const found: { name: string; last: string; used: boolean }[] = []
  for (const { name } of rows as { name: string }[]) {
    const state = await query(`select last_value::text as last, is_called as used from ${name}`)
    found.push({ name, ...onlyRow(state.rows as { last: string; used: boolean }[]) })
  }
  return found
}

/**
 * The tables in an order in which each follows the tables that it refers to, and the foreign keys that no order can satisfy, because
 * tables refer to themselves or to each other in a circle.
 */
export function inOrder(tables: readonly MovedTable[], references: readonly ForeignKey[]) {
  const pending = new Map(tables.map((table) => [table.name, table]))
  const ordered: MovedTable[] = []
  const circular = references.filter(({ from, to }) => from === to)
  const isUnmet = (reference: ForeignKey) => !circular.includes(reference) && pending.has(reference.to)
  const unmetOf = (table: MovedTable) => references.filter((one) => one.from === table.name && isUnmet(one))
  // If all pending tables refer to each other, the first one is next, and its unmet foreign keys are returned as circular.
  const nextTable = () => pending.values().find((table) => unmetOf(table).length === 0) ?? pending.values().next().value
  for (let next = nextTable(); next; next = nextTable()) {
    circular.push(...unmetOf(next))
    ordered.push(next)
    pending.delete(next.name)
  }
  return { ordered, circular }
}
