// Queries for the lists of operators: entries as they are stored, with drafts and private fields, and how many listings use a term.
import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  getTableName,
  inArray,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import type { Static, TObject } from 'typebox'
import type { Database } from '../../../kernel/context.ts'
import { eachRange } from '../../../kernel/database/block-ranges.queries.ts'
import { groupsByLength, hasWords, onlyRow, rowsOf } from '../../../kernel/database/queries.ts'
import type { ListedKind, TermKind } from '../../catalog/schema.ts'
import { directories, type tags, tools } from '../../catalog/tables.ts'
import { TABLES } from '../queries.ts'
import type { filtersOfListings, HealthState } from '../schema.ts'
import { listingHealth } from '../tables.ts'

type GivenFilter = Static<TObject<ReturnType<typeof filtersOfListings>>>
/** The filters as they are given, but `category` and `tag` as slugs. */
export interface ListingFilter extends Omit<GivenFilter, 'category' | 'tag'> {
  category?: readonly string[]
  tag?: readonly string[]
}

/** Newest first. For operators only: drafts are included, and private fields are searched and returned. */
export async function selectListings(
  db: Database,
  kind: ListedKind,
  filter: ListingFilter,
  limit: number,
  offset: number,
): Promise<(Record<string, unknown> & { slug: string })[]> {
  const table = TABLES[kind] as typeof tools
  const newestFirst = [desc(table.createdAt), desc(table.id)]
  const page = await listIds(db, kind, filter, limit, offset)
  const lengths = await db
    .select({ id: table.id, length: sql<number>`length(${table}::text)` })
    .from(table)
    .where(inArray(table.id, page))
    .orderBy(...newestFirst)
  const rows: (typeof tools.$inferSelect)[] = []
  for (const group of groupsByLength(lengths)) {
    const ids = group.map(({ id }) => id)
    const found = db.select().from(table).where(inArray(table.id, ids))
    rows.push(...(await found.orderBy(...newestFirst)))
  }
  return rows
}

/** The ids of a page of listings, newest first. */
async function listIds(
  db: Database,
  kind: ListedKind,
  filter: ListingFilter,
  limit: number,
  offset: number,
): Promise<string[]> {
  const table = TABLES[kind] as typeof tools
  const newestFirst = [desc(table.createdAt), desc(table.id)]
  const condition = and(
    filter.published === undefined ? undefined : eq(table.published, filter.published),
    filter.featured === undefined ? undefined : eq(table.featured, filter.featured),
    filter.health && healthCondition(table.id, filter.health),
    ...(kind === 'tool' ? toolConditions(filter) : directoryConditions(filter)),
  )
  if (!filter.q) {
    const all = db.select({ id: table.id }).from(table).where(condition)
    return (
      await all
        .orderBy(...newestFirst)
        .limit(limit)
        .offset(offset)
    ).map(({ id }) => id)
  }
  // A search that finds little goes through all listings. It does so in short statements, because the embedded database runs one at a time.
  const microseconds = sql<number>`(extract(epoch from ${table.createdAt}) * 1000000)::float8`
  const most = offset + limit
  // The creation times by id. A map, because a row that is stored again meanwhile may be in two ranges.
  let found = new Map<string, number>()
  const newest = () =>
    [...found].sort(([id, time], [otherId, otherTime]) => otherTime - time || (id < otherId ? 1 : -1)).slice(0, most)
  await eachRange(db, getTableName(table), async (range) => {
    const rows = await db
      .select({ id: table.id, at: microseconds })
      .from(table)
      .where(and(range, condition))
      .orderBy(...newestFirst)
      .limit(most)
    for (const { id, at } of rows) found.set(id, at)
    // Older ones are dropped from time to time, so that the map stays small.
    if (found.size > 2 * most + 1_000) found = new Map(newest())
  })
  return newest()
    .slice(offset)
    .map(([id]) => id)
}

