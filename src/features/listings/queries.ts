import { and, asc, desc, eq, getTableColumns, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/context.ts'
import { onlyRow, rowsOf } from '../../kernel/rows.ts'
import { firstVersion, raisedVersion } from '../audit/queries.ts'
import { audit } from '../audit/tables.ts'
import type { Kind, ListedKind, TermKind } from '../catalog/schema.ts'
import { categories, directories, directoryCategories, tags, tools } from '../catalog/tables.ts'
import type { CheckedFields, StoredRow } from './rules.ts'
import { visits } from './tables.ts'

export const TABLES = {
  category: categories,
  tag: tags,
  directoryCategory: directoryCategories,
  tool: tools,
  directory: directories,
}

// A stored time outside these years is broken and is replaced.
const CREATED_AT = `coalesce(given.created_at, case when old.created_at between '0001-01-01T00:00Z' and '9999-12-31T00:00Z' then old.created_at end, now())`

// Columns that are computed and not simply the given value: some keep their old value when a listing is replaced without them.
const COMPUTED: Partial<Record<Kind, Record<string, string>>> = {
  tool: {
    opens: 'coalesce(given.opens, old.opens, 0)',
    created_at: CREATED_AT,
    hidden_reason: `case when given.published then null else coalesce(given.hidden_reason, case when old.published then 'taken-down' else old.hidden_reason end, 'draft') end`,
  },
  directory: { created_at: CREATED_AT },
}

/**
 * Creates or replaces many rows of one kind by slug. Returns the ids (slugs for the taxonomy) of the rows that are new or changed. A row
 * whose values are the same stays untouched and keeps the time of its last change.
 */
export async function upsertRows(db: Database, kind: Kind, rows: readonly StoredRow[]): Promise<string[]> {
  const table = TABLES[kind]
  const computed = COMPUTED[kind] ?? {}
  const columns = columnNames(table)
  // The existing rows are locked first, so that a click-through counted in between is not overwritten.
  const slugs = sql.param(rows.map((row) => row.slug))
  await db.execute(sql`select 1 from ${table} where slug = any(${slugs}::text[]) for update`)
  const values = columns.map((name) =>
    name === 'version' ? newVersion(kind) : sql.raw(computed[name] ?? `given.${name}`),
  )
  const replaced = columns.filter((name) => name !== 'slug' && name !== 'id')
  const changes = replaced.map((name) => `${name} = ${name === 'version' ? 'stored.version + 1' : `excluded.${name}`}`)
  const compared = replaced.filter((name) => name !== 'updated_at' && name !== 'version').map(comparable(table))
  const state = (of: string) => compared.map((column) => `${of}.${column}`).join(', ')
  const stored = await rowsOf<{ key: string }>(
    db,
    sql`
    insert into ${table} as stored (${sql.raw(columns.join(', '))})
    select ${sql.join(values, sql`, `)}
    from json_populate_recordset(null::${table}, ${JSON.stringify(rows)}::json) given left join ${table} old on old.slug = given.slug
    on conflict (slug) do update set ${sql.raw(changes.join(', '))}
      where (${sql.raw(state('stored'))}) is distinct from (${sql.raw(state('excluded'))})
    returning stored.${sql.raw(columns.includes('id') ? 'id' : 'slug')} as key`,
  )
  return stored.map((row) => row.key)
}

/** The first version is looked up only for new rows, because the version of a stored row is raised instead. */
const newVersion = (kind: Kind): SQL =>
  sql`case when old.slug is null then ${firstVersion(sql.raw(`'${kind}:' || given.slug`))} else 1 end`

/** Makes concurrent writes of the same entry wait for each other, also while there is no row to lock. */
export const lockSlug = (db: Database, kind: Kind, slug: string) =>
  db.execute(sql`select pg_advisory_xact_lock(7203113, hashtext(${`${kind}:${slug}`}))`)

/** Allows one import at a time, because two that contain the same rows in another order would deadlock. False while another one runs. */
export const lockImports = async (db: Database): Promise<boolean> => {
  const locks = await rowsOf<{ locked: boolean }>(db, sql`select pg_try_advisory_xact_lock(7203112) as locked`)
  return onlyRow(locks).locked
}

/** PostgreSQL cannot compare json values, but their text can be compared, because the service always writes it the same way. */
function comparable(table: PgTable): (name: string) => string {
  const json = new Set(
    Object.values(getTableColumns(table)).flatMap(({ name, dataType }) => (dataType === 'json' ? [name] : [])),
  )
  return (name) => (json.has(name) ? `${name}::text` : name)
}

const columnNames = (table: PgTable): string[] => Object.values(getTableColumns(table)).map((column) => column.name)

export async function listSlugs(db: Database, kind: TermKind): Promise<Set<string>> {
  const table = TABLES[kind]
  return new Set((await db.select({ slug: table.slug }).from(table)).map((row) => row.slug))
}

/** The deleted listing; `in use` when other rows refer to it, after which the transaction cannot be used any more. */
export async function deleteListing(
  db: Database,
  kind: ListedKind,
  slug: string,
): Promise<{ id: string; version: number } | 'in use' | undefined> {
  const table = TABLES[kind]
  try {
    return (await db.delete(table).where(eq(table.slug, slug)).returning({ id: table.id, version: table.version }))[0]
  } catch (error) {
    if (isForeignKeyViolation(error)) return 'in use'
    throw error
  }
}

// The SQLSTATE code of PostgreSQL.
const FOREIGN_KEY_VIOLATION = '23503'
const isForeignKeyViolation = (error: unknown): boolean =>
  ((error as Error).cause as { code?: string } | undefined)?.code === FOREIGN_KEY_VIOLATION

export type StoredRecord = Record<string, unknown> & { slug: string; version: number }

export async function findRecord(db: Database, kind: Kind, slug: string): Promise<StoredRecord | undefined> {
  const table = TABLES[kind]
  return (
    await db
      .select()
      .from(table as typeof tools)
      .where(eq(table.slug, slug))
  )[0]
}

/** The same, with the row locked until the transaction ends. */
export async function findRecordForUpdate(db: Database, kind: Kind, slug: string): Promise<StoredRecord | undefined> {
  const table = TABLES[kind] as typeof tools
  return (await db.select().from(table).where(eq(table.slug, slug)).for('update'))[0]
}

export const findSlug = async (db: Database, kind: ListedKind, id: string): Promise<string | undefined> => {
  const table = TABLES[kind]
  return (await db.select({ slug: table.slug }).from(table).where(eq(table.id, id)))[0]?.slug
}

/** The new slug of a hidden listing that was renamed because a submission took this slug; undefined when it is not hidden any more. */
export const findMovedFrom = async (db: Database, kind: ListedKind, slug: string): Promise<string | undefined> => {
  const table = TABLES[kind]
  const rows = await db
    .select({ slug: table.slug })
    .from(audit)
    .innerJoin(table, and(eq(table.id, sql`${audit.details} ->> 'id'`), eq(table.published, false)))
    .where(
      and(eq(audit.subject, `${kind}:${slug}`), eq(audit.action, RENAMED), eq(sql`${audit.details} ->> 'from'`, slug)),
    )
    .orderBy(desc(audit.id))
    .limit(1)
  return rows[0]?.slug
}

/** This action is written to the audit log under the old slug and under the new one. */
export const RENAMED = 'tool.rename'

/** The listing must be locked. */
export async function updateListing(
  db: Database,
  kind: ListedKind,
  slug: string,
  change: { published?: boolean; featured?: boolean; updatedAt: Date },
): Promise<StoredRecord> {
  const table = TABLES[kind] as typeof tools
  // When an administrator unpublishes a listing that is published or waits for review, it is taken down; a draft stays a draft.
  const reason =
    kind === 'directory' || change.published === undefined
      ? {}
      : {
          hiddenReason: change.published
            ? null
            : sql`case when ${tools.published} or ${tools.hiddenReason} = 'review' then 'taken-down' else ${tools.hiddenReason} end`,
        }
  return onlyRow(
    await db
      .update(table)
      .set({ ...change, ...reason, version: raisedVersion(table.version) })
      .where(eq(table.slug, slug))
      .returning(),
  )
}

/** Changes the given fields of a tool; the others stay. */
export const updateToolFields = (db: Database, id: string, fields: CheckedFields, at: Date) =>
  db
    .update(tools)
    .set({ ...fields, updatedAt: at, version: raisedVersion(tools.version) })
    .where(eq(tools.id, id))

/** `in use` when a listing has started to use the term in this moment, after which the transaction cannot be used any more. */
export async function deleteTerm(
  db: Database,
  kind: TermKind,
  slug: string,
): Promise<Record<string, unknown> | 'in use' | undefined> {
  const table = TABLES[kind] as typeof categories
  try {
    return (await db.delete(table).where(eq(table.slug, slug)).returning())[0]
  } catch (error) {
    if (isForeignKeyViolation(error)) return 'in use'
    throw error
  }
}

/** Keeps these terms from being deleted until the transaction ends, and returns the slugs of those that exist. */
export async function lockTerms(db: Database, kind: TermKind, slugs: readonly string[]): Promise<Set<string>> {
  const table = TABLES[kind] as typeof tags
  const rows = await db
    .select({ slug: table.slug })
    .from(table)
    .where(inArray(table.slug, [...slugs]))
    .orderBy(table.slug)
    .for('share')
  return new Set(rows.map((row) => row.slug))
}

export const listTaxonomy = (db: Database, kind: TermKind): Promise<StoredRecord[]> =>
  db.select().from(TABLES[kind] as typeof categories)

/** Listings in the order of ids, a page at a time. */
export const listRecordsAfter = (
  db: Database,
  kind: ListedKind,
  id: string,
  limit: number,
): Promise<StoredRecord[]> => {
  const table = TABLES[kind] as typeof tools
  return db.select().from(table).where(gt(table.id, id)).orderBy(asc(table.id)).limit(limit)
}

export type Visit = typeof visits.$inferInsert

/** Returns the tool ids of the visits that were not stored before. Visits of deleted tools are skipped. */
export async function insertVisits(db: Database, rows: readonly Visit[]): Promise<string[]> {
  const existingTools = await db
    .select({ id: tools.id })
    .from(tools)
    .where(inArray(tools.id, [...new Set(rows.map((row) => row.toolId))]))
  const ids = new Set(existingTools.map((tool) => tool.id))
  const visitsToStore = rows.filter((row) => ids.has(row.toolId))
  if (visitsToStore.length === 0) return []
  const storedVisits = await db
    .insert(visits)
    .values(visitsToStore)
    .onConflictDoNothing()
    .returning({ toolId: visits.toolId })
  return storedVisits.map((row) => row.toolId)
}

export const updateOpens = (db: Database, toolId: string, more: number) =>
  db
    .update(tools)
    .set({ opens: sql`${tools.opens} + ${more}` })
    .where(eq(tools.id, toolId))

export const deleteVisitsBefore = (db: Database, day: string) => db.delete(visits).where(lt(visits.day, day))

export const isCatalogEmpty = async (db: Database): Promise<boolean> => {
  const [anyTool, anyCategory] = [
    await db.select({ id: tools.id }).from(tools).limit(1),
    await db.select({ slug: categories.slug }).from(categories).limit(1),
  ]
  return anyTool.length + anyCategory.length === 0
}
