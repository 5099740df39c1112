// Pure rules of support: what a partner sees of a conversation, by the partner's mode.
import type { ConversationRow, MessageRow, SupportMode } from './queries.ts'
import type { Listed } from './schema.ts'

type Conversation = Pick<ConversationRow, 'id' | 'status' | 'externalId'>
export type Reply = Pick<MessageRow, 'id' | 'source' | 'content' | 'createdAt'>

/** `reply`: the one to the last question, or null while there is none. */
export function shownConversation(mode: SupportMode, conversation: Conversation, reply: Reply | null): Listed {
  const { id, status, externalId } = conversation
  if (mode === 'human')
    return { id, externalId, status, message: reply?.source === 'human' ? agentMessage(reply) : null }
  return { id, status, externalId, reply: reply?.content ?? null, replySource: reply?.source ?? null }
}

const agentMessage = ({ id, content, createdAt }: Reply) => ({
  id,
  role: 'agent' as const,
  source: 'human' as const,
  content,
  createdAt,
})

export const shownMessages = (messages: readonly Pick<MessageRow, 'role' | 'content' | 'source'>[]) =>
  messages.map(({ role, content, source }) => (source === null ? { role, content } : { role, content, source }))

export const REPLIED = 'support.replied'

/** The event's body, byte for byte. `reply` is the one that the event is about, whatever the conversation is by now. */
export const repliedBody = (mode: SupportMode, conversation: Conversation, reply: Reply, at: Date): string =>
  JSON.stringify({
    event: REPLIED,
    occurredAt: at,
    conversation:
      mode === 'human'
        ? {
            id: conversation.id,
            externalId: conversation.externalId,
            status: conversation.status,
            message: agentMessage(reply),
          }
        : {
            id: conversation.id,
            status: conversation.status,
            externalId: conversation.externalId,
            reply: reply.content,
            replySource: reply.source,
          },
  })
