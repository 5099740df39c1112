// What there is to move, read from the database's own catalog and not from a list of ours: a table that is added later is moved too.
import type { Query } from '../../platform/database/postgres.ts'

export interface Table {
  /** Quoted, with its schema. */
  name: string
  /** For people. */
  title: string
  columns: Column[]
}

export interface Column {
  /** Quoted. */
  name: string
  /** With its schema where that is not the usual one, as in a cast. */
  type: string
}

/** A foreign key between tables that are moved. */
export interface Reference {
  constraint: string
  from: string
  to: string
}

// Ours and the queue's. `drizzle` says which migrations were applied; both sides have the same ones before anything is moved.
const SCHEMAS = ['public', 'jobs']

/** What the queue notes for itself and makes anew in every database, with the reason why it must not be carried over. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'jobs.version': 'says which version of the queue made these tables',
  'jobs.bam': 'changes of the tables themselves that are under way',
  'jobs.queue_stats': 'statistics in tables by day, which the other side has for its own days',
  'jobs.warning': 'warnings about the old database',
}

export async function listTables(query: Query): Promise<Table[]> {
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
  return (rows as Table[]).filter(({ title }) => !(title in LEFT_OUT))
}

export async function listReferences(query: Query): Promise<Reference[]> {
  // A partition's own constraint binds the whole that it is a part of.
  const whole = (column: string) => `
    (select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.oid = coalesce(pg_partition_root(f.${column}), f.${column}))`
  const { rows } = await query(
    `select quote_ident(f.conname) as constraint, ${whole('conrelid')} as "from", ${whole('confrelid')} as "to"
     from pg_constraint f join pg_namespace n on n.oid = f.connamespace
     where f.contype = 'f' and f.conparentid = 0 and n.nspname = any($1)
     order by 1`,
    [SCHEMAS],
  )
  return rows as Reference[]
}

/** Sequences by name, with the columns' own counters among them, and where each stands. */
export async function listSequences(query: Query): Promise<{ name: string; last: string; used: boolean }[]> {
  const { rows } = await query(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind = 'S' order by 1`,
    [SCHEMAS],
  )
  const found = []
  for (const { name } of rows as { name: string }[]) {
    const state = (await query(`select last_value::text as last, is_called as used from ${name}`)).rows[0]
    found.push({ name, ...(state as { last: string; used: boolean }) })
  }
  return found
}

/**
 * The tables in an order in which each comes after those it refers to, and the references that no order can satisfy, because a
 * table refers to itself or several to each other in a circle.
 */
export function inOrder(tables: readonly Table[], references: readonly Reference[]) {
  const left = new Map(tables.map((table) => [table.name, table]))
  const ordered: Table[] = []
  const circular = references.filter(({ from, to }) => from === to)
  const binds = (reference: Reference) => !circular.includes(reference) && left.has(reference.to)
  while (left.size > 0) {
    const free = [...left.keys()].filter((name) => !references.some((one) => one.from === name && binds(one)))
    // A circle: the first of it goes ahead, and what it refers to is checked at the end.
    const next = free[0] ?? left.keys().next().value!
    if (free.length === 0) circular.push(...references.filter((one) => one.from === next && binds(one)))
    ordered.push(left.get(next)!)
    left.delete(next)
  }
  return { ordered, circular }
}
