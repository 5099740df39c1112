import { asc, eq, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../../kernel/context.ts'
import { raisedVersion } from '../audit/queries.ts'
import type { CollectionFields } from './collections.schema.ts'
import { collectionsTable } from './tables.ts'

export type CollectionRow = typeof collectionsTable.$inferSelect

/** By name. `limit` bounds what a process reads when rows were written to the database directly. */
export const selectCollections = (db: Database, limit: number): Promise<CollectionRow[]> =>
  db.select().from(collectionsTable).orderBy(asc(collectionsTable.name), asc(collectionsTable.slug)).limit(limit)

export const findCollection = async (db: Database, slug: string): Promise<CollectionRow | undefined> =>
  (await db.select().from(collectionsTable).where(eq(collectionsTable.slug, slug)))[0]

/** Until the transaction ends, so that of two first writes the second sees the first, and the number stays within its limit. */
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
