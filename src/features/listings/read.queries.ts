// What operators look for among entries as they are stored: drafts and private fields too.
import { and, asc, count, desc, eq, getTableColumns, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/context.ts'
import { directories, type tags, tools } from '../catalog/tables.ts'
import { TABLES } from './queries.ts'

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
): Promise<(Record<string, unknown> & { slug: string })[]> {
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
): Promise<(Record<string, unknown> & { slug: string; listingsCount: number })[]> {
  const table = TABLES[kind] as typeof tags
  const found: (Record<string, unknown> & { slug: string })[] = await db
    .select(getTableColumns(TABLES[kind]) as never)
    .from(table)
    .where(q === undefined ? undefined : containing(q, [table.name, table.slug]))
    .orderBy(asc(sql`lower(${table.name})`), asc(table.slug))
    .limit(limit)
    .offset(offset)
  const uses = await listUses(db, kind)
  return found.map((row) => ({ ...row, listingsCount: uses.get(row.slug) ?? 0 }))
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
