// Operations for signed-in users who work for a partner: its conversations. Every query is limited to the partner of the caller.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { orNotFound } from '../../kernel/errors.ts'
import { pageOperation } from '../../kernel/operation.ts'
import { listPage, offsetOf } from '../../kernel/schema.ts'
import { partnerOfCaller } from '../partners/webhook-settings.operations.ts'
import { inboxFilters, ownThreadSchema, THREAD_MESSAGES } from './inbox/inbox.schema.ts'
import * as queries from './queries.ts'
import { conversationId } from './schema.ts'

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
  parameters: Type.Object({ id: conversationId }),
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