/** A listing without a row was not looked at yet. */
const healthCondition = (id: SQLWrapper, state: HealthState): SQL =>
  state === 'unknown'
    ? sql`not exists (select 1 from ${listingHealth} h where h.listing_id = ${id} and h.state <> 'unknown')`
    : sql`${id} in (select h.listing_id from ${listingHealth} h where h.state = ${state})`

const toolConditions = ({ q, category, tag, pricing, hiddenReason }: ListingFilter): (SQL | undefined)[] => [
  hasWords(q, [tools.name, tools.slug, tools.tagline, tools.website, tools.founderEmail]),
  category && inArray(tools.category, [...category]),
  tag && sql`${tools.tags} && ${sql.param(tag)}::text[]`,
  pricing === undefined ? undefined : eq(tools.pricing, pricing),
  hiddenReason === undefined ? undefined : eq(tools.hiddenReason, hiddenReason),
]

const directoryConditions = ({ q, category, cost }: ListingFilter): (SQL | undefined)[] => [
  hasWords(q, [directories.name, directories.slug, directories.smallDescription, directories.website]),
  category && sql`${directories.categories} && ${sql.param(category)}::text[]`,
  cost === undefined ? undefined : eq(directories.cost, cost),
]

/** Terms by name, each with how many listings use it, drafts included, and how many of those are published. */
export async function listTermsWithUses(
  db: Database,
  kind: TermKind,
  { q, submitted }: { q?: string; submitted?: boolean },
  limit: number,
  offset: number,
): Promise<(Record<string, unknown> & Uses & { slug: string })[]> {
  const table = TABLES[kind] as typeof tags
  const found: (Record<string, unknown> & { slug: string })[] = await db
    .select(getTableColumns(TABLES[kind]) as never)
    .from(table)
    .where(
      and(
        hasWords(q, [table.name, table.slug]),
        kind === 'tag' && submitted !== undefined ? eq(table.submitted, submitted) : undefined,
      ),
    )
    .orderBy(asc(sql`lower(${table.name})`), asc(table.slug))
    .limit(limit)
    .offset(offset)
  const uses = await listUses(db, kind)
  return found.map((row) => ({ ...row, ...(uses.get(row.slug) ?? UNUSED) }))
}

export interface Uses {
  listingsCount: number
  publishedCount: number
}

const UNUSED: Uses = { listingsCount: 0, publishedCount: 0 }

async function listUses(db: Database, kind: TermKind): Promise<Map<string, Uses>> {
  const slugs = sql.raw({ category: 'category', tag: 'unnest(tags)', directoryCategory: 'unnest(categories)' }[kind])
  const table = kind === 'directoryCategory' ? directories : tools
  const rows = await rowsOf<{ slug: string | null; uses: string; published: string }>(
    db,
    sql`select ${slugs} as slug, count(*) as uses, count(*) filter (where published) as published from ${table} group by 1`,
  )
  return new Map(
    rows.map(({ slug, uses, published }) => [
      slug ?? '',
      { listingsCount: Number(uses), publishedCount: Number(published) },
    ]),
  )
}

export async function countUses(db: Database, kind: TermKind, slug: string): Promise<Uses> {
  const uses = {
    category: eq(tools.category, slug),
    tag: sql`${tools.tags} @> ${sql.param([slug])}::text[]`,
    directoryCategory: sql`${directories.categories} @> ${sql.param([slug])}::text[]`,
  }[kind]
  const table = kind === 'directoryCategory' ? directories : tools
  return onlyRow(
    await db
      .select({
        listingsCount: count(),
        publishedCount: sql<number>`count(*) filter (where ${table.published})`.mapWith(Number),
      })
      .from(table as typeof tools)
      .where(uses),
  )
}

/** Listings that wait for review, because they were submitted for a host where a listing was taken down. */
export const countListingsToReview = (db: Database): Promise<number> =>
  db.$count(tools, eq(tools.hiddenReason, 'review'))
