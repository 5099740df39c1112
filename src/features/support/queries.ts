import { and, asc, count, desc, eq, inArray, isNull, ne, or, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { partners } from '../keys/tables.ts'
import { containing } from '../submissions/queries.ts'
import { articles, conversations, messages } from './tables.ts'

export type ConversationRow = typeof conversations.$inferSelect
export type MessageRow = typeof messages.$inferSelect
export type NewMessage = typeof messages.$inferInsert
export type ArticleRow = typeof articles.$inferSelect
export type SupportMode = (typeof partners.$inferSelect)['support']

export const findSupportMode = async (db: Database, partnerId: string): Promise<SupportMode | undefined> =>
  (await db.select({ support: partners.support }).from(partners).where(eq(partners.id, partnerId)))[0]?.support

export const insertConversation = (db: Database, conversation: ConversationRow) =>
  db.insert(conversations).values(conversation)

export const updateConversation = (
  db: Database,
  partnerId: string,
  id: string,
  change: Partial<ConversationRow> & Pick<ConversationRow, 'updatedAt'>,
) =>
  db
    .update(conversations)
    .set(change)
    .where(and(eq(conversations.partnerId, partnerId), eq(conversations.id, id)))

const ofPartner = (db: Database, partnerId: string) =>
  db.select().from(conversations).where(eq(conversations.partnerId, partnerId)).$dynamic()

export const findConversation = async (db: Database, partnerId: string, id: string) =>
  (await ofPartner(db, partnerId).where(and(eq(conversations.partnerId, partnerId), eq(conversations.id, id))))[0]

/** Locked until the transaction ends: messages of a conversation are written one after the other. */
export const findConversationForUpdate = async (db: Database, partnerId: string, id: string) =>
  (
    await ofPartner(db, partnerId)
      .where(and(eq(conversations.partnerId, partnerId), eq(conversations.id, id)))
      .for('update')
  )[0]

export const findConversationByExternalId = async (db: Database, partnerId: string, externalId: string) =>
  (
    await ofPartner(db, partnerId)
      .where(and(eq(conversations.partnerId, partnerId), eq(conversations.externalId, externalId)))
      .for('update')
  )[0]

export const findConversationByPeerMessage = async (db: Database, partnerId: string, peerMessageId: string) =>
  (
    await db
      .select({ conversation: conversations })
      .from(messages)
      .innerJoin(conversations, eq(conversations.id, messages.conversationId))
      .where(and(eq(messages.partnerId, partnerId), eq(messages.peerMessageId, peerMessageId)))
  )[0]?.conversation

export interface ConversationFilter {
  id?: string
  externalId?: string
  status?: ConversationRow['status']
}

export const listConversations = (
  db: Database,
  partnerId: string,
  { id, externalId, status }: ConversationFilter,
  limit: number,
  offset: number,
) =>
  ofPartner(db, partnerId)
    .where(
      and(
        eq(conversations.partnerId, partnerId),
        id === undefined ? undefined : eq(conversations.id, id),
        externalId === undefined ? undefined : eq(conversations.externalId, externalId),
        status === undefined ? undefined : eq(conversations.status, status),
      ),
    )
    .orderBy(desc(conversations.createdAt), desc(conversations.id))
    .limit(limit)
    .offset(offset)

export const insertMessage = (db: Database, message: NewMessage) => db.insert(messages).values(message)

/** The last of a conversation, oldest first. */
export const listLastMessages = async (db: Database, partnerId: string, conversationId: string, limit: number) =>
  (
    await db
      .select()
      .from(messages)
      .where(and(eq(messages.partnerId, partnerId), eq(messages.conversationId, conversationId)))
      .orderBy(desc(messages.number))
      .limit(limit)
  ).reverse()

/** The last reply of each conversation that has one. */
export const listLastReplies = (db: Database, partnerId: string, ids: readonly string[]): Promise<MessageRow[]> =>
  db
    .selectDistinctOn([messages.conversationId])
    .from(messages)
    .where(
      and(
        eq(messages.partnerId, partnerId),
        inArray(messages.conversationId, [...ids]),
        eq(messages.role, 'assistant'),
      ),
    )
    .orderBy(asc(messages.conversationId), desc(messages.number))

// Written out: of a lone table columns stand without its name, which a subquery would take for its own.
const lastQuestion = sql<string>`(select m.content from support_messages m where m.conversation_id = support_conversations.id and m.role = 'customer' order by m.number desc limit 1)`
const messageCount = sql<number>`(select count(*)::int from support_messages m where m.conversation_id = support_conversations.id)`
/** Questions that neither the AI nor, later, a person replied to. */
const unanswered = sql<number>`(select count(*)::int from support_messages m where m.conversation_id = support_conversations.id and m.role = 'customer'
  and m.number > coalesce((select max(h.number) from support_messages h where h.conversation_id = support_conversations.id and h.source = 'human'), 0)
  and m.id not in (select a.answers_id from support_messages a where a.conversation_id = support_conversations.id and a.answers_id is not null))`

const inboxItem = (db: Database) =>
  db
    .select({
      id: conversations.id,
      clientId: conversations.partnerId,
      client: { id: partners.id, name: partners.name },
      status: conversations.status,
      externalId: conversations.externalId,
      customer: conversations.customer,
      metadata: conversations.metadata,
      question: lastQuestion,
      messageCount,
      unanswered,
      createdAt: conversations.createdAt,
      updatedAt: conversations.updatedAt,
    })
    .from(conversations)
    .innerJoin(partners, eq(partners.id, conversations.partnerId))
    .$dynamic()

export interface InboxFilter {
  status?: ConversationRow['status']
  client?: string
  q?: string
  sort?: 'newest' | 'oldest' | 'changed'
}

const ORDERS = {
  newest: [desc(conversations.createdAt), desc(conversations.id)],
  oldest: [asc(conversations.updatedAt), asc(conversations.id)],
  changed: [desc(conversations.updatedAt), desc(conversations.id)],
}

const speaksOf = (text: string) => {
  const pattern = containing(text)
  return sql`(${conversations.externalId} ilike ${pattern} or ${conversations.customer}::text ilike ${pattern}
    or exists (select 1 from support_messages m where m.conversation_id = support_conversations.id and m.content ilike ${pattern}))`
}

/** Across partners: for administrators only. */
export const listInbox = (
  db: Database,
  { status, client, q, sort = 'newest' }: InboxFilter,
  limit: number,
  offset: number,
) =>
  inboxItem(db)
    .where(
      and(
        status === undefined ? undefined : eq(conversations.status, status),
        client === undefined ? undefined : eq(conversations.partnerId, client),
        q === undefined ? undefined : speaksOf(q),
      ),
    )
    .orderBy(...ORDERS[sort])
    .limit(limit)
    .offset(offset)

export const countPending = async (db: Database): Promise<number> =>
  (await db.select({ count: count() }).from(conversations).where(eq(conversations.status, 'pending')))[0]!.count

export const findInboxItem = async (db: Database, id: string) =>
  (await inboxItem(db).where(eq(conversations.id, id)))[0]

/** The same for one partner's own people. */
export const findInboxItemOf = async (db: Database, partnerId: string, id: string) =>
  (await inboxItem(db).where(and(eq(conversations.partnerId, partnerId), eq(conversations.id, id))))[0]

const { id, role, source, content, createdAt } = messages
export const listMessagesOf = (db: Database, partnerId: string, conversationId: string) =>
  db
    .select({ id, role, source, content, createdAt })
    .from(messages)
    .where(and(eq(messages.partnerId, partnerId), eq(messages.conversationId, conversationId)))
    .orderBy(asc(messages.number))

export const findOwner = async (db: Database, conversationId: string): Promise<string | undefined> =>
  (
    await db
      .select({ partnerId: conversations.partnerId })
      .from(conversations)
      .where(eq(conversations.id, conversationId))
  )[0]?.partnerId

export const listMessages = (db: Database, conversationId: string) =>
  db.select().from(messages).where(eq(messages.conversationId, conversationId)).orderBy(asc(messages.number))

/** Those of one partner, or with null those for all. */
const owned = (partnerId: string | null) =>
  partnerId === null ? isNull(articles.partnerId) : eq(articles.partnerId, partnerId)

export const listArticles = (db: Database, partnerId: string | null): Promise<ArticleRow[]> =>
  db.select().from(articles).where(owned(partnerId)).orderBy(asc(articles.position), asc(articles.id))

/** What may be drawn on in answering a partner's customers: the partner's own articles, then those for all. */
const usable = (partnerId: string | null) => or(isNull(articles.partnerId), owned(partnerId))
const ownFirst = [sql`${articles.partnerId} is null`, asc(articles.position), asc(articles.id)]

export const listUsableArticleIds = async (db: Database, partnerId: string | null): Promise<string[]> =>
  (
    await db
      .select({ id: articles.id })
      .from(articles)
      .where(usable(partnerId))
      .orderBy(...ownFirst)
  ).map((row) => row.id)

export const listUsableArticles = (db: Database, partnerId: string | null): Promise<ArticleRow[]> =>
  db
    .select()
    .from(articles)
    .where(usable(partnerId))
    .orderBy(...ownFirst)

export const insertArticles = (db: Database, rows: readonly ArticleRow[]) => db.insert(articles).values([...rows])
export const updateArticlePosition = (db: Database, id: string, position: number) =>
  db
    .update(articles)
    .set({ position })
    .where(and(eq(articles.id, id), ne(articles.position, position)))
export const deleteArticles = (db: Database, ids: readonly string[]) =>
  db.delete(articles).where(inArray(articles.id, [...ids]))
export const findArticle = async (db: Database, id: string): Promise<ArticleRow | undefined> =>
  (await db.select().from(articles).where(eq(articles.id, id)))[0]
