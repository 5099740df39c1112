// Pure rules of support: how a partner sees a conversation, which depends on the partner's support mode.
import type { SupportMode } from '../partners/schema.ts'
import type { ConversationRow, MessageRow } from './queries.ts'
import type { ListedConversation } from './schema.ts'

type Conversation = Pick<ConversationRow, 'id' | 'status' | 'externalId'>
export type Reply = Pick<MessageRow, 'id' | 'source' | 'content' | 'createdAt'>

interface ModeRules {
  /** Whether the service tries to answer a question itself before an administrator does. */
  answersItself: boolean
  /** Whether the partner gets an event for each reply. */
  sendsEvents: boolean
  /** How the partner sees a reply: as the text and who wrote it, or as the message of a person. */
  replyAs: 'text' | 'message'
}

const MODES: Record<SupportMode, ModeRules> = {
  off: { answersItself: false, sendsEvents: false, replyAs: 'text' },
  hybrid: { answersItself: true, sendsEvents: true, replyAs: 'text' },
  human: { answersItself: false, sendsEvents: true, replyAs: 'message' },
}

/** A broken row may contain a mode that does not exist; it counts as off. */
export const rulesOfMode = (mode: SupportMode | undefined): ModeRules => MODES[mode ?? 'off'] ?? MODES.off

/** `reply` is the reply to the last question, or null when there is none. */
export function shownConversation(
  mode: SupportMode,
  conversation: Conversation,
  reply: Reply | null,
): ListedConversation {
  const { id, status, externalId } = conversation
  if (rulesOfMode(mode).replyAs === 'message')
    return { id, externalId, status, message: reply?.source === 'human' ? agentMessage(reply) : null }
  return { id, status, externalId, reply: reply?.content ?? null, replySource: reply?.source ?? null }
}

export const agentMessage = ({ id, content, createdAt }: Reply) => ({
  id,
  role: 'agent' as const,
  source: 'human' as const,
  content,
  createdAt,
})

export const shownMessages = (messages: readonly Pick<MessageRow, 'role' | 'content' | 'source'>[]) =>
  messages.map(({ role, content, source }) => (source === null ? { role, content } : { role, content, source }))
