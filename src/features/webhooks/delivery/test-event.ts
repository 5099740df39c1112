// Sends a test event like any other event: it is stored as a delivery, which a worker claims, signs and sends.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { badRequest, Failure, orNotFound } from '../../../kernel/errors.ts'
import { oneOf, stringType, timestamp, titledObject } from '../../../kernel/schema.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { addToFeed, declareEvent, storeDelivery } from '../events.ts'
import { findDelivery, findEventSettingsForUpdate, hasRecentDelivery } from '../queries.ts'
import { TEST_EVENT } from '../schema.ts'

export const testEvent = declareEvent(
  TEST_EVENT,
  titledObject('TestPing', 'A test event. It says nothing about any tool or conversation.', {
    event: oneOf([TEST_EVENT], 'The kind of the event.', TEST_EVENT),
    occurredAt: timestamp('When it was asked for.'),
    message: stringType('A sentence for people.', 'This is a test event.'),
  }),
)

/**
 * A partner gets at most one test event at a time and one in this many seconds, in all processes together. So at most one request of each
 * partner waits for an outcome, and test events cannot be used to send many requests to an address.
 */
const EVERY_SECONDS = 5
// How long a request waits for the outcome. Longer than an attempt may take.
const WAIT_MS = 12_000
const POLL_MS = 100

/**
 * Stores a test event and waits for its outcome. Returns it as pending when the wait ends first. `test`: it is an event of the partner's
 * sandbox.
 */
export async function sendTestEvent(ctx: Context, partnerId: string, test = false) {
  const id = await ctx.transaction((ctx) => storeTestEvent(ctx, partnerId, test))
  const end = performance.now() + WAIT_MS
  for (;;) {
    const delivery = orNotFound(await findDelivery(ctx.db, id), 'Delivery')
    const { state, status, error } = delivery
    if (state !== 'pending' || performance.now() > end) return { id, state, status, error }
    await sleep(POLL_MS)
  }
}

const tooSoon = () =>
  new Failure(
    429,
    `A test event was sent less than ${EVERY_SECONDS} seconds ago, or one is still being sent. Try again in ${EVERY_SECONDS} seconds.`,
    { headers: { 'retry-after': String(EVERY_SECONDS) } },
  )

async function storeTestEvent(ctx: TransactionContext, partnerId: string, test: boolean): Promise<string> {
  // Locked, so that the check below sees a test event that another request has just stored.
  const settings = orNotFound(await findEventSettingsForUpdate(ctx.db, partnerId), 'Partner')
  if (settings.webhookUrl === null) throw badRequest('There is no webhook URL to send a test event to. Set one first.')
  const now = ctx.now()
  if (await hasRecentDelivery(ctx.db, partnerId, TEST_EVENT, now, EVERY_SECONDS)) throw tooSoon()
  const body = testEvent.write({ event: TEST_EVENT, occurredAt: now, message: 'This is a test event.' })
  const id = await storeDelivery(ctx, addToFeed(ctx, { partnerId, event: TEST_EVENT, body, test }))
  await writeAudit(ctx, 'webhook.test', `partner:${partnerId}`, { delivery: id })
  return id
}
