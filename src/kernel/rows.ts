import type { Database } from './context.ts'

/** The rows of a statement written in SQL. Both drivers return `rows`, but their common type does not declare it. */
export async function rowsOf<Row>(db: Database, statement: Parameters<Database['execute']>[0]): Promise<Row[]> {
  const result: unknown = await db.execute(statement)
  return (result as { rows: Row[] }).rows
}
