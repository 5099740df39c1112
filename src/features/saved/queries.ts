import { and, asc, desc, eq, inArray, max, notInArray } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { lockText, onlyRow, pickColumns } from '../../kernel/database/queries.ts'
import type { SavedKind } from './schema.ts'
import { savedItems } from './tables.ts'

/** Makes concurrent changes of what one user has saved wait for each other. */
export const lockSaved = (db: Database, userId: string) => lockText(db, `saved:${userId}`)

/** All that the user has saved, the oldest first. */
export const listSaved = (db: Database, userId: string) =>
  db
    .select(pickColumns(savedItems, 'kind', 'value', 'query', 'createdAt'))
    .from(savedItems)
    .where(eq(savedItems.userId, userId))
    .orderBy(asc(savedItems.createdAt), asc(savedItems.value))

/** When the user saved something last; null: never. */
export const findNewest = async (db: Database, userId: string): Promise<Date | null> =>
  onlyRow(
    await db
      .select({ at: max(savedItems.createdAt) })
      .from(savedItems)
      .where(eq(savedItems.userId, userId)),
  ).at

export const insertSaved = (db: Database, rows: (typeof savedItems.$inferInsert)[]) =>
  db.insert(savedItems).values(rows).onConflictDoNothing()

/** Returns how many were deleted. */
export const deleteSaved = async (db: Database, userId: string, kind: SavedKind, values: readonly string[]) =>
  (
    await db
      .delete(savedItems)
      .where(and(eq(savedItems.userId, userId), eq(savedItems.kind, kind), inArray(savedItems.value, [...values])))
      .returning({ value: savedItems.value })
  ).length

/** Deletes all but the newest `most` of a kind. */
export const deleteOldestSaved = (db: Database, userId: string, kind: SavedKind, most: number) => {
  const ofKind = and(eq(savedItems.userId, userId), eq(savedItems.kind, kind))
  const newest = db
    .select({ value: savedItems.value })
    .from(savedItems)
    .where(ofKind)
    .orderBy(desc(savedItems.createdAt), desc(savedItems.value))
    .limit(most)
  return db.delete(savedItems).where(and(ofKind, notInArray(savedItems.value, newest)))
}
