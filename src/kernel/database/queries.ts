// Parts of statements that several features use.
import { and, getTableColumns, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../context.ts'

/**
 * Deletes at most `limit` rows, so that one statement locks few rows, and returns how many it has deleted. Rows that another transaction
 * has locked are left for a later call, so the statement never waits.
 */
export type RemoveBatch = (db: Database, limit: number) => Promise<number>

/** Deletes the rows of the table that fulfil the condition. */
export const removeWhere =
  (table: PgTable, condition: SQL | undefined): RemoveBatch =>
  (db, limit) =>
    countedRows(
      db,
      sql`delete from ${table} where ctid = any(array(
        select ctid from ${table} where ${condition ?? sql`false`} limit ${limit} for update skip locked)) returning 1`,
    )

/** Deletes the oldest of the rows that fulfil the condition, so that at most `most` of them stay. */
export const deleteOldest = (db: Database, table: PgTable, condition: SQL | undefined, most: number) =>
  db.execute(sql`delete from ${table} where id in (
    select id from ${table} where ${condition ?? sql`true`} order by created_at desc, id desc offset ${most})`)

/** These columns of the table, for `select`. */
export const pickColumns = <T extends PgTable, Name extends keyof T['_']['columns'] & string>(
  table: T,
  ...names: readonly Name[]
) => {
  const columns = getTableColumns(table)
  return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<T['_']['columns'], Name>
}

/** How many rows a statement with `returning` returns; the rows themselves are not sent. */
export const countedRows = async (db: Database, statement: SQL): Promise<number> =>
  onlyRow(await rowsOf<{ count: number }>(db, sql`with gone as (${statement}) select count(*)::int as count from gone`))
    .count

/** Locks a text until the transaction ends: another transaction that locks the same text waits. */
export const lockText = (db: Database, text: string) =>
  db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`)

/** A column to search, or a condition of its own, such as a subquery, that applies `contains` to other texts. */
type SearchedText = SQLWrapper | ((contains: (text: SQLWrapper) => SQL) => SQL)

/** The condition of the parameter `q` of operator lists: every word must be in one of the texts, ignoring case. Undefined without words. */
export function hasWords(words: string | undefined, texts: readonly SearchedText[]): SQL | undefined {
  const conditions = texts.filter((text) => typeof text === 'function')
  const columns = texts.filter((text) => typeof text !== 'function')
  // Searched as one text, which takes a third of the time. No word has a line break, so none is found across two columns.
  const joined = columns.length > 0 ? [sql`concat_ws(E'\n', ${sql.join([...columns], sql`, `)})`] : []
  const given = new Set((words ?? '').split(/\s+/).filter(Boolean))
  return and(
    ...[...given].map((word) => {
      const contains = (text: SQLWrapper): SQL => sql`position(lower(${word}::text) in lower(${text})) > 0`
      return or(...joined.map(contains), ...conditions.map((condition) => condition(contains)))
    }),
  )
}

/** The condition of a filter that is true, false or not given. Returns undefined when it is not given. */
export function eitherWay(filter: boolean | undefined, ifTrue: SQL | undefined, ifFalse: SQL | undefined) {
  if (filter === undefined) return undefined
  return filter ? ifTrue : ifFalse
}

/** The channel of the database on which changes are announced. */
export const CHANNEL = 'catalog'

/** Wakes the background work of this topic in every process when the transaction is committed. Call it when work becomes due. */
export const announceDue = (db: Database, topic: string) =>
  db.execute(sql`select pg_notify(${CHANNEL}, ${JSON.stringify({ topic })})`)

/** The topic that an import announces when it has stored very many rows, so that the statistics of the tables are counted at once. */
export const BULK_TOPIC = 'bulk'

/** The milliseconds from `from` to the time that the query finds; null when it finds none. */
export const findMsTo = async (db: Database, time: SQL, from: Date): Promise<number | null> =>
  onlyRow(
    await rowsOf<{ ms: number | null }>(
      db,
      sql`select (extract(epoch from (${time}) - ${from.toISOString()}::timestamptz) * 1000)::float8 as ms`,
    ),
  ).ms

/** The rows of a statement written in SQL. Both drivers return `rows`, but their common type does not declare it. */
export async function rowsOf<Row>(db: Database, statement: Parameters<Database['execute']>[0]): Promise<Row[]> {
  const result: unknown = await db.execute(statement)
  return (result as { rows: Row[] }).rows
}

/** The one row of a statement that always returns one: a count, `returning` of an insert, an update of a row that is locked. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('The database returned no row for a statement that always returns one.')
  return row
}

/** Long rows are read in groups of at most this length: the driver processes a whole response at once, and requests wait meanwhile. */
const LENGTH_TOGETHER = 500_000

/** Puts neighbouring rows into groups of at most `maxLength` in all; a longer row is a group of its own. */
export function groupsByLength<Row extends { length: number }>(
  rows: readonly Row[],
  maxLength = LENGTH_TOGETHER,
): Row[][] {
  const groups: Row[][] = []
  let room = 0
  for (const row of rows) {
    room -= row.length
    if (room < 0) {
      groups.push([])
      room = maxLength - row.length
    }
    groups.at(-1)?.push(row)
  }
  return groups
}
