import { eq, getTableColumns, getTableName, inArray, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/context.ts'
import { eachRange } from '../../kernel/database/block-ranges.queries.ts'
import { onlyRow, rowsOf } from '../../kernel/database/queries.ts'
import type { Ended, ListedKind } from './schema.ts'
import { categories, directories, directoryCategories, tags, tools } from './tables.ts'

// Private columns are not loaded into the catalog that readers are served from, so no answer can contain them.
const {
  founderEmail: _email,
  published: _publishedTool,
  hiddenReason: _hiddenReason,
  websiteKey: _websiteKey,
  flaggedFields: _flaggedFields,
  editedFields: _editedFields,
  ...toolColumns
} = getTableColumns(tools)
const {
  submissionLink: _link,
  published: _publishedDirectory,
  minimumAge: _minimumAge,
  automation: _automation,
  automationQuote: _automationQuote,
  automationReadOn: _automationReadOn,
  searchLink: _searchLink,
  nameLimit: _nameLimit,
  taglineLimit: _taglineLimit,
  shortLimit: _shortLimit,
  longLimit: _longLimit,
  tagsLimit: _tagsLimit,
  ...directoryColumns
} = getTableColumns(directories)
const { nameKey: _nameKey, submittedBy: _submittedBy, ...tagColumns } = getTableColumns(tags)

/**
 * A number that differs between two versions of a row, as SQL: the transaction that wrote the row and the time, in the 53 bits that a
 * number holds exactly. The time is there because transaction numbers repeat after a copy of the database was restored.
 */
export const REVISION =
  '(xmin::text::bigint * 2097152 + case when isfinite(updated_at) then floor(extract(epoch from updated_at) * 1000)::bigint & 2097151 else 0 end)::double precision'

// Each returns all rows, or those with these slugs.
export const selectCategories = (db: Database, slugs?: string[]) =>
  db
    .select()
    .from(categories)
    .where(slugs && inArray(categories.slug, slugs))
export const selectTags = (db: Database, slugs?: string[]) =>
  db
    .select(tagColumns)
    .from(tags)
    .where(slugs && inArray(tags.slug, slugs))
export const selectDirectoryCategories = (db: Database, slugs?: string[]) =>
  db
    .select()
    .from(directoryCategories)
    .where(slugs && inArray(directoryCategories.slug, slugs))

const LISTINGS = {
  tool: { table: tools, columns: toolColumns },
  directory: { table: directories, columns: directoryColumns },
} satisfies Record<ListedKind, { table: typeof tools | typeof directories; columns: Record<string, PgColumn> }>

export const listPublished = (db: Database, kind: ListedKind, ids: readonly string[]) =>
  listingRows(db, kind, sql`and id = any(${textArray(ids)})`)

/** The address of a directory's own form; null when it is not known. */
export const findSubmissionLink = async (db: Database, id: string): Promise<string | null> => {
  const [row] = await db.select({ link: directories.submissionLink }).from(directories).where(eq(directories.id, id))
  return row?.link ?? null
}

export const listToolOpens = (db: Database, ids: string[]) =>
  db.select({ id: tools.id, opens: tools.opens }).from(tools).where(inArray(tools.id, ids))

export const listToolIdsUsing = async (db: Database, categorySlugs: string[], tagSlugs: string[]) => {
  const rows = await db
    .select({ id: tools.id })
    .from(tools)
    .where(sql`${tools.category} = any(${textArray(categorySlugs)}) or ${tools.tags} && ${textArray(tagSlugs)}`)
  return rows.map((row) => row.id)
}

export const listDirectoryIdsUsing = async (db: Database, categorySlugs: string[]) => {
  const rows = await db
    .select({ id: directories.id })
    .from(directories)
    .where(sql`${directories.categories} && ${textArray(categorySlugs)}`)
  return rows.map((row) => row.id)
}

// Uses the rows of the driver, which takes half the time of the query builder: many rows are read at a start and after a large change.
async function listingRows<K extends ListedKind>(db: Database, kind: K, condition: SQL): Promise<RowOf[K][]> {
  const { table, columns } = LISTINGS[kind]
  const names = Object.entries(columns).map(([field, column]) => `"${column.name}" as "${field}"`)
  const selected = sql.raw([...names, `${REVISION} as revision`].join(', '))
  const rows = await rowsOf<RowOf[K]>(db, sql`select ${selected} from ${table} where published ${condition}`)
  for (const row of rows) {
    row.createdAt = new Date(row.createdAt)
    row.updatedAt = new Date(row.updatedAt)
    if ('opens' in row) row.opens = Number(row.opens)
  }
  return rows
}

/** Calls `work` with texts that have a line for each published row: its id and its revision. */
export const eachRevision = (db: Database, kind: ListedKind, work: (lines: string) => void): Promise<void> => {
  const { table } = LISTINGS[kind]
  return eachRange(db, getTableName(table), async (range) => {
    const found = await rowsOf<{ lines: string | null }>(
      db,
      sql`select string_agg(id || ' ' || ${sql.raw(REVISION)}, E'\n') as lines from ${table} where ${range} and published`,
    )
    const { lines } = onlyRow(found)
    if (lines !== null) work(lines)
  })
}

/** Tells this database from its copies, which have the same name but another history. */
export const databaseIdentity = async (db: Database): Promise<string> => {
  const found = await rowsOf<{ identity: string }>(
    db,
    sql`select concat_ws('/', (select system_identifier from pg_control_system()),
      (select timeline_id from pg_control_checkpoint()), (select oid from pg_database where datname = current_database())) as identity`,
  )
  return onlyRow(found).identity
}

const textArray = (values: readonly string[]) => sql`${sql.param(values)}::text[]`

export type CategoryRow = typeof categories.$inferSelect
export type TagRow = Pick<typeof tags.$inferSelect, keyof typeof tagColumns>
export type DirectoryCategoryRow = typeof directoryCategories.$inferSelect
type PublicRow<Row, Columns> = Omit<Pick<Row, keyof Row & keyof Columns>, 'ended'> & {
  ended?: Ended | null
  /** Absent when the row does not come from the database, for example in a preview. */
  revision?: number
}
/** A row that does not come from the database may lack `searchWords`: the index searches them, but clients never see them. */
export type ToolRow = Omit<PublicRow<typeof tools.$inferSelect, typeof toolColumns>, 'searchWords'> & {
  searchWords?: string
}
export type DirectoryRow = PublicRow<typeof directories.$inferSelect, typeof directoryColumns>
interface RowOf {
  tool: ToolRow
  directory: DirectoryRow
}
