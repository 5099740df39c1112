// Stores an event in the transaction of the change that caused it, so that either both are stored or neither.
import { randomUUID } from 'node:crypto'
import type { TransactionContext } from '../../kernel/context.ts'
import { orderedId } from '../../kernel/ordered-id.ts'
import type { OptionalEvent } from '../partners/schema.ts'
import { findEventSettings, findWebhookUrl, hasWaitingTests, insertDelivery } from './queries.ts'
import type { EventName } from './schema.ts'

/**
 * Call inside the transaction of the change. Without a webhook URL nothing is stored and nothing is sent. `test`: of the partner's sandbox.
 */
export async function storeEvent(
  ctx: TransactionContext,
  partnerId: string,
  event: EventName,
  body: string,
  test = false,
): Promise<void> {
  if ((await findWebhookUrl(ctx.db, partnerId)) === null) return
  await storeNew(ctx, partnerId, event, body, test)
}

/**
 * The same for an event that only partners get who have asked for it. Its body is made only then, because that may need several queries;
 * null: nothing is sent.
 */
export async function storeWantedEvent(
  ctx: TransactionContext,
  partnerId: string,
  event: OptionalEvent,
  makeBody: () => Promise<string | null> | string,
  test = false,
): Promise<void> {
  const settings = await findEventSettings(ctx.db, partnerId)
  if (!settings || settings.webhookUrl === null || !settings.events.includes(event)) return
  const body = await makeBody()
  if (body !== null) await storeNew(ctx, partnerId, event, body, test)
}

/** While so many test events of a partner wait, because its receiver does not take them, further ones are left out. */
const MOST_WAITING_TESTS = 1_000

async function storeNew(ctx: TransactionContext, partnerId: string, event: EventName, body: string, test: boolean) {
  if (test && (await hasWaitingTests(ctx.db, partnerId, MOST_WAITING_TESTS))) return
  await storeDelivery(ctx, { eventId: `msg_${randomUUID()}`, partnerId, event, body, test })
}

export async function storeDelivery(
  ctx: TransactionContext,
  of: { eventId: string; partnerId: string; event: string; body: string; test: boolean },
): Promise<string> {
  const id = orderedId()
  await insertDelivery(ctx.db, {
    ...of,
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
