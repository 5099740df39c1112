// The event support.replied.
import { Type } from 'typebox'
import type { DeclaredEvent } from '../../kernel/feature.ts'
import { writer } from '../../kernel/output.ts'
import type { SupportMode } from '../partners/schema.ts'
import { EVENTS, type EventName } from '../webhooks/schema.ts'
import { agentMessage, type Reply, rulesOfMode } from './modes.rules.ts'
import type { ConversationRow } from './queries.ts'
import { repliedBodies } from './schema.ts'

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
  { id, status, externalId }: Pick<ConversationRow, 'id' | 'status' | 'externalId'>,
  reply: Reply,
  at: Date,
): string {
  const head = { event: REPLIED, occurredAt: at }
  return rulesOfMode(mode).replyAs === 'message'
    ? writeMessage({ ...head, conversation: { id, externalId, status, message: agentMessage(reply) } })
    : writeText({ ...head, conversation: { id, status, externalId, reply: reply.content, replySource: reply.source } })
}
