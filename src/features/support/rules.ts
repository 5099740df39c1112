// Pure rules of support: how a partner sees a conversation, which depends on its support mode, and texts about the customer and the product
// of a conversation, from what its partner sent: for the placeholders of saved replies, and to find the submissions that it is about.
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

export const PLACEHOLDERS = ['customer', 'product'] as const
type Placeholder = (typeof PLACEHOLDERS)[number]

interface PlaceholderValues {
  customer: { name?: string; email?: string; id?: string } | null
  metadata: Record<string, unknown> | null
  client: { name: string }
}

// Partners may send long texts; a name in a reply is cut to this length.
const MAX_NAME_LENGTH = 100

/** The customer's name, and the product that the partner named in the metadata, otherwise the partner itself. */
export function placeholdersOf({ customer, metadata, client }: PlaceholderValues): Record<Placeholder, string> {
  const productName = metadata && Object.hasOwn(metadata, 'product') ? metadata.product : undefined
  return { customer: shortText(customer?.name) || 'there', product: shortText(productName) || shortText(client.name) }
}

const shortText = (value: unknown): string => (typeof value === 'string' ? value.trim().slice(0, MAX_NAME_LENGTH) : '')

/** At most this many texts of the metadata are read. */
const MOST_TEXTS = 20

/** The texts of the metadata, any of which may name a product, and the e-mail address of the customer; empty if it is not known. */
export function namedTexts({ customer, metadata }: Pick<PlaceholderValues, 'customer' | 'metadata'>): {
  texts: string[]
  email: string
} {
  const texts = Object.values(metadata ?? {}).flatMap((value) =>
    typeof value === 'string' && value.trim() !== '' && value.length <= 300 ? [value.trim()] : [],
  )
  return { texts: texts.slice(0, MOST_TEXTS), email: shortText(customer?.email).toLowerCase() }
}

/** Fills in the placeholders; other texts in braces stay as they are. */
export const filled = (text: string, values: Record<Placeholder, string>): string =>
  text.replace(/\{(customer|product)\}/g, (_, name: Placeholder) => values[name])
