import { and, count, desc, eq, gte, isNotNull, lt, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { removeWhere } from '../../kernel/database/queries.ts'
import { mails } from './tables.ts'

export type MailRow = typeof mails.$inferSelect
export type NewMail = Omit<MailRow, 'state' | 'problem' | 'attemptedAt'>

/** Returns false when there already is a mail about the event. */
export const insertMail = async (db: Database, mail: NewMail) =>
  (
    await db
      .insert(mails)
      .values({ ...mail, state: 'pending' })
      .onConflictDoNothing()
      .returning({ id: mails.id })
  ).length > 0

const isPending = (id: string) => and(eq(mails.id, id), eq(mails.state, 'pending'))

export const findPendingMail = async (db: Database, id: string): Promise<MailRow | undefined> =>
  (await db.select().from(mails).where(isPending(id)))[0]

/** Marks a pending mail `unknown`, so that no other attempt sends it. Returns false when another attempt was first. */
export const claimMail = async (db: Database, id: string, attemptedAt: Date): Promise<boolean> =>
  (await db.update(mails).set({ state: 'unknown', attemptedAt }).where(isPending(id)).returning({ id: mails.id }))
    .length > 0

export const updateMail = (db: Database, id: string, change: Pick<MailRow, 'state' | 'problem'>) =>
  db.update(mails).set(change).where(eq(mails.id, id))

export const deletePendingMail = (db: Database, id: string) => db.delete(mails).where(isPending(id))

const MOST_PROBLEMS = 5

/** Mails that were not sent, by kind and reason, the most frequent first. */
export const listMailProblems = (
  db: Database,
  since: Date,
): Promise<{ kind: MailRow['kind']; state: MailRow['state']; problem: string; count: number }[]> =>
  db
    .select({ kind: mails.kind, state: mails.state, problem: sql<string>`${mails.problem}`, count: count() })
    .from(mails)
    .where(and(gte(mails.createdAt, since), isNotNull(mails.problem)))
    .groupBy(mails.kind, mails.state, mails.problem)
    .orderBy(desc(count()), mails.kind, mails.state, mails.problem)
    .limit(MOST_PROBLEMS)

export const removeOldMails = (before: Date) => removeWhere(mails, lt(mails.createdAt, before))
