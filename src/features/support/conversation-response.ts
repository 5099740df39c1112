// How partners get one conversation: in responses, as it is now or as an earlier response to the same request showed it, and in the event
// support.replied.
import { Type } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import { notFound, orNotFound } from '../../kernel/errors.ts'
import type { DeclaredEvent } from '../../kernel/feature.ts'
import { writer } from '../../kernel/output.ts'
import type { SupportMode } from '../partners/schema.ts'
import { EVENTS, type EventName } from '../webhooks/schema.ts'
import * as queries from './queries.ts'
import { agentMessage, type Reply, rulesOfMode, shownConversation, shownMessages } from './rules.ts'
import { repliedBodies, type ShownConversation } from './schema.ts'

// Partners get at most this many messages of a conversation; administrators see more.
const SHOWN_MESSAGES = 200

type Owner = queries.ConversationOwner
type Conversation = Pick<queries.ConversationRow, 'id' | 'status' | 'externalId'>

/** Everything that a response is made of. */
export interface LoadedConversation {
  mode: SupportMode
  conversation: Conversation
  /** The reply to the last question. */
  reply: Reply | null
  /** Empty where the partner sees no thread. */
  messages: readonly queries.MessageRow[]
}

export async function loadConversation(ctx: Context, owner: Owner, id: string): Promise<LoadedConversation> {
  const found = orNotFound(await queries.findConversation(ctx.db, owner, id), 'Conversation')
  const mode = await supportModeOf(ctx, owner.partnerId)
  const messages =
    rulesOfMode(mode).replyAs === 'text' ? await queries.listLastMessages(ctx.db, owner, id, SHOWN_MESSAGES) : []
  return { mode, ...found, messages }
}

export function toResponse({ mode, conversation, reply, messages }: LoadedConversation): ShownConversation {
  const listed = shownConversation(mode, conversation, reply)
  return 'message' in listed ? listed : { ...listed, messages: shownMessages(messages) }
}

export const readConversation = async (ctx: Context, owner: Owner, id: string): Promise<ShownConversation> =>
  toResponse(await loadConversation(ctx, owner, id))

/** A response as it is stored for a repeated request: identifiers are enough, because messages never change. */
export interface StoredAnswer extends Conversation {
  mode: SupportMode
  replyId: string | null
  /** The number of the last message; null where the partner sees no thread. */
  lastMessage: number | null
}

export const toStored = ({ mode, conversation, reply, messages }: LoadedConversation): StoredAnswer => ({
  id: conversation.id,
  status: conversation.status,
  externalId: conversation.externalId,
  mode,
  replyId: reply?.id ?? null,
  lastMessage: messages.at(-1)?.number ?? null,
})

/** Makes the same response again. */
export async function repeatResponse(
  ctx: Context,
  owner: Owner,
  { mode, replyId, lastMessage, ...conversation }: StoredAnswer,
): Promise<ShownConversation> {
  const reply = replyId === null ? null : ((await queries.findMessage(ctx.db, owner, replyId)) ?? null)
  const messages =
    lastMessage === null
      ? []
      : await queries.listLastMessages(ctx.db, owner, conversation.id, SHOWN_MESSAGES, lastMessage)
  return toResponse({ mode, conversation, reply, messages })
}

/** Who answers the questions of the partner; a 404 when there is no such partner. */
export async function supportModeOf(ctx: Pick<Context, 'db'>, partnerId: string): Promise<SupportMode> {
  const mode = await queries.findSupportMode(ctx.db, partnerId)
  if (mode === undefined) throw notFound('Partner')
  return mode
}

const REPLIED = 'support.replied'

export const repliedEvent = {
  name: REPLIED,
  when: EVENTS[REPLIED],
  // Not oneOf: a body may fit both shapes, and checkers of OpenAPI documents warn about that.
  body: Type.Unsafe({
    title: 'SupportReplied',
    description: 'A support question has its reply, from the AI or from a person.',
    anyOf: [repliedBodies.text, repliedBodies.message],
  }),
} satisfies DeclaredEvent & { name: EventName }

const writeText = writer(repliedBodies.text)
const writeMessage = writer(repliedBodies.message)

/** The exact body of the event. `reply` is the reply that the event announces, even if the conversation has changed since. */
export function repliedBody(
  mode: SupportMode,
  { id, status, externalId }: Conversation,
  reply: Reply,
  at: Date,
): string {
  const head = { event: REPLIED, occurredAt: at }
  return rulesOfMode(mode).replyAs === 'message'
    ? writeMessage({ ...head, conversation: { id, externalId, status, message: agentMessage(reply) } })
    : writeText({ ...head, conversation: { id, status, externalId, reply: reply.content, replySource: reply.source } })
}
