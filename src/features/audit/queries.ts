import { and, desc, eq, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { hasWords } from '../../kernel/words.queries.ts'
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

export interface AuditFilter {
  actor?: string
  action?: string
  subject?: string
}

/** Newest first. The action is given from its beginning, so that `tool` finds `tool.put`; of the others a part will do.
 * A subject with a colon is meant whole, or the history of one thing would hold that of others with a longer name. */
export const listAudit = (db: Database, { actor, action, subject }: AuditFilter, limit: number, offset: number) =>
  db
    .select()
    .from(audit)
    .where(
      and(
        hasWords(actor, [audit.actor]),
        action === undefined ? undefined : sql`starts_with(${audit.action}, lower(${action.trim()}))`,
        subject?.includes(':') ? eq(audit.subject, subject.trim()) : hasWords(subject, [audit.subject]),
      ),
    )
    .orderBy(desc(audit.id))
    .limit(limit)
    .offset(offset)
