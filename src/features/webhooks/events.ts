// Stores an event in the transaction of the change that caused it, so that either both are stored or neither.
import { randomUUID } from 'node:crypto'
import type { Static, TSchema } from 'typebox'
import type { TransactionContext } from '../../kernel/context.ts'
import type { DeclaredEvent } from '../../kernel/feature.ts'
import { orderedId } from '../../kernel/ordered-id.ts'
import { writer } from '../../kernel/output.ts'
import type { OptionalEvent } from '../partners/schema.ts'
import { insertPartnerEvent } from './events.queries.ts'
import { findEventSettings, findWebhookUrl, hasWaitingTests, insertDelivery } from './queries.ts'
import { EVENTS, type EventName } from './schema.ts'

/**
 * Call this inside the transaction of the change. Without a webhook URL the event is only in the partner's list of events. `test`: an event
 * of the partner's sandbox.
 */
export async function storeEvent(
  ctx: TransactionContext,
  partnerId: string,
  event: EventName,
  body: string,
  { test = false }: { test?: boolean } = {},
): Promise<void> {
  const isSent = (await findWebhookUrl(ctx.db, partnerId)) !== null
  await storeNew(ctx, { partnerId, event, body, test }, isSent)
}

/**
 * Like `storeEvent`, for an event that only those partners get that have chosen it. `makeBody` is called only then, because it may need
 * several queries; if it returns null, there is no event.
 */
export async function storeWantedEvent(
  ctx: TransactionContext,
  partnerId: string,
  event: OptionalEvent,
  makeBody: () => Promise<string | null> | string,
  { test = false }: { test?: boolean } = {},
): Promise<void> {
  const settings = await findEventSettings(ctx.db, partnerId)
  if (!settings?.events.includes(event)) return
  const body = await makeBody()
  if (body !== null) await storeNew(ctx, { partnerId, event, body, test }, settings.webhookUrl !== null)
}

/** While this many events of a partner's sandbox wait, because its receiver does not accept them, further ones are not sent. */
const MAX_WAITING_TESTS = 1_000

async function storeNew(ctx: TransactionContext, given: StoredEvent, isSent: boolean): Promise<void> {
  const isLeftOut = given.test && (await hasWaitingTests(ctx.db, given.partnerId, MAX_WAITING_TESTS))
  const delivered = withEventId(ctx, given)
  if (isSent && !isLeftOut) await storeDelivery(ctx, delivered)
}

interface StoredEvent {
  partnerId: string
  event: EventName
  body: string
  test: boolean
}

/** Adds the event to the partner's list of events. */
export function withEventId(ctx: TransactionContext, given: StoredEvent): StoredEvent & { eventId: string } {
  const eventId = `msg_${randomUUID()}`
  const createdAt = ctx.now()
  ctx.beforeCommit(`events ${given.partnerId}`, () => insertPartnerEvent(ctx.db, { ...given, id: eventId, createdAt }))
  return { ...given, eventId }
}

export async function storeDelivery(
  ctx: TransactionContext,
  delivery: { eventId: string; partnerId: string; event: string; body: string; test: boolean },
): Promise<string> {
  const id = orderedId()
  await insertDelivery(ctx.db, {
    ...delivery,
    id,
    state: 'pending',
    status: null,
    error: null,
    durationMs: null,
    answer: null,
    createdAt: ctx.now(),
    attemptedAt: null,
    heldUntil: null,
  })
  await ctx.announce({ topic: 'webhooks', ids: [id] })
  return id
}

/** An event with the schema of its body. The OpenAPI document and the page for developers describe the event by this schema. */
interface WrittenEvent<N extends EventName, B extends TSchema> extends DeclaredEvent {
  name: N
  body: B
  /** The bytes that are signed and sent. */
  write(body: Static<B>): string
}

export const declareEvent = <const N extends EventName, B extends TSchema>(name: N, body: B): WrittenEvent<N, B> => ({
  name,
  when: EVENTS[name],
  body,
  write: writer(body),
})
