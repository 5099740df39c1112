import { and, asc, eq, gt, isNull, ne, or, sql } from 'drizzle-orm'
import type { Database } from '../../../kernel/context.ts'
import { lockText } from '../../../kernel/database/queries.ts'
import { firstVersion, raisedVersion } from '../../audit/queries.ts'
import { conversationDesks, conversations, savedReplies } from '../tables.ts'

export const findDesk = async (db: Database, conversationId: string) =>
  (await db.select().from(conversationDesks).where(eq(conversationDesks.conversationId, conversationId)))[0]

export const upsertDesk = (db: Database, desk: Omit<typeof conversationDesks.$inferSelect, 'version'>) =>
  db
    .insert(conversationDesks)
    .values(desk)
    .onConflictDoUpdate({
      target: conversationDesks.conversationId,
      set: { ...desk, version: raisedVersion(conversationDesks.version) },
    })

/** The live conversation that has waited longest and is not assigned to another administrator. `skipped` is not returned. */
export const findNextPending = async (db: Database, assignee: string, skipped: string | undefined) =>
  (
    await db
      .select({ id: conversations.id })
      .from(conversations)
      .leftJoin(conversationDesks, eq(conversationDesks.conversationId, conversations.id))
      .where(
        and(
          eq(conversations.test, false),
          gt(conversations.openQuestions, 0),
          skipped === undefined ? undefined : ne(conversations.id, skipped),
          or(isNull(conversationDesks.assignee), sql`lower(${conversationDesks.assignee}) = lower(${assignee})`),
        ),
      )
      .orderBy(asc(conversations.updatedAt), asc(conversations.id))
      .limit(1)
  )[0]

/** The subject of a saved reply in the audit log. */
export const savedReplySubject = (title: string): string => `saved-reply:${title}`

export const listReplies = (db: Database) => db.select().from(savedReplies).orderBy(asc(savedReplies.title))

/** Locks all saved replies until the transaction ends, because a new one has no row to lock, and because their number is limited. */
export const lockReplies = (db: Database) => lockText(db, 'saved-replies')

export const findReply = async (db: Database, title: string) =>
  (await db.select().from(savedReplies).where(eq(savedReplies.title, title)))[0]

export const upsertReply = async (db: Database, reply: Omit<typeof savedReplies.$inferSelect, 'version'>) =>
  (
    await db
      .insert(savedReplies)
      .values({ ...reply, version: firstVersion(sql`${savedReplySubject(reply.title)}`) })
      .onConflictDoUpdate({
        target: savedReplies.title,
        set: { ...reply, version: raisedVersion(savedReplies.version) },
      })
      .returning()
  )[0]

export const deleteReply = (db: Database, title: string) => db.delete(savedReplies).where(eq(savedReplies.title, title))
