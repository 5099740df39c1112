import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/context.ts'
import { rowsOf } from '../../kernel/rows.ts'
import type { ListedKind } from './schema.ts'
import { categories, directories, directoryCategories, tags, tools } from './tables.ts'

// Private columns are not loaded into the catalog that readers are served from, so no answer can contain them.
const {
  founderEmail: _email,
  published: _publishedTool,
  hiddenReason: _hiddenReason,
  websiteKey: _websiteKey,
  flaggedFields: _flaggedFields,
  ...toolColumns
} = getTableColumns(tools)
const { submissionLink: _link, published: _publishedDirectory, ...directoryColumns } = getTableColumns(directories)

export const listCategories = (db: Database) => db.select().from(categories)
export const listTags = (db: Database) => db.select().from(tags)
export const listDirectoryCategories = (db: Database) => db.select().from(directoryCategories)

export const listPublishedToolsAfter = (db: Database, id: string | null, limit: number): Promise<ToolRow[]> =>
  listAfter(db, tools, toolColumns, id, limit)

export const listPublishedTools = (db: Database, ids: string[]) =>
  db
    .select(toolColumns)
    .from(tools)
    .where(and(inArray(tools.id, ids), eq(tools.published, true)))

export const listPublished = (db: Database, kind: ListedKind, ids: string[]): Promise<(ToolRow | DirectoryRow)[]> =>
  kind === 'tool' ? listPublishedTools(db, ids) : listPublishedDirectories(db, ids)

export const listToolOpens = (db: Database, ids: string[]) =>
  db.select({ id: tools.id, opens: tools.opens }).from(tools).where(inArray(tools.id, ids))

export const listToolIdsUsing = async (db: Database, categorySlugs: string[], tagSlugs: string[]) => {
  const rows = await db
    .select({ id: tools.id })
    .from(tools)
    .where(sql`${tools.category} = any(${textArray(categorySlugs)}) or ${tools.tags} && ${textArray(tagSlugs)}`)
  return rows.map((row) => row.id)
}

export const listPublishedDirectoriesAfter = (
  db: Database,
  id: string | null,
  limit: number,
): Promise<DirectoryRow[]> => listAfter(db, directories, directoryColumns, id, limit)

export const listPublishedDirectories = (db: Database, ids: string[]) =>
  db
    .select(directoryColumns)
    .from(directories)
    .where(and(inArray(directories.id, ids), eq(directories.published, true)))

export const listDirectoryIdsUsing = async (db: Database, categorySlugs: string[]) => {
  const rows = await db
    .select({ id: directories.id })
    .from(directories)
    .where(sql`${directories.categories} && ${textArray(categorySlugs)}`)
  return rows.map((row) => row.id)
}

// `id` is that of the last row read, null for the first page. The whole catalog is read at every start, so this uses the rows of the
// driver: that takes half the time of the query builder's mapping.
async function listAfter<Row>(
  db: Database,
  table: typeof tools | typeof directories,
  columns: Record<string, PgColumn>,
  id: string | null,
  limit: number,
): Promise<Row[]> {
  const after = id === null ? sql`` : sql`and id > ${id}`
  const names = Object.entries(columns).map(([field, column]) => `"${column.name}" as "${field}"`)
  const rows = await rowsOf<Record<string, unknown>>(
    db,
    sql`select ${sql.raw(names.join(', '))} from ${table} where published ${after} order by id limit ${limit}`,
  )
  for (const row of rows) {
    row.createdAt = new Date(row.createdAt as string)
    row.updatedAt = new Date(row.updatedAt as string)
    if (row.opens !== undefined) row.opens = Number(row.opens)
  }
  return rows as Row[]
}

const textArray = (values: string[]) => sql`${sql.param(values)}::text[]`

export type CategoryRow = typeof categories.$inferSelect
export type TagRow = typeof tags.$inferSelect
export type DirectoryCategoryRow = typeof directoryCategories.$inferSelect
export type ToolRow = Awaited<ReturnType<typeof listPublishedTools>>[number]
export type DirectoryRow = Awaited<ReturnType<typeof listPublishedDirectories>>[number]
