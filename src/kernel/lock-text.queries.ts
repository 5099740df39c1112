import { sql } from 'drizzle-orm'
import type { Database } from './context.ts'

/** Locks a text until the transaction ends: another transaction that locks the same text waits. */
export const lockText = (db: Database, words: string) =>
  db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${words}, 0))`)
