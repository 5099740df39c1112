import { eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { raisedVersion } from '../audit/queries.ts'
import type { ListedKind } from '../catalog/schema.ts'
import { directories, tools } from '../catalog/tables.ts'
import type { PictureFields } from './pictures.rules.ts'
import { pictureCopies } from './tables.ts'

/** The file names of the copies that exist, by key. */
export const findCopies = async (db: Database, keys: readonly string[]): Promise<Map<string, string>> => {
  if (keys.length === 0) return new Map()
  // One parameter, because an import asks for hundreds at a time.
  const isAsked = sql`${pictureCopies.key} = any(${sql.param(keys)}::text[])`
  const rows = await db.select({ key: pictureCopies.key, name: pictureCopies.name }).from(pictureCopies).where(isAsked)
  return new Map(rows.map(({ key, name }) => [key, name]))
}

export const upsertCopy = (db: Database, key: string, name: string, madeAt: Date) =>
  db
    .insert(pictureCopies)
    .values({ key, name, madeAt })
    .onConflictDoUpdate({ target: pictureCopies.key, set: { name, madeAt } })

export const deleteCopies = (db: Database, names: readonly string[]) =>
  db.delete(pictureCopies).where(inArray(pictureCopies.name, [...names]))

const TABLES = { tool: tools, directory: directories }

/** The listing must be locked. */
export const updatePictures = (
  db: Database,
  kind: ListedKind,
  id: string,
  fields: Partial<PictureFields>,
  at: Date,
) => {
  const table = TABLES[kind] as typeof tools
  return db
    .update(table)
    .set({ ...fields, updatedAt: at, version: raisedVersion(table.version) })
    .where(eq(table.id, id))
}
