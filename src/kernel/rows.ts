import type { Database } from './context.ts'

/** The rows of a statement written in SQL. Both drivers answer with `rows`, which their common type does not say. */
export async function rowsOf<Row>(db: Database, statement: Parameters<Database['execute']>[0]): Promise<Row[]> {
  const result: unknown = await db.execute(statement)
  return (result as { rows: Row[] }).rows
}
