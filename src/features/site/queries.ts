import { asc, eq, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../kernel/context.ts'
import { raisedVersion } from '../audit/queries.ts'
import type { CollectionFields } from './collections.schema.ts'
import type { SiteFields } from './schema.ts'
import { collectionsTable, siteTable } from './tables.ts'

const SITE_ID = 'site'

export type SiteRow = typeof siteTable.$inferSelect

export const findSite = async (db: Database): Promise<SiteRow | undefined> =>
  (await db.select().from(siteTable).where(eq(siteTable.id, SITE_ID)))[0]

/** Locks the table, because a row that does not exist yet cannot be locked: of two first writes the second must see the first. */
export const findSiteForUpdate = async (db: Transaction): Promise<SiteRow | undefined> => {
  await db.execute(sql`lock table ${siteTable} in share row exclusive mode`)
  return findSite(db)
}

export const upsertSite = async (db: Transaction, fields: SiteFields, now: Date): Promise<number> => {
  const [row] = await db
    .insert(siteTable)
    .values({ id: SITE_ID, fields, updatedAt: now })
    .onConflictDoUpdate({
      target: siteTable.id,
      set: { fields, updatedAt: now, version: raisedVersion(siteTable.version) },
    })
    .returning({ version: siteTable.version })
  return row?.version ?? 1
}

/** Leaves the version as it is, because visitors see no change. A row that is made here has version 0, as a site with all defaults has. */
export const upsertAgentsStopped = (db: Transaction, agentsStopped: boolean, fields: SiteFields, now: Date) =>
  db
    .insert(siteTable)
    .values({ id: SITE_ID, fields, agentsStopped, version: 0, updatedAt: now })
    .onConflictDoUpdate({ target: siteTable.id, set: { agentsStopped } })

export type CollectionRow = typeof collectionsTable.$inferSelect

/** Sorted by name. `limit` is for rows that were written to the database directly, past the limit of the operation. */
export const selectCollections = (db: Database, limit: number): Promise<CollectionRow[]> =>
  db.select().from(collectionsTable).orderBy(asc(collectionsTable.name), asc(collectionsTable.slug)).limit(limit)

export const findCollection = async (db: Database, slug: string): Promise<CollectionRow | undefined> =>
  (await db.select().from(collectionsTable).where(eq(collectionsTable.slug, slug)))[0]

/** Locks until the transaction ends: of two first writes the second must see the first, and the number stays within its limit. */
export const lockCollections = (db: Transaction) =>
  db.execute(sql`lock table ${collectionsTable} in share row exclusive mode`)

export const countCollections = (db: Database): Promise<number> => db.$count(collectionsTable)

export const upsertCollection = async (
  db: Transaction,
  slug: string,
  fields: CollectionFields,
  now: Date,
): Promise<CollectionRow | undefined> =>
  (
    await db
      .insert(collectionsTable)
      .values({ slug, ...fields, createdAt: now, updatedAt: now })
      .onConflictDoUpdate({
        target: collectionsTable.slug,
        set: { ...fields, updatedAt: now, version: raisedVersion(collectionsTable.version) },
      })
      .returning()
  )[0]

export const removeCollection = (db: Transaction, slug: string) =>
  db.delete(collectionsTable).where(eq(collectionsTable.slug, slug))
