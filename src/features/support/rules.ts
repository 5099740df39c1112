// Pure rules of support: what a partner sees of a conversation, by the partner's mode.
import type { ConversationRow, MessageRow, SupportMode } from './queries.ts'
import type { Shown } from './schema.ts'

type Conversation = Pick<ConversationRow, 'id' | 'status' | 'externalId'>
export type Reply = Pick<MessageRow, 'id' | 'source' | 'content' | 'createdAt'>

/** `reply`: the last one there is. While the conversation is pending it answers an earlier question, and is not shown. */
export function shownConversation(mode: SupportMode, conversation: Conversation, reply: Reply | undefined): Shown {
  const { id, status, externalId } = conversation
  const current = status === 'answered' ? reply : undefined
  if (mode === 'human')
    return { id, externalId, status, message: current?.source === 'human' ? agentMessage(current) : null }
  return { id, status, externalId, reply: current?.content ?? null, replySource: current?.source ?? null }
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

/** Whether a reply to one question leaves none open: another may have been asked while it was being written. */
export const statusAfterAnswer = (
  question: Pick<MessageRow, 'id'>,
  lastQuestion: Pick<MessageRow, 'id'>,
  before: ConversationRow['status'],
): ConversationRow['status'] => (question.id === lastQuestion.id ? 'answered' : before)
