import { and, asc, eq } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { lockText } from '../../kernel/lock-text.queries.ts'
import { queueViews } from './tables.ts'

const shown = { name: queueViews.name, query: queueViews.query }

/** Until the transaction ends, so that the number of views stays within its limit. */
export const lockViews = (db: Database, owner: string) => lockText(db, `views:${owner}`)

export const listViews = (db: Database, owner: string) =>
  db.select(shown).from(queueViews).where(eq(queueViews.owner, owner)).orderBy(asc(queueViews.name))

export const upsertView = (db: Database, view: typeof queueViews.$inferInsert) =>
  db
    .insert(queueViews)
    .values(view)
    .onConflictDoUpdate({ target: [queueViews.owner, queueViews.name], set: { query: view.query } })

export const deleteView = async (db: Database, owner: string, name: string) =>
  (
    await db
      .delete(queueViews)
      .where(and(eq(queueViews.owner, owner), eq(queueViews.name, name)))
      .returning(shown)
  )[0]
