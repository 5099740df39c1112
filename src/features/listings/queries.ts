import { and, asc, count, desc, eq, getTableColumns, gt, inArray, lt, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/context.ts'
import { categories, directories, directoryCategories, tags, tools } from '../catalog/tables.ts'
import type { StoredRow } from './rules.ts'
import type { Kind } from './schema.ts'
import { visits } from './tables.ts'

const TABLES = {
  category: categories,
  tag: tags,
  directoryCategory: directoryCategories,
  tool: tools,
  directory: directories,
}

// Kept when a listing is replaced without them.
const KEPT: Partial<Record<Kind, Record<string, string>>> = {
  tool: { opens: '0', created_at: 'now()' },
  directory: { created_at: 'now()' },
}

/** Creates or replaces many rows of one kind at once, keyed by slug; answers their ids (slugs for the taxonomy). */
export async function upsertRows(db: Database, kind: Kind, rows: readonly StoredRow[]): Promise<string[]> {
  const table = TABLES[kind]
  const kept = KEPT[kind] ?? {}
  const columns = columnNames(table)
  // The rows that will be replaced are locked first, so that a click counted in between is not overwritten.
  const slugs = sql.param(rows.map((row) => row.slug))
  await db.execute(sql`select 1 from ${table} where slug = any(${slugs}::text[]) for update`)
  const values = columns.map((name) =>
    name in kept ? `coalesce(given.${name}, old.${name}, ${kept[name]})` : `given.${name}`,
  )
  const changes = columns.filter((name) => name !== 'slug' && name !== 'id').map((name) => `${name} = excluded.${name}`)
  const result = await db.execute<{ key: string }>(sql`
    insert into ${table} (${sql.raw(columns.join(', '))})
    select ${sql.raw(values.join(', '))}
    from json_populate_recordset(null::${table}, ${JSON.stringify(rows)}::json) given left join ${table} old on old.slug = given.slug
    on conflict (slug) do update set ${sql.raw(changes.join(', '))}
    returning ${sql.raw(columns.includes('id') ? 'id' : 'slug')} as key`)
  return (result as unknown as { rows: { key: string }[] }).rows.map((row) => row.key)
}

/** Of whoever writes the same entry at once, one waits for the other, also while there is no row yet. */
export const lockSlug = (db: Database, kind: Kind, slug: string) =>
  db.execute(sql`select pg_advisory_xact_lock(7203113, hashtext(${`${kind}:${slug}`}))`)

/** One import at a time: two that share rows in another order would wait for each other. */
export const lockImports = (db: Database) => db.execute(sql`select pg_advisory_xact_lock(7203112)`)

const columnNames = (table: PgTable): string[] => Object.values(getTableColumns(table)).map((column) => column.name)

export async function listSlugs(db: Database, kind: 'category' | 'tag' | 'directoryCategory'): Promise<Set<string>> {
  const table = TABLES[kind]
  return new Set((await db.select({ slug: table.slug }).from(table)).map((row) => row.slug))
}

/** The id of what was deleted; `in use` when other rows refer to it, and the transaction is then over. */
export async function deleteListing(
  db: Database,
  kind: 'tool' | 'directory',
  slug: string,
): Promise<{ id: string } | 'in use' | undefined> {
  const table = TABLES[kind]
  try {
    return (await db.delete(table).where(eq(table.slug, slug)).returning({ id: table.id }))[0]
  } catch (error) {
    if (((error as Error).cause as { code?: string } | undefined)?.code === FOREIGN_KEY_VIOLATION) return 'in use'
    throw error
  }
}

// SQLSTATE
const FOREIGN_KEY_VIOLATION = '23503'

export async function findRecord(db: Database, kind: Kind, slug: string): Promise<Record<string, unknown> | undefined> {
  const table = TABLES[kind]
  return (
    await db
      .select()
      .from(table as typeof tools)
      .where(eq(table.slug, slug))
  )[0]
}

/** The same, and nobody changes it until the transaction ends. */
export async function findRecordForUpdate(
  db: Database,
  kind: Kind,
  slug: string,
): Promise<Record<string, unknown> | undefined> {
  const table = TABLES[kind] as typeof tools
  return (await db.select().from(table).where(eq(table.slug, slug)).for('update'))[0]
}

export async function updateListing(
  db: Database,
  kind: 'tool' | 'directory',
  slug: string,
  change: { published?: boolean; featured?: boolean; updatedAt: Date },
): Promise<Record<string, unknown> | undefined> {
  const table = TABLES[kind] as typeof tools
  return (await db.update(table).set(change).where(eq(table.slug, slug)).returning())[0]
}

export async function deleteTerm(
  db: Database,
  kind: 'category' | 'tag' | 'directoryCategory',
  slug: string,
): Promise<Record<string, unknown> | undefined> {
  const table = TABLES[kind] as typeof categories
  return (
    await db
      .delete(table)
      .where(eq(table.slug, slug))
      .returning(getTableColumns(TABLES[kind]) as never)
  )[0]
}

export interface ListingFilter {
  q?: string
  published?: boolean
  featured?: boolean
  category?: string
  tag?: string
  pricing?: 'FREE' | 'FREEMIUM' | 'PAID'
  cost?: 'Free' | 'Paid' | 'Freemium'
}

/** Newest first. Drafts too, and private fields are searched too: for operators only. */
export function listListings(
  db: Database,
  kind: 'tool' | 'directory',
  filter: ListingFilter,
  limit: number,
  offset: number,
): Promise<Record<string, unknown>[]> {
  const table = TABLES[kind] as typeof tools
  return db
    .select()
    .from(table)
    .where(
      and(
        filter.published === undefined ? undefined : eq(table.published, filter.published),
        filter.featured === undefined ? undefined : eq(table.featured, filter.featured),
        ...(kind === 'tool' ? toolConditions(filter) : directoryConditions(filter)),
      ),
    )
    .orderBy(desc(table.createdAt), desc(table.id))
    .limit(limit)
    .offset(offset)
}

const toolConditions = ({ q, category, tag, pricing }: ListingFilter): (SQL | undefined)[] => [
  q === undefined
    ? undefined
    : containing(q, [tools.name, tools.slug, tools.tagline, tools.website, tools.founderEmail]),
  category === undefined ? undefined : eq(tools.category, category),
  tag === undefined ? undefined : sql`${tools.tags} @> ${sql.param([tag])}::text[]`,
  pricing === undefined ? undefined : eq(tools.pricing, pricing),
]

const directoryConditions = ({ q, category, cost }: ListingFilter): (SQL | undefined)[] => [
  q === undefined
    ? undefined
    : containing(q, [directories.name, directories.slug, directories.smallDescription, directories.website]),
  category === undefined ? undefined : sql`${directories.categories} @> ${sql.param([category])}::text[]`,
  cost === undefined ? undefined : eq(directories.cost, cost),
]

/** Every word stands somewhere in one of the columns, in any case; no character of it has a meaning of its own. */
const containing = (q: string, columns: readonly PgColumn[]): SQL | undefined =>
  and(
    ...q
      .trim()
      .split(/\s+/)
      .map((word) => or(...columns.map((column) => sql`position(lower(${word}) in lower(${column})) > 0`))),
  )

/** By name, each with how many listings use it, drafts included. */
export async function listTerms(
  db: Database,
  kind: 'category' | 'tag' | 'directoryCategory',
  q: string | undefined,
  limit: number,
  offset: number,
): Promise<(Record<string, unknown> & { listingsCount: number })[]> {
  const table = TABLES[kind] as typeof tags
  const found: Record<string, unknown>[] = await db
    .select(getTableColumns(TABLES[kind]) as never)
    .from(table)
    .where(q === undefined ? undefined : containing(q, [table.name, table.slug]))
    .orderBy(asc(sql`lower(${table.name})`), asc(table.slug))
    .limit(limit)
    .offset(offset)
  const uses = await listUses(db, kind)
  return found.map((row) => ({ ...row, listingsCount: uses.get(row.slug as string) ?? 0 }))
}

async function listUses(db: Database, kind: 'category' | 'tag' | 'directoryCategory'): Promise<Map<string, number>> {
  const slugs = sql.raw({ category: 'category', tag: 'unnest(tags)', directoryCategory: 'unnest(categories)' }[kind])
  const table = kind === 'directoryCategory' ? directories : tools
  const result = await db.execute(sql`select ${slugs} as slug, count(*) as uses from ${table} group by 1`)
  const { rows } = result as unknown as { rows: { slug: string | null; uses: string | number }[] }
  return new Map(rows.map(({ slug, uses }) => [slug ?? '', Number(uses)]))
}

export async function countUses(
  db: Database,
  kind: 'category' | 'tag' | 'directoryCategory',
  slug: string,
): Promise<number> {
  const uses = {
    category: eq(tools.category, slug),
    tag: sql`${tools.tags} @> ${sql.param([slug])}::text[]`,
    directoryCategory: sql`${directories.categories} @> ${sql.param([slug])}::text[]`,
  }[kind]
  const table = kind === 'directoryCategory' ? directories : tools
  return (
    await db
      .select({ uses: count() })
      .from(table as typeof tools)
      .where(uses)
  )[0]!.uses
}

export const listTaxonomy = (
  db: Database,
  kind: 'category' | 'tag' | 'directoryCategory',
): Promise<Record<string, unknown>[]> => db.select().from(TABLES[kind] as typeof categories)

/** Listings in the order of ids, a page at a time. */
export const listRecordsAfter = (
  db: Database,
  kind: 'tool' | 'directory',
  id: string,
  limit: number,
): Promise<Record<string, unknown>[]> => {
  const table = TABLES[kind] as typeof tools
  return db.select().from(table).where(gt(table.id, id)).orderBy(asc(table.id)).limit(limit)
}

/** False when this visitor was counted today already. */
export type Visit = typeof visits.$inferInsert

/** The tools of those that were not there yet; of a tool that is gone by now nothing is kept. */
export async function insertVisits(db: Database, rows: readonly Visit[]): Promise<string[]> {
  const there = await db
    .select({ id: tools.id })
    .from(tools)
    .where(inArray(tools.id, [...new Set(rows.map((row) => row.toolId))]))
  const ids = new Set(there.map((tool) => tool.id))
  const kept = rows.filter((row) => ids.has(row.toolId))
  if (kept.length === 0) return []
  const made = await db.insert(visits).values(kept).onConflictDoNothing().returning({ toolId: visits.toolId })
  return made.map((row) => row.toolId)
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
