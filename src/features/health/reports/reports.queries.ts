// What visitors report about listings; one row has all reports about one listing.
import { and, desc, eq, isNotNull, lt, or, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { removeWhere } from '../../../kernel/database/queries.ts'
import { raisedVersion } from '../../audit/queries.ts'
import type { ListedKind } from '../../catalog/schema.ts'
import { directories, tools } from '../../catalog/tables.ts'
import { visitorReports } from '../tables.ts'

export type ReportRow = typeof visitorReports.$inferSelect

/** The row of a listing, which is inserted when there is none. It stays locked until the transaction ends. */
export async function findOrInsertForUpdate(
  db: Database,
  listing: Pick<ReportRow, 'id' | 'kind' | 'listingId'>,
  now: Date,
): Promise<ReportRow | undefined> {
  const times = { firstAt: now, lastAt: now }
  await db
    .insert(visitorReports)
    .values({ ...listing, ...times, state: 'open', counts: {}, messages: [], answer: '' })
    .onConflictDoNothing()
  const found = db.select().from(visitorReports).where(eq(visitorReports.listingId, listing.listingId))
  return (await found.for('update'))[0]
}

export const lockReport = (db: Database, id: string) =>
  db.select({ id: visitorReports.id }).from(visitorReports).where(eq(visitorReports.id, id)).for('update')

export const updateReport = (db: Database, id: string, change: Partial<Omit<ReportRow, 'id' | 'version'>>) =>
  db
    .update(visitorReports)
    .set({ ...change, version: raisedVersion(visitorReports.version) })
    .where(eq(visitorReports.id, id))

/** Reports about published listings, with the listing. */
const shown = (db: Database) =>
  db
    .select({
      report: visitorReports,
      kind: sql<ListedKind>`case when ${tools.id} is null then 'directory' else 'tool' end`,
      slug: sql<string>`coalesce(${tools.slug}, ${directories.slug})`,
      name: sql<string>`coalesce(${tools.name}, ${directories.name})`,
    })
    .from(visitorReports)
    .leftJoin(tools, and(eq(tools.id, visitorReports.listingId), eq(tools.published, true)))
    .leftJoin(directories, and(eq(directories.id, visitorReports.listingId), eq(directories.published, true)))
    .$dynamic()

const IS_PUBLISHED = or(isNotNull(tools.id), isNotNull(directories.id))

export const findVisitorReport = async (db: Database, id: string) =>
  (await shown(db).where(and(eq(visitorReports.id, id), IS_PUBLISHED)))[0]

export const listReports = (
  db: Database,
  { state, kind }: { state: ReportRow['state']; kind?: ListedKind },
  limit: number,
  offset: number,
) =>
  shown(db)
    .where(
      and(
        eq(visitorReports.state, state),
        kind === undefined ? undefined : eq(visitorReports.kind, kind),
        IS_PUBLISHED,
      ),
    )
    .orderBy(desc(visitorReports.lastAt), desc(visitorReports.id))
    .limit(limit)
    .offset(offset)

export const removeOldReports = (before: Date) => removeWhere(visitorReports, lt(visitorReports.lastAt, before))
