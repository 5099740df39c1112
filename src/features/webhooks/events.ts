// Stores an event in the transaction of the change that caused it, so that either both are stored or neither.
import { randomUUID } from 'node:crypto'
import type { TransactionContext } from '../../kernel/context.ts'
import { findWantedEvents, findWebhookUrl, insertDelivery } from './queries.ts'
import type { EventName } from './schema.ts'

/** Call inside the transaction of the change. Without a webhook URL nothing is stored and nothing is sent. */
export async function storeEvent(
  ctx: TransactionContext,
  partnerId: string,
  event: EventName,
  body: string,
): Promise<void> {
  if ((await findWebhookUrl(ctx.db, partnerId)) === null) return
  await storeDelivery(ctx, { eventId: `msg_${randomUUID()}`, partnerId, event, body })
}

/** Whether the partner asked for an event that the specification does not have. */
export const wantsEvent = async (ctx: TransactionContext, partnerId: string, event: EventName): Promise<boolean> =>
  (await findWantedEvents(ctx.db, partnerId)).includes(event)

export async function storeDelivery(
  ctx: TransactionContext,
  of: { eventId: string; partnerId: string; event: string; body: string },
): Promise<string> {
  const id = randomUUID()
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
