import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { referenceColumn, timeColumn } from '../../kernel/database/tables.ts'
import { changeableColumns, versionColumn } from '../audit/tables.ts'
import { partners } from '../partners/tables.ts'
import { MESSAGE_ROLES, MESSAGE_SOURCES, STATUSES } from './schema.ts'

/** A thread of messages with a customer of a partner. */
export const conversations = pgTable(
  'support_conversations',
  {
    id: text().primaryKey(),
    partnerId: referenceColumn('partner_id', () => partners.id),
    /** Whether the conversation belongs to the partner's sandbox. */
    test: boolean().notNull().default(false),
    /** The partner's own identifier of the thread. */
    externalId: text('external_id'),
    status: text({ enum: STATUSES }).notNull(),
    customer: jsonb().$type<{ name?: string; email?: string; id?: string }>(),
    metadata: jsonb().$type<Record<string, unknown>>(),
    messageCount: integer('message_count').notNull().default(0),
    /** The number of questions to which neither the AI nor an administrator has replied. */
    openQuestions: integer('open_questions').notNull().default(0),
    lastQuestionId: text('last_question_id'),
    /** The reply to the last question; null while pending. */
    replyId: text('reply_id'),
    /** In a sandbox: when an open question gets a sample reply. */
    sampleReplyAt: timeColumn('sample_reply_at'),
    /** Every message, also of the customer or the AI, raises the version, so that an administrator cannot reply without seeing it. */
    ...changeableColumns(),
  },
  (table) => [
    uniqueIndex('support_conversations_external').on(table.partnerId, table.test, table.externalId),
    index('support_conversations_partner').on(table.partnerId, table.createdAt),
    index('support_conversations_status').on(table.status, table.createdAt),
    index('support_conversations_open')
      .on(table.createdAt)
      .where(sql`${table.openQuestions} > 0 and not ${table.test}`),
    index('support_conversations_test').on(table.updatedAt).where(sql`${table.test}`),
    index('support_conversations_sample').on(table.sampleReplyAt).where(sql`${table.sampleReplyAt} is not null`),
  ],
)

export const messages = pgTable(
  'support_messages',
  {
    id: text().primaryKey(),
    /** The order of messages. It is assigned while the conversation is locked, so a later message has a higher number. */
    number: bigint({ mode: 'number' }).generatedAlwaysAsIdentity().notNull(),
    conversationId: referenceColumn('conversation_id', () => conversations.id),
    partnerId: referenceColumn('partner_id', () => partners.id),
    /** The same value as in the conversation. */
    test: boolean().notNull().default(false),
    role: text({ enum: MESSAGE_ROLES }).notNull(),
    /** Who wrote a reply; null for the customer's messages. */
    source: text({ enum: MESSAGE_SOURCES }),
    content: text().notNull(),
    /** The administrator who wrote the reply. */
    author: text(),
    /** The partner's own identifier of the message; a repeated request has the same one. */
    peerMessageId: text('peer_message_id'),
    /** The question that an AI reply answers. An administrator's reply answers all questions before it. */
    answersId: text('answers_id'),
    /** The passages that an AI reply was made from. Administrators see them; users of the partner see only the titles. */
    passages: jsonb().$type<{ articleId: string; title: string; text: string }[]>(),
    /** Why the AI did not answer this question; only administrators see it. */
    notAnswered: text('not_answered'),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('support_messages_peer').on(table.partnerId, table.test, table.peerMessageId),
    index('support_messages_conversation').on(table.conversationId, table.number),
  ],
)

/** Articles of product knowledge, from which questions are answered. */
export const articles = pgTable(
  'support_articles',
  {
    id: text().primaryKey(),
    /** null: the article is for all partners. */
    partnerId: text('partner_id').references(() => partners.id),
    position: integer().notNull(),
    title: text().notNull(),
    body: text().notNull(),
    version: versionColumn(),
    createdAt: timeColumn('created_at').notNull(),
  },
  (table) => [index('support_articles_partner').on(table.partnerId, table.position)],
)

/** The version of the article list of each partner, and of the list for all partners. No row: the list never had an article. */
export const knowledgeVersions = pgTable('support_knowledge_versions', {
  /** A partner's id; empty for the articles for all partners. */
  owner: text().primaryKey(),
  version: versionColumn(),
})

/** Assignee and notes of a conversation, which no partner sees. No row: nothing was assigned or noted yet. */
export const conversationDesks = pgTable('support_desks', {
  conversationId: text('conversation_id')
    .primaryKey()
    .references(() => conversations.id, { onDelete: 'cascade' }),
  /** The administrator who answers it. */
  assignee: text(),
  internalNotes: text('internal_notes').notNull(),
  version: versionColumn(),
  updatedAt: timeColumn('updated_at').notNull(),
})

/** Texts that administrators put into replies. */
export const savedReplies = pgTable('support_saved_replies', {
  title: text().primaryKey(),
  body: text().notNull(),
  version: versionColumn(),
  updatedAt: timeColumn('updated_at').notNull(),
})
