// Queries that read, lock, change and delete single entries, and the locks of imports. Creating and replacing is in `upsert.queries.ts`.
import { and, asc, desc, eq, getTableColumns, gt, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/context.ts'
import { onlyRow, rowsOf } from '../../kernel/database/queries.ts'
import { raisedVersion } from '../audit/queries.ts'
import { audit } from '../audit/tables.ts'
import { changesIn } from '../audit/write-audit.ts'
import { REVISION } from '../catalog/queries.ts'
import { KINDS, type Kind, type ListedKind, TERM_KINDS, type TermKind } from '../catalog/schema.ts'
import { categories, directories, directoryCategories, tags, tools } from '../catalog/tables.ts'
import { COPIES_LOCK } from './pictures/pictures.queries.ts'
import { type CheckedFields, perTermKind } from './rules.ts'

export const TABLES = {
  category: categories,
  tag: tags,
  directoryCategory: directoryCategories,
  tool: tools,
  directory: directories,
}

const slugLock = (kind: Kind, slug: string): SQL => sql`pg_advisory_xact_lock(7203113, hashtext(${`${kind}:${slug}`}))`

/** Makes concurrent writes of the same entry wait for each other, also while there is no row to lock. */
export const lockSlug = (db: Database, kind: Kind, slug: string) => db.execute(sql`select ${slugLock(kind, slug)}`)

/** As `lockSlug`, and keeps the copies of pictures as `lockCopies` does. */
export const lockSlugAndCopies = (db: Database, kind: Kind, slug: string) =>
  db.execute(sql`select ${slugLock(kind, slug)}, ${COPIES_LOCK}`)

/** Allows one import at a time, because two that contain the same rows in another order would deadlock. False while another one runs. */
export const lockImports = async (db: Database): Promise<boolean> => {
  const locks = await rowsOf<{ locked: boolean }>(db, sql`select pg_try_advisory_xact_lock(7203112) as locked`)
  return onlyRow(locks).locked
}

export async function listTermSlugs(db: Database): Promise<Record<TermKind, Set<string>>> {
  const slugs = perTermKind(() => new Set<string>())
  for (const kind of TERM_KINDS) {
    const table = TABLES[kind]
    for (const { slug } of await db.select({ slug: table.slug }).from(table)) slugs[kind].add(slug)
  }
  return slugs
}

/** Returns the deleted listing; undefined if there is none. `in use`: it has submissions. */
export function deleteListing(db: Database, kind: ListedKind, slug: string) {
  const table = TABLES[kind] as typeof tools
  return orInUse(db.delete(table).where(eq(table.slug, slug)).returning({ id: table.id, version: table.version }))
}

/** Returns the deleted term; undefined if there is none. `in use`: a listing has just begun to use it. */
export function deleteTerm(db: Database, kind: TermKind, slug: string) {
  const table = TABLES[kind] as typeof categories
  return orInUse<Record<string, unknown>>(db.delete(table).where(eq(table.slug, slug)).returning())
}

// The SQLSTATE code of PostgreSQL.
const FOREIGN_KEY_VIOLATION = '23503'

/** The deleted row. `in use`: other rows refer to it, and the transaction has failed and cannot be used any more. */
async function orInUse<Row>(deletion: Promise<Row[]>): Promise<Row | 'in use' | undefined> {
  try {
    return (await deletion)[0]
  } catch (error) {
    const { code } = ((error as Error).cause as { code?: string }) ?? {}
    if (code === FOREIGN_KEY_VIOLATION) return 'in use'
    throw error
  }
}

export type ListingRecord = Record<string, unknown> & { slug: string; version: number }

export const columnsOf = (kind: Kind) => Object.entries(getTableColumns(TABLES[kind]) as Record<string, PgColumn>)

/** SQL of all columns of a row, named like the fields, for `readRecord`; those of a listing with its revision. */
export const RECORD_COLUMNS = Object.fromEntries(
  KINDS.map((kind) => {
    const columns = columnsOf(kind).map(([field, { name }]) => `${name} as "${field}"`)
    return [kind, sql.raw([...columns, ...('id' in TABLES[kind] ? [`${REVISION} as revision`] : [])].join(', '))]
  }),
) as Record<Kind, SQL>

/** Turns the values of a row that a statement written in SQL has returned into those of the fields. */
export function readRecord(kind: Kind, row: ListingRecord): ListingRecord {
  for (const [field, column] of columnsOf(kind))
    if (row[field] !== null) row[field] = column.mapFromDriverValue(row[field])
  return row
}

export async function findRecord(db: Database, kind: Kind, slug: string): Promise<ListingRecord | undefined> {
  const table = TABLES[kind] as typeof tools
  return (await db.select().from(table).where(eq(table.slug, slug)))[0]
}

/** As `findRecord`, with the row locked until the transaction ends. */
export async function findRecordForUpdate(db: Database, kind: Kind, slug: string): Promise<ListingRecord | undefined> {
  const rows = await rowsOf<ListingRecord>(
    db,
    sql`select ${RECORD_COLUMNS[kind]} from ${TABLES[kind]} where slug = ${slug} for update`,
  )
  return rows[0] && readRecord(kind, rows[0])
}

export const findSlug = async (db: Database, kind: ListedKind, id: string): Promise<string | undefined> => {
  const table = TABLES[kind]
  return (await db.select({ slug: table.slug }).from(table).where(eq(table.id, id)))[0]?.slug
}

/** The new slug of a hidden listing that was renamed because a submission took this slug; undefined when it is not hidden any more. */
export const findSlugAfterRename = async (
  db: Database,
  kind: ListedKind,
  slug: string,
): Promise<string | undefined> => {
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

/** The action of a rename in the audit log, which has it under the old slug and under the new one. */
export const RENAMED = 'tool.rename'

/**
 * Writes some fields of a listing, which must be locked; returns it with its revision. What an administrator writes counts as reviewed and
 * as edited.
 */
export async function updateListing(
  db: Database,
  kind: ListedKind,
  before: ListingRecord,
  fields: CheckedFields,
  updatedAt: Date,
): Promise<ListingRecord> {
  const table = TABLES[kind] as typeof tools
  return onlyRow(
    await db
      .update(table)
      .set({
        ...fields,
        ...(kind === 'tool' ? toolReview(before, fields) : {}),
        updatedAt,
        version: raisedVersion(table.version),
      })
      .where(eq(table.slug, before.slug))
      .returning({ ...getTableColumns(table), revision: sql.raw(REVISION) }),
  )
}

/** What the change by an administrator makes of the tool's reason to be hidden, its edited and its flagged fields. */
function toolReview(before: ListingRecord, fields: CheckedFields) {
  const { editedFields, flaggedFields } = before as Partial<typeof tools.$inferSelect>
  const changed = Object.keys(changesIn(before, fields))
  // When an administrator unpublishes a listing that is published or waits for review, it is taken down; a draft stays a draft.
  const hiddenReason = fields.published
    ? null
    : sql`case when ${tools.published} or ${tools.hiddenReason} = 'review' then 'taken-down' else ${tools.hiddenReason} end`
  return {
    ...(fields.published === undefined ? {} : { hiddenReason }),
    editedFields: editedFields && [...new Set([...editedFields, ...changed])].sort(),
    flaggedFields: flaggedFields?.filter((name) => !changed.includes(name)),
  }
}

export const updateToolFields = (db: Database, id: string, fields: CheckedFields, at: Date) =>
  db
    .update(tools)
    .set({
      ...fields,
      // A finding at the old address says nothing about the new one.
      ...(fields.website === undefined
        ? {}
        : { ended: sql`case when ${tools.website} = ${fields.website} then ${tools.ended} end` }),
      updatedAt: at,
      version: raisedVersion(tools.version),
    })
    .where(eq(tools.id, id))

/** Keeps these terms from being deleted until the transaction ends, and returns the slugs of those that exist. */
export async function lockTerms(
  db: Database,
  slugs: Partial<Record<TermKind, readonly string[]>>,
): Promise<Record<TermKind, Set<string>>> {
  const locked = perTermKind(() => new Set<string>())
  const selects = TERM_KINDS.flatMap((kind) => {
    const wanted = slugs[kind] ?? []
    // Other transactions may still change the names.
    return wanted.length === 0
      ? []
      : sql`select ${kind}::text as kind, slug from (select slug from ${TABLES[kind]}
          where slug = any(${sql.param(wanted)}::text[]) order by slug for key share) as locked`
  })
  if (selects.length === 0) return locked
  const rows = await rowsOf<{ kind: TermKind; slug: string }>(db, sql.join(selects, sql` union all `))
  for (const { kind, slug } of rows) locked[kind].add(slug)
  return locked
}

export const listTaxonomy = (db: Database, kind: TermKind): Promise<ListingRecord[]> =>
  db.select().from(TABLES[kind] as typeof categories)

/** The next listings in the order of ids. */
export const listRecordsAfter = (
  db: Database,
  kind: ListedKind,
  id: string,
  limit: number,
): Promise<ListingRecord[]> => {
  const table = TABLES[kind] as typeof tools
  return db.select().from(table).where(gt(table.id, id)).orderBy(asc(table.id)).limit(limit)
}

export const isCatalogEmpty = async (db: Database): Promise<boolean> => {
  const [anyTool, anyCategory] = [
    await db.select({ id: tools.id }).from(tools).limit(1),
    await db.select({ slug: categories.slug }).from(categories).limit(1),
  ]
  return anyTool.length + anyCategory.length === 0
}
