import { eq, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../kernel/context.ts'
import { raisedVersion } from '../audit/queries.ts'
import type { SiteFields } from './schema.ts'
import { siteTable } from './tables.ts'

const ID = 'site'

export type SiteRow = typeof siteTable.$inferSelect

export const findSite = async (db: Database): Promise<SiteRow | undefined> =>
  (await db.select().from(siteTable).where(eq(siteTable.id, ID)))[0]

/** Locked also while there is no row yet, so that of two first writes the second sees the first. */
export const findSiteForUpdate = async (db: Transaction): Promise<SiteRow | undefined> => {
  await db.execute(sql`lock table ${siteTable} in share row exclusive mode`)
  return findSite(db)
}

export const upsertSite = async (db: Transaction, fields: SiteFields, now: Date): Promise<number> => {
  const [row] = await db
    .insert(siteTable)
    .values({ id: ID, fields, updatedAt: now })
    .onConflictDoUpdate({
      target: siteTable.id,
      set: { fields, updatedAt: now, version: raisedVersion(siteTable.version) },
    })
    .returning({ version: siteTable.version })
  return row?.version ?? 1
}
