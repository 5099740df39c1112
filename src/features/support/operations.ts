// Partner endpoints: forward a customer's question and read the conversations. Also the conversations of a partner for the signed-in users
// who work for it; each query is limited to the partner of the caller.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { orNotFound } from '../../kernel/errors.ts'
import { callingOwner } from '../../kernel/invoke.ts'
import { operationsFor, pageOperation } from '../../kernel/operation.ts'
import { listPage, offsetOf, pageParameters } from '../../kernel/schema.ts'
import { idempotencyHeaders, keyedRequest } from '../partners/idempotency.ts'
import { partnerOfCaller } from '../partners/webhook-settings.operations.ts'
import { ask } from './ask.ts'
import { readConversation, supportModeOf } from './conversation-response.ts'
import { inboxFilters, ownThreadSchema, THREAD_MESSAGES } from './inbox/inbox.schema.ts'
import * as queries from './queries.ts'
import { readQuestion } from './read-question.ts'
import { shownConversation } from './rules.ts'
import * as schema from './schema.ts'

const operation = operationsFor('support', 'Support')

const CONVERSATION_EXAMPLE = {
  messages: [
    { role: 'customer', content: 'How long do refunds take?' },
    { role: 'assistant', content: 'Refunds take three days.', source: 'ai' },
  ],
}

const askSupport = operation({
  name: 'ask_support',
  summary: 'Forward a customer question',
  description:
    'Starts a conversation, or continues one by conversationId or externalId. Hybrid clients get the reply at once when the AI can answer; otherwise, and for human-only clients always, the conversation is pending until a person replies. Poll it every 5 to 15 seconds while it is pending, or wait for the event support.replied.',
  bucket: 'support',
  method: 'POST',
  path: '/support/ask',
  headers: idempotencyHeaders,
  body: schema.askBodyOrAlias,
  data: schema.conversationSchema,
  failures: [400, 403, 404, 413, 415],
  exampleFields: CONVERSATION_EXAMPLE,
  rawBody: true,
  run: (ctx, _input, raw, headers) => {
    const owner = callingOwner(ctx.caller)
    return ask(ctx, owner, readQuestion(raw), keyedRequest(owner, headers, raw, 'ask_support'))
  },
})

const getConversation = operation({
  name: 'get_conversation',
  summary: 'One conversation',
  description: 'A conversation of the calling client, in the shape of POST /support/ask.',
  method: 'GET',
  path: '/support/conversations/:id',
  parameters: Type.Object({ id: schema.conversationId }),
  data: schema.conversationSchema,
  failures: [400, 403, 404],
  exampleFields: CONVERSATION_EXAMPLE,
  run: async (ctx, input) => ({ data: await readConversation(ctx, callingOwner(ctx.caller), input.id) }),
})

const listConversations = operation({
  name: 'list_conversations',
  summary: 'List conversations',
  description: "The calling client's conversations, newest first, without their messages.",
  method: 'GET',
  path: '/support/conversations',
  parameters: Type.Object({ ...schema.conversationFilters, ...pageParameters(20, 100) }),
  data: Type.Array(schema.listedSchema),
  failures: [400, 403],
  run: async (ctx, input) => {
    const owner = callingOwner(ctx.caller)
    const { id, externalId, status } = input
    const filter = { id, externalId, status }
    const found = await queries.selectConversations(ctx.db, owner, filter, input.limit, offsetOf(input))
    const mode = await supportModeOf(ctx, owner.partnerId)
    return { data: found.map(({ conversation, reply }) => shownConversation(mode, conversation, reply)) }
  },
})

export const supportOperations = [askSupport, getConversation, listConversations]

const { messages: _, ...itemFields } = ownThreadSchema.properties

export const listOwnConversations = pageOperation({
  name: 'list_own_conversations',
  parameters: Type.Object({ status: inboxFilters.status, ...listPage }),
  data: Type.Array(Type.Object(itemFields, { description: 'A conversation of the partner.' })),
  run: async (ctx, input) => {
    const { id } = await partnerOfCaller(ctx)
    const filter = { status: input.status, client: id }
    return { data: await queries.selectInbox(ctx.db, filter, input.limit, offsetOf(input)) }
  },
})

export const getOwnConversation = pageOperation({
  name: 'get_own_conversation',
  parameters: Type.Object({ id: schema.conversationId }),
  data: ownThreadSchema,
  run: async (ctx, input) => {
    const partner = await partnerOfCaller(ctx)
    return { data: await readOwnThread(ctx, { partnerId: partner.id, test: false }, input.id) }
  },
})

/** A conversation as the partner or founder who asked sees it. Throws a 404 for a conversation of another owner. */
export async function readOwnThread(ctx: Context, owner: queries.ConversationOwner, id: string) {
  const found = orNotFound(await queries.findInboxItemOf(ctx.db, owner, id), 'Conversation')
  const messages = await queries.listLastMessages(ctx.db, owner, id, THREAD_MESSAGES)
  const shown = messages.map(({ id, role, source, content, passages, createdAt }) => ({
    id,
    role,
    source,
    content,
    // In a row that was written to the database by hand this may be no list.
    sources: [...new Set(Array.isArray(passages) ? passages.map(({ title }) => title) : [])],
    createdAt,
  }))
  return { ...found, messages: shown }
}

export const ownConversationOperations = [listOwnConversations, getOwnConversation]
