import { and, asc, desc, eq, getTableColumns, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/context.ts'
import { rowsWhere } from '../../kernel/old-rows.queries.ts'
import { onlyRow, rowsOf } from '../../kernel/rows.ts'
import { firstVersion, hasHadVersions, raisedVersion } from '../audit/queries.ts'
import { audit } from '../audit/tables.ts'
import { REVISION } from '../catalog/queries.ts'
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
const CREATED_AT = `coalesce(given."createdAt", case when old.created_at between '0001-01-01T00:00Z' and '9999-12-31T00:00Z' then old.created_at end, now())`

// Columns that are computed and not simply the given value: some keep their old value when a listing is replaced without them.
const COMPUTED: Partial<Record<Kind, Record<string, string>>> = {
  tool: {
    opens: 'coalesce(given.opens, old.opens, 0)',
    createdAt: CREATED_AT,
    // A submission gives them. What an administrator writes is reviewed by that.
    flaggedFields: `coalesce(given."flaggedFields", '{}')`,
    hiddenReason: `case when given.published then null else coalesce(given."hiddenReason", case when old.published then 'taken-down' else old.hidden_reason end, 'draft') end`,
  },
  directory: { createdAt: CREATED_AT },
}

/** A row that is new or changed; the last three only of listings. */
export interface ChangedRow {
  /** The id of a listing, the slug of a term. */
  key: string
  slug: string
  isNew: boolean
  createdAt?: string
  opens?: number
  revision?: number
}

/**
 * Creates or replaces many rows of one kind by slug. Returns the rows that are new or changed. A row whose values are the same stays
 * untouched and keeps the time of its last change.
 */
export async function upsertRows(db: Database, kind: Kind, rows: readonly StoredRow[]): Promise<ChangedRow[]> {
  const slugs = rows.map((row) => row.slug)
  const given = JSON.stringify(rows)
  if (!(await lockKnown(db, kind, slugs))) {
    const inserted = await insertRows(db, kind, given)
    // Another transaction may have stored the same slug in this moment.
    return inserted.length === rows.length ? inserted : [...inserted, ...(await replaceRows(db, kind, given))]
  }
  return replaceRows(db, kind, given)
}

/**
 * Locks the existing rows, so that a click-through counted in between is not overwritten. Returns false when no row exists and none had
 * existed, which makes storing them much cheaper.
 */
async function lockKnown(db: Database, kind: Kind, slugs: readonly string[]): Promise<boolean> {
  const subjects = slugs.map((slug) => `${kind}:${slug}`)
  const rows = await rowsOf<{ known: boolean }>(
    db,
    sql`
    with locked as (select 1 from ${TABLES[kind]} where slug = any(${sql.param(slugs)}::text[]) for update)
    select (select count(*) from locked) > 0 or ${hasHadVersions(sql.param(subjects))} as known`,
  )
  return onlyRow(rows).known
}

async function insertRows(db: Database, kind: Kind, given: string): Promise<ChangedRow[]> {
  const { table, columns, values, returned } = partsOf(kind, sql`1`)
  return rowsOf<ChangedRow>(
    db,
    sql`
    insert into ${table} as stored (${columns})
    select ${values} from ${givenRows(kind, given)} left join ${table} old on false
    on conflict (slug) do nothing
    returning ${returned}`,
  )
}

async function replaceRows(db: Database, kind: Kind, given: string): Promise<ChangedRow[]> {
  // The first version is looked up only for new rows, because the version of a stored row is raised instead.
  const newVersion = sql`case when old.slug is null then ${firstVersion(sql.raw(`'${kind}:' || given.slug`))} else 1 end`
  const { table, columns, values, returned } = partsOf(kind, newVersion)
  const replaced = columnNames(table).filter((name) => name !== 'slug' && name !== 'id')
  const changes = replaced.map((name) => `${name} = ${name === 'version' ? 'stored.version + 1' : `excluded.${name}`}`)
  const compared = replaced.filter((name) => name !== 'updated_at' && name !== 'version').map(comparable(table))
  const state = (of: string) => compared.map((column) => `${of}.${column}`).join(', ')
  return rowsOf<ChangedRow>(
    db,
    sql`
    insert into ${table} as stored (${columns})
    select ${values} from ${givenRows(kind, given)} left join ${table} old on old.slug = given.slug
    on conflict (slug) do update set ${sql.raw(changes.join(', '))}
      where (${sql.raw(state('stored'))}) is distinct from (${sql.raw(state('excluded'))})
    returning ${returned}`,
  )
}

/** The JSON of the rows as a table that has the names of their fields. */
function givenRows(kind: Kind, json: string): SQL {
  const columns = Object.entries(getTableColumns(TABLES[kind]) as Record<string, PgColumn>)
  const types = columns.map(([field, column]) => `"${field}" ${column.getSQLType()}`)
  return sql`json_to_recordset(${json}::json) as given (${sql.raw(types.join(', '))})`
}

function partsOf(kind: Kind, newVersion: SQL) {
  const table = TABLES[kind]
  const columns = Object.entries(getTableColumns(table) as Record<string, PgColumn>)
  const values = columns.map(([field]) =>
    field === 'version' ? newVersion : sql.raw(COMPUTED[kind]?.[field] ?? `given."${field}"`),
  )
  const has = (name: string) => columns.some(([field]) => field === name)
  const returned = [
    // A row that replaces another one has the mark of the lock on that one.
    `stored.${has('id') ? 'id' : 'slug'} as key, stored.slug, stored.xmax = 0 as "isNew"`,
    ...(has('createdAt') ? ['stored.created_at as "createdAt"', `${REVISION} as revision`] : []),
    ...(has('opens') ? ['stored.opens::double precision as opens'] : []),
  ]
  return {
    table,
    columns: sql.raw(columnNames(table).join(', ')),
    values: sql.join(values, sql`, `),
    returned: sql.raw(returned.join(', ')),
  }
}

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

/** Visits of earlier days are counted already; their rows only kept visitors from being counted twice on that day. */
export const oldVisits = (day: string) => rowsWhere(visits, lt(visits.day, day))

export const isCatalogEmpty = async (db: Database): Promise<boolean> => {
  const [anyTool, anyCategory] = [
    await db.select({ id: tools.id }).from(tools).limit(1),
    await db.select({ slug: categories.slug }).from(categories).limit(1),
  ]
  return anyTool.length + anyCategory.length === 0
}
