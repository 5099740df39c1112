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

/** Neighbouring rows in groups that are together no longer than `most`; a longer row has a group of its own. */
export function groupsByLength<Row extends { length: number }>(rows: readonly Row[], most: number): Row[][] {
  const groups: Row[][] = []
  let left = 0
  for (const row of rows) {
    left -= row.length
    if (left < 0) {
      groups.push([])
      left = most - row.length
    }
    groups.at(-1)?.push(row)
  }
  return groups
}
