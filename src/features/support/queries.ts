import { and, asc, desc, eq, gt, inArray, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { hasWords, onlyRow, pickColumns, type RemoveBatch, rowsOf } from '../../kernel/database/queries.ts'
import type { WorkListSort } from '../../kernel/schema.ts'
import { raisedVersion } from '../audit/queries.ts'
import { tools } from '../catalog/tables.ts'
import type { SupportMode } from '../partners/schema.ts'
import { partners } from '../partners/tables.ts'
import { submissions } from '../submissions/tables.ts'
import { conversations, messages } from './tables.ts'

export type ConversationRow = typeof conversations.$inferSelect
export type MessageRow = typeof messages.$inferSelect
export type NewMessage = typeof messages.$inferInsert

/** The owner of a conversation: the partner, or with `test` the partner's sandbox. No query finds conversations of both. */
export interface ConversationOwner {
  partnerId: string
  test: boolean
}

export const findSupportMode = async (db: Database, partnerId: string): Promise<SupportMode | undefined> =>
  (await db.select({ support: partners.support }).from(partners).where(eq(partners.id, partnerId)))[0]?.support

/** The support mode, which stays the same until the transaction ends; `off` for a banned partner. */
export const findSupportModeForShare = async (db: Database, partnerId: string): Promise<SupportMode | undefined> => {
  const [partner] = await db
    .select({ support: partners.support, banned: partners.banned })
    .from(partners)
    .where(eq(partners.id, partnerId))
    .for('share')
  return partner?.banned ? 'off' : partner?.support
}

export const insertConversation = (db: Database, conversation: ConversationRow) =>
  db.insert(conversations).values(conversation)

export const updateConversation = (
  db: Database,
  owner: ConversationOwner,
  id: string,
  change: Partial<Omit<ConversationRow, 'version'>> & Pick<ConversationRow, 'updatedAt'>,
) =>
  db
    .update(conversations)
    .set({ ...change, version: raisedVersion(conversations.version) })
    .where(isConversation(owner, id))

const isOwnedBy = ({ partnerId, test }: ConversationOwner) =>
  and(eq(conversations.partnerId, partnerId), eq(conversations.test, test))

const isConversation = (owner: ConversationOwner, id: string) => and(isOwnedBy(owner), eq(conversations.id, id))

const isMessageOf = ({ partnerId, test }: ConversationOwner) =>
  and(eq(messages.partnerId, partnerId), eq(messages.test, test))

/** Sets when an open question of a sandbox gets its sample reply. Readers do not see this time, so the version stays. */
export const updateSampleReplyTime = (db: Database, owner: ConversationOwner, id: string, sampleReplyAt: Date) =>
  db
    .update(conversations)
    .set({ sampleReplyAt })
    .where(and(isConversation(owner, id), gt(conversations.openQuestions, 0)))

/** Conversations, each with the reply to its last question. */
const conversationsWithReply = (db: Database) =>
  db
    .select({ conversation: conversations, reply: messages })
    .from(conversations)
    .leftJoin(messages, eq(messages.id, conversations.replyId))
    .$dynamic()

export const findConversation = async (db: Database, owner: ConversationOwner, id: string) =>
  (await conversationsWithReply(db).where(isConversation(owner, id)))[0]

/** The row stays locked until the transaction ends, so that messages of a conversation are written one after the other. */
export const findConversationForUpdate = async (db: Database, owner: ConversationOwner, id: string) =>
  (await db.select().from(conversations).where(isConversation(owner, id)).for('update'))[0]

export const findConversationId = async (db: Database, owner: ConversationOwner, externalId: string) =>
  (
    await db
      .select({ id: conversations.id })
      .from(conversations)
      .where(and(isOwnedBy(owner), eq(conversations.externalId, externalId)))
  )[0]?.id

export const findConversationByPeerMessage = async (db: Database, owner: ConversationOwner, peerMessageId: string) =>
  (
    await db
      .select({ conversation: conversations })
      .from(messages)
      .innerJoin(conversations, eq(conversations.id, messages.conversationId))
      .where(and(isMessageOf(owner), eq(messages.peerMessageId, peerMessageId)))
  )[0]?.conversation

export const selectConversations = (
  db: Database,
  owner: ConversationOwner,
  { id, externalId, status }: { id?: string; externalId?: string; status?: ConversationRow['status'] },
  limit: number,
  offset: number,
) =>
  conversationsWithReply(db)
    .where(
      and(
        isOwnedBy(owner),
        id === undefined ? undefined : eq(conversations.id, id),
        externalId === undefined ? undefined : eq(conversations.externalId, externalId),
        status === undefined ? undefined : eq(conversations.status, status),
      ),
    )
    .orderBy(desc(conversations.createdAt), desc(conversations.id))
    .limit(limit)
    .offset(offset)

export const insertMessage = (db: Database, message: NewMessage) => db.insert(messages).values(message)

/** Stores why the AI did not answer a question. */
export const updateNotAnswered = (db: Database, owner: ConversationOwner, questionId: string, notAnswered: string) =>
  db
    .update(messages)
    .set({ notAnswered })
    .where(and(isMessageOf(owner), eq(messages.id, questionId)))

/** The last messages of a conversation, oldest first; with `upTo` only those up to the message with this number. */
export const listLastMessages = async (
  db: Database,
  owner: ConversationOwner,
  conversationId: string,
  limit: number,
  upTo?: number,
) => {
  const isEarlier = upTo === undefined ? undefined : lte(messages.number, upTo)
  const newestFirst = await db
    .select()
    .from(messages)
    .where(and(isMessageOf(owner), eq(messages.conversationId, conversationId), isEarlier))
    .orderBy(desc(messages.number))
    .limit(limit)
  return newestFirst.reverse()
}

export const findMessage = async (
  db: Database,
  owner: ConversationOwner,
  id: string,
): Promise<MessageRow | undefined> =>
  (
    await db
      .select()
      .from(messages)
      .where(and(isMessageOf(owner), eq(messages.id, id)))
  )[0]

/** Whether an administrator has replied after this question. */
export const hasLaterReply = async (
  db: Database,
  owner: ConversationOwner,
  conversationId: string,
  questionId: string,
) =>
  (
    await db
      .select({ id: messages.id })
      .from(messages)
      .where(
        and(
          isMessageOf(owner),
          eq(messages.conversationId, conversationId),
          eq(messages.source, 'human'),
          gt(messages.number, sql`(select q.number from support_messages q where q.id = ${questionId})`),
        ),
      )
      .limit(1)
  ).length > 0

const inboxItems = (db: Database) =>
  db
    .select({
      id: conversations.id,
      clientId: conversations.partnerId,
      client: { id: partners.id, name: partners.name },
      ...pickColumns(conversations, 'status', 'externalId', 'customer', 'metadata'),
      question: sql<string>`coalesce(${messages.content}, '')`,
      messageCount: conversations.messageCount,
      unanswered: conversations.openQuestions,
      ...pickColumns(conversations, 'test', 'version', 'createdAt', 'updatedAt'),
    })
    .from(conversations)
    .innerJoin(partners, eq(partners.id, conversations.partnerId))
    .leftJoin(messages, eq(messages.id, conversations.lastQuestionId))
    .$dynamic()

interface InboxFilter {
  status?: ConversationRow['status']
  client?: string
  q?: string
  sort?: WorkListSort
  test?: boolean
}

const ORDERS = {
  newest: [desc(conversations.createdAt), desc(conversations.id)],
  oldest: [asc(conversations.updatedAt), asc(conversations.id)],
  changed: [desc(conversations.updatedAt), desc(conversations.id)],
}

const containsWords = (q: string | undefined) =>
  hasWords(q, [
    conversations.externalId,
    sql`${conversations.customer}::text`,
    (contains) =>
      sql`exists (select 1 from support_messages m where m.conversation_id = support_conversations.id and ${contains(sql`m.content`)})`,
  ])

/** In the inbox every conversation with an open question is pending, also one whose last question is answered. */
const hasInboxStatus = (status: ConversationRow['status']) =>
  status === 'pending' ? gt(conversations.openQuestions, 0) : eq(conversations.status, status)

/** Live conversations, or with `test` those of sandboxes. */
export const selectInbox = (
  db: Database,
  { status, client, q, sort = 'newest', test = false }: InboxFilter,
  limit: number,
  offset: number,
) =>
  inboxItems(db)
    .where(
      and(
        eq(conversations.test, test),
        status && hasInboxStatus(status),
        client === undefined ? undefined : eq(conversations.partnerId, client),
        containsWords(q),
      ),
    )
    .orderBy(...ORDERS[sort])
    .limit(limit)
    .offset(offset)

export const countPendingConversations = (db: Database): Promise<number> =>
  db.$count(conversations, and(eq(conversations.test, false), gt(conversations.openQuestions, 0)))

export const findInboxItem = async (db: Database, id: string) =>
  (await inboxItems(db).where(eq(conversations.id, id)))[0]

/** Like `findInboxItem`, limited to one owner. */
export const findInboxItemOf = async (db: Database, owner: ConversationOwner, id: string) =>
  (await inboxItems(db).where(isConversation(owner, id)))[0]

export const findConversationOwner = async (
  db: Database,
  conversationId: string,
): Promise<ConversationOwner | undefined> =>
  (
    await db
      .select({ partnerId: conversations.partnerId, test: conversations.test })
      .from(conversations)
      .where(eq(conversations.id, conversationId))
  )[0]

/** A conversation counts as this many rows of a batch, because its messages are deleted with it. */
const ROWS_EACH = 10

/**
 * Deletes the conversations whose ids the query `ids` selects, with their messages. Messages refer to their conversation, so one statement
 * deletes both.
 */
export const removeConversations =
  (ids: (limit: number) => SQL): RemoveBatch =>
  async (db, limit) =>
    onlyRow(
      await rowsOf<{ count: number }>(
        db,
        sql`
        with old as (
          select id from support_conversations where id in (${ids(Math.ceil(limit / ROWS_EACH))}) for update skip locked),
        deleted_messages as (delete from support_messages where conversation_id in (select id from old)),
        deleted as (delete from support_conversations where id in (select id from old) returning 1)
        select count(*)::int * ${ROWS_EACH} as count from deleted`,
      ),
    ).count

/** Deletes old conversations without an open question. */
export const removeOldConversations = (before: Date): RemoveBatch => {
  const time = sql`${before.toISOString()}::timestamptz`
  return removeConversations(
    (limit) =>
      sql`select id from support_conversations where not test and status = 'answered' and open_questions = 0
        and created_at < ${time} and updated_at < ${time} limit ${limit}`,
  )
}

/**
 * Ids of submissions of the partner, newest first: those whose product has one of the websites, or one of the texts as its id, slug or name,
 * and those whose founder has the e-mail address.
 */
export const listSubmissionsAbout = async (
  db: Database,
  partnerId: string,
  { texts, websiteKeys, email }: { texts: readonly string[]; websiteKeys: readonly string[]; email: string },
  limit: number,
): Promise<string[]> => {
  const names = texts.map((text) => text.toLowerCase())
  const rows = await db
    .select({ id: submissions.id })
    .from(submissions)
    .innerJoin(tools, eq(tools.id, submissions.toolId))
    .where(
      and(
        eq(submissions.partnerId, partnerId),
        or(
          inArray(submissions.id, [...texts]),
          inArray(tools.id, [...texts]),
          inArray(tools.slug, [...texts]),
          inArray(tools.websiteKey, [...websiteKeys]),
          inArray(sql`lower(${tools.name})`, names),
          email === '' ? undefined : eq(sql`lower(${tools.founderEmail})`, email),
        ),
      ),
    )
    .orderBy(desc(submissions.createdAt), desc(submissions.id))
    .limit(limit)
  return rows.map(({ id }) => id)
}
