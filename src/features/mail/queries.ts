import { and, eq, lt } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { rowsWhere } from '../../kernel/old-rows.queries.ts'
import { mails } from './tables.ts'

export type MailRow = typeof mails.$inferSelect

/** Returns false when the event has a mail already. */
export const insertMail = async (db: Database, mail: Omit<MailRow, 'state' | 'problem' | 'attemptedAt'>) =>
  (
    await db
      .insert(mails)
      .values({ ...mail, state: 'pending' })
      .onConflictDoNothing()
      .returning({ id: mails.id })
  ).length > 0

/** Marks a pending mail unknown, so that no other attempt takes it, and returns it. */
export const claimMail = async (db: Database, id: string, attemptedAt: Date): Promise<MailRow | undefined> =>
  (
    await db
      .update(mails)
      .set({ state: 'unknown', attemptedAt })
      .where(and(eq(mails.id, id), eq(mails.state, 'pending')))
      .returning()
  )[0]

export const updateMail = (db: Database, id: string, change: Pick<MailRow, 'state' | 'problem'>) =>
  db.update(mails).set(change).where(eq(mails.id, id))

export const deleteMail = (db: Database, id: string) => db.delete(mails).where(eq(mails.id, id))

export const oldMails = (before: Date) => rowsWhere(mails, lt(mails.createdAt, before))
