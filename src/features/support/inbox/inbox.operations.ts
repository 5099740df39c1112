import { Type } from 'typebox'
import type { Context } from '../../../kernel/context.ts'
import { badRequest, notFound, orNotFound } from '../../../kernel/errors.ts'
import { operationsFor } from '../../../kernel/operation.ts'
import { listPage, offsetOf } from '../../../kernel/schema.ts'
import { versionGuard } from '../../audit/schema.ts'
import { checkVersion } from '../../audit/version-guard.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { storeReply } from '../ask.ts'
import { addArticle, shownArticle, titleFrom } from '../knowledge/articles.ts'
import { articleSchema, fromReplyBody } from '../knowledge/knowledge.schema.ts'
import * as queries from '../queries.ts'
import * as schema from '../schema.ts'
import * as inbox from './inbox.schema.ts'

const operation = operationsFor('operator', 'Support')

const TIME = '2026-03-01T09:30:00.000Z'

const THREAD_EXAMPLE = {
  messages: [
    {
      id: 'e0a1b2c3-0000-4000-8000-000000000001',
      role: 'customer',
      source: null,
      content: 'How long do refunds take?',
      author: null,
      passages: null,
      notAnswered: 'No article answers the question.',
      createdAt: TIME,
    },
    {
      id: schema.MESSAGE_ID,
      role: 'assistant',
      source: 'human',
      content: 'Refunds take three days.',
      author: 'operator',
      passages: null,
      notAnswered: null,
      createdAt: TIME,
    },
  ],
}

export const listInbox = operation({
  name: 'list_support_conversations',
  summary: 'The support inbox',
  description:
    'Conversations of all partners, newest first, each with its last question; those of sandboxes only with test.',
  method: 'GET',
  path: '/support/conversations',
  parameters: Type.Object({ ...inbox.inboxFilters, ...listPage }),
  data: Type.Array(inbox.inboxItemSchema),
  tool: {
    description:
      'Conversations with customers, newest first, each with its last question. For the one to answer use next_support_conversation.',
    omit: ['test', 'client', 'sort'],
  },
  run: async (ctx, input) => ({ data: await queries.selectInbox(ctx.db, input, input.limit, offsetOf(input)) }),
})

export const getThread = operation({
  name: 'get_support_conversation',
  summary: 'One conversation with all messages',
  description: 'Everything of one conversation: messages, customer, metadata, and what AI replies were made from.',
  method: 'GET',
  path: '/support/conversations/:id',
  parameters: Type.Object({ id: schema.conversationId }),
  data: inbox.threadSchema,
  exampleFields: THREAD_EXAMPLE,
  tool: { title: 'One conversation', description: 'All messages of a conversation, with the customer.' },
  run: async (ctx, input) => ({ data: await readThread(ctx, input.id) }),
})

export const replyToConversation = operation({
  name: 'reply_to_conversation',
  summary: 'Reply to a customer',
  description: 'Adds a reply of a person: the conversation is answered, and the partner is told by support.replied.',
  method: 'POST',
  path: '/support/conversations/:id/reply',
  parameters: Type.Object({ id: schema.conversationId, ...versionGuard.parameters }),
  body: inbox.replyBody,
  data: inbox.threadSchema,
  failures: [400, 404, ...versionGuard.failures],
  exampleFields: THREAD_EXAMPLE,
  tool: {
    description: 'Send a reply to the customer. It is sent at once and cannot be taken back.',
    isFinal: true,
    isRepeatable: true,
    shows: ['id', 'status', 'version'],
  },
  run: async (ctx, input, body) => {
    await ctx.transaction(async (ctx) => {
      const conversation = await lockConversation(ctx, input.id)
      const { id, partnerId } = conversation
      const [last] = await queries.listLastMessages(ctx.db, conversation, id, 1)
      const { content } = body
      // The same reply was sent twice, by a double click or after a broken connection.
      if (last?.source === 'human' && last.content === content && last.author === ctx.caller.label) return
      await checkVersion(ctx, input.ifVersion, {
        name: 'conversation',
        version: conversation.version,
        subject: `conversation:${id}`,
        actions: ['support.reply'],
        // The last message is given here, because messages of customers and of the AI are not in the audit log.
        lastChange: last && { actor: writerOf(last), at: last.createdAt },
      })
      const mode = await queries.findSupportModeForShare(ctx.db, partnerId)
      if (mode === undefined) throw notFound('Partner')
      const message = { source: 'human' as const, content, author: ctx.caller.label }
      const reply = await storeReply(ctx, mode, conversation, message, { openQuestions: 0, isCurrent: true })
      await writeAudit(ctx, 'support.reply', `conversation:${id}`, { messageId: reply.id })
    })
    return { data: await readThread(ctx, input.id) }
  },
})

export const makeArticleOfReply = operation({
  name: 'make_article_of_reply',
  summary: 'Turn a reply into an article',
  description:
    "Adds an article to the knowledge: the reply, under the question that it answered or the given title. It is for the customers of the conversation's partner unless told otherwise.",
  method: 'POST',
  path: '/support/conversations/:id/article',
  parameters: Type.Object({ id: schema.conversationId }),
  body: fromReplyBody,
  data: articleSchema,
  exampleFields: { title: 'How long do refunds take?', body: 'Refunds take three days.', version: 1 },
  run: (ctx, input, body) =>
    ctx.transaction(async (ctx) => {
      const { id, partnerId, test } = await lockConversation(ctx, input.id)
      if (test) throw badRequest('This is a test conversation. Its replies cannot become articles.')
      const messages = await queries.listLastMessages(ctx.db, { partnerId, test }, id, inbox.THREAD_MESSAGES)
      const at = messages.findLastIndex(
        (message) => message.source === 'human' && (body.messageId === undefined || message.id === body.messageId),
      )
      const reply = messages[at]
      if (!reply && body.messageId !== undefined) throw notFound('A reply of a person with this messageId was')
      if (!reply) throw badRequest('No person has replied to this conversation yet. Reply first.')
      const question = messages.slice(0, at).findLast((message) => message.role === 'customer')
      const article = await addArticle(ctx, body.scope === 'all' ? null : partnerId, {
        title: body.title ?? titleFrom(question?.content ?? reply.content),
        body: reply.content,
      })
      return { data: shownArticle(article) }
    }),
})

export const inboxOperations = [listInbox, getThread, replyToConversation, makeArticleOfReply]

function writerOf({ role, source, author }: queries.MessageRow): string {
  if (role === 'customer') return 'the customer'
  return source === 'ai' ? 'the AI' : (author ?? 'an administrator')
}

async function lockConversation(ctx: Context, id: string): Promise<queries.ConversationRow> {
  const owner = await queries.findConversationOwner(ctx.db, id)
  const conversation = owner && (await queries.findConversationForUpdate(ctx.db, owner, id))
  if (!conversation) throw notFound('Conversation')
  return conversation
}

async function readThread(ctx: Context, id: string) {
  const item = orNotFound(await queries.findInboxItem(ctx.db, id), 'Conversation')
  const owner = { partnerId: item.clientId, test: item.test }
  return { ...item, messages: await queries.listLastMessages(ctx.db, owner, id, inbox.THREAD_MESSAGES) }
}
