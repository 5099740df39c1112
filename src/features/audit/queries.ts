import { desc } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { audit } from './tables.ts'

export interface AuditEntry {
  at: Date
  actor: string
  action: string
  subject: string
  details?: Record<string, unknown>
}

export const insertAudit = (db: Database, entry: AuditEntry) => db.insert(audit).values(entry)

export const listAudit = (db: Database, limit: number, offset: number) =>
  db.select().from(audit).orderBy(desc(audit.id)).limit(limit).offset(offset)
