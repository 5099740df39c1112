// The audit log, and the versions by which concurrent changes are noticed.
import { and, desc, eq, inArray, lt, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Database } from '../../kernel/context.ts'
import { hasWords, removeWhere } from '../../kernel/database/queries.ts'
import { audit } from './tables.ts'

export interface AuditEntry {
  at: Date
  actor: string
  action: string
  subject: string
  details?: Record<string, unknown>
}

export const insertAudit = (db: Database, entry: AuditEntry) => db.insert(audit).values(entry)

export const hasAudit = async (db: Database, action: string, subject: string): Promise<boolean> =>
  (
    await db
      .select({ id: audit.id })
      .from(audit)
      .where(and(eq(audit.subject, subject), eq(audit.action, action)))
      .limit(1)
  ).length > 0

/** The version after this write, for the `set` of an update. */
export const raisedVersion = (version: PgColumn): SQL => sql`${version} + 1`

/**
 * The first version of a new thing under a subject, as SQL: one more than the last version of the thing that had this subject before it
 * was deleted or renamed. Otherwise a writer who read version 1 of the old thing could overwrite version 1 of the new one.
 */
export const firstVersion = (subject: SQL): SQL<number> =>
  sql`1 + coalesce((select (a.details ->> 'version')::int from audit a where a.subject = ${subject} and a.details ->> 'version' is not null order by a.id desc limit 1), 0)`

/** Whether any of these subjects had a version before, so that `firstVersion` is not 1 for all of them. */
export const hasHadVersions = (subjects: SQLWrapper): SQL<boolean> =>
  sql`exists (select 1 from audit a where a.subject = any(${subjects}::text[]) and a.details ->> 'version' is not null)`

export type StoredAuditEntry = typeof audit.$inferSelect

/** The newest entry of the subject that has one of these actions and contains these details. */
export const findLastEntry = async (
  db: Database,
  subject: string,
  actions: readonly string[],
  details: Record<string, unknown> = {},
): Promise<StoredAuditEntry | undefined> =>
  (
    await db
      .select()
      .from(audit)
      .where(
        and(
          eq(audit.subject, subject),
          inArray(audit.action, [...actions]),
          sql`${audit.details} @> ${JSON.stringify(details)}::jsonb`,
        ),
      )
      .orderBy(desc(audit.id))
      .limit(1)
  )[0]

interface AuditFilter {
  actor?: string
  action?: string
  subject?: string
}

/**
 * Newest first. `action` is the beginning of an action, so that `tool` finds `tool.put`; `actor` and `subject` are any part of the text. A
 * subject with a colon must match as a whole, because otherwise the history of one thing would include things with a longer name.
 */
export const listAudit = (db: Database, { actor, action, subject }: AuditFilter, limit: number, offset: number) =>
  db
    .select()
    .from(audit)
    .where(
      and(
        hasWords(actor, [audit.actor]),
        action === undefined ? undefined : sql`starts_with(${audit.action}, lower(${action}))`,
        subject?.includes(':') ? eq(audit.subject, subject) : hasWords(subject, [audit.subject]),
      ),
    )
    // By time first: of two concurrent requests, the one with the earlier time may get the higher id.
    .orderBy(desc(audit.at), desc(audit.id))
    .limit(limit)
    .offset(offset)

export const removeOldEntries = (before: Date) => removeWhere(audit, lt(audit.at, before))
