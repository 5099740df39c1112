// What changed in the catalog, for programs that mirror it. Writing an entry notes nothing here. Instead every entry is compared with its
// mark when a program asks: every write raises the version, so an entry with another version than its mark has changed. A comparison sees
// only what is committed, and gives out positions while it holds the lock of the feed's row. So a program that has read one position has
// read all lower ones.
import { asc, gt, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../../kernel/context.ts'
import { onlyRow, type RemoveBatch, rowsOf } from '../../../kernel/database/queries.ts'
import { KINDS } from '../../catalog/schema.ts'
import { TABLES } from '../queries.ts'
import { catalogFeed, catalogMarks } from '../tables.ts'

const FEED = 'catalog'

const entries = sql.join(
  KINDS.map((kind) => {
    const time = 'updatedAt' in TABLES[kind] ? sql`updated_at` : sql`now()`
    return sql`select ${kind}::text as kind, slug, version, ${time} as at from ${TABLES[kind]}`
  }),
  sql` union all `,
)

/** Gives a new position to every entry that changed since the last comparison, and returns the bounds of all positions. */
export async function compareMarks(db: Transaction): Promise<Positions> {
  await db.execute(sql`insert into ${catalogFeed} (id, last) values (${FEED}, 0) on conflict do nothing`)
  await db.execute(sql`select 1 from ${catalogFeed} where id = ${FEED} for update`)
  await db.execute(sql`
    with entries as (${entries}),
    found as (
      select coalesce(e.kind, m.kind) as kind, coalesce(e.slug, m.slug) as slug, coalesce(e.version, m.version) as version,
        e.slug is null as gone, case when e.slug is null then now() else e.at end as at
      from entries e full join ${catalogMarks} m on m.kind = e.kind and m.slug = e.slug
      where case when e.slug is null then not m.gone else m.slug is null or m.gone or m.version <> e.version end),
    marked as (
      insert into ${catalogMarks} (kind, slug, version, gone, position, at)
      select kind, slug, version, gone, (select last from ${catalogFeed} where id = ${FEED}) + row_number() over (order by at, kind, slug), at from found
      on conflict (kind, slug) do update
        set version = excluded.version, gone = excluded.gone, position = excluded.position, at = excluded.at
      returning 1)
    update ${catalogFeed} set last = last + (select count(*) from marked) where id = ${FEED}`)
  return findPositions(db)
}

interface Positions {
  /** The highest position. */
  last: number
  /** The highest position whose mark was deleted; a cursor below it is too old. */
  removed: number
}

/** The bounds of the positions since the last comparison. */
export async function findPositions(db: Database): Promise<Positions> {
  const [feed] = await rowsOf<Positions>(
    db,
    sql`select last::float8 as last, removed::float8 as removed from ${catalogFeed} where id = ${FEED}`,
  )
  return feed ?? { last: 0, removed: 0 }
}

export const listMarksAfter = (db: Database, position: number, limit: number) =>
  db
    .select()
    .from(catalogMarks)
    .where(gt(catalogMarks.position, position))
    .orderBy(asc(catalogMarks.position))
    .limit(limit)

/** Deletes the marks of entries that were deleted before this time. */
export const removeOldMarks =
  (before: Date): RemoveBatch =>
  async (db, limit) =>
    onlyRow(
      await rowsOf<{ count: number }>(
        db,
        sql`
        with removed as (
          delete from ${catalogMarks} where (kind, slug) in (
            select kind, slug from ${catalogMarks} where gone and at < ${before.toISOString()}::timestamptz limit ${limit})
          returning position),
        noted as (
          update ${catalogFeed} set removed = greatest(removed, (select max(position) from removed))
          where id = ${FEED} and exists (select 1 from removed))
        select count(*)::int as count from removed`,
      ),
    ).count
