// Stores an event in the transaction of the change that caused it, so that either both are stored or neither.
import { randomUUID } from 'node:crypto'
import type { Static, TSchema } from 'typebox'
import type { TransactionContext } from '../../kernel/context.ts'
import { orderedId } from '../../kernel/database/ordered-id.ts'
import type { DeclaredEvent } from '../../kernel/feature.ts'
import { writer } from '../../kernel/output.ts'
import type { OptionalEvent } from '../partners/schema.ts'
import { insertPartnerEvent } from './events.queries.ts'
import { findEventSettings, findWebhookUrl, hasWaitingTests, insertDelivery } from './queries.ts'
import { EVENTS, type EventName } from './schema.ts'

/**
 * Stores an event. Call this inside the transaction of the change. Without a webhook URL the event is only in the partner's list of events.
 * `test`: an event of the partner's sandbox.
 */
export async function storeEvent(
  ctx: TransactionContext,
  partnerId: string,
  event: EventName,
  body: string,
  { test = false }: { test?: boolean } = {},
): Promise<void> {
  const hasWebhook = (await findWebhookUrl(ctx.db, partnerId)) !== null
  await storeNew(ctx, { partnerId, event, body, test }, hasWebhook)
}

/**
 * Like `storeEvent`, for an event that a partner gets only if it has chosen it. `makeBody` is called only if it has, because it may need
 * several queries. If `makeBody` returns null, there is no event.
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

async function storeNew(ctx: TransactionContext, given: StoredEvent, hasWebhook: boolean): Promise<void> {
  const isLeftOut = given.test && (await hasWaitingTests(ctx.db, given.partnerId, MAX_WAITING_TESTS))
  const added = addToFeed(ctx, given)
  if (hasWebhook && !isLeftOut) await storeDelivery(ctx, added)
}

interface StoredEvent {
  partnerId: string
  event: EventName
  body: string
  test: boolean
}

/** Gives the event an id, and adds it to the partner's list of events when the transaction ends. */
export function addToFeed(ctx: TransactionContext, given: StoredEvent): StoredEvent & { eventId: string } {
  const eventId = `msg_${randomUUID()}`
  const createdAt = ctx.now()
  ctx.beforeCommit(`events ${given.partnerId}`, () => insertPartnerEvent(ctx.db, { ...given, id: eventId, createdAt }))
  return { ...given, eventId }
}

/** Stores a delivery, which the worker then attempts. Returns its id. */
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
