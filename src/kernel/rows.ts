import type { Database } from './context.ts'

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

/** Long rows are read in groups up to this length, because the driver processes a database response in one go, which delays requests. */
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
