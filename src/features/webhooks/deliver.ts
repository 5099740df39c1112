// Makes one attempt to deliver one event. The worker marks the delivery `unknown` in a transaction that commits before the event is sent:
// after a crash it stays `unknown`, and the service does not send it again. Until `heldUntil`, readers see `pending`.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { badRequest, Failure, isOutage, orNotFound } from '../../kernel/errors.ts'
import { oneOf, stringType, timestamp, titledObject } from '../../kernel/schema.ts'
import { addressProblem } from '../../kernel/web-address.ts'
import { writeAudit } from '../audit/write-audit.ts'
import type { Feed } from './events.queries.ts'
import { declareEvent, storeDelivery, withEventId } from './events.ts'
import {
  type ClaimedDelivery,
  type DeliveryRow,
  findDelivery,
  findEventSettingsForUpdate,
  findOwnDeliveryForUpdate,
  findWebhookUrl,
  hasRecentDelivery,
  lockDeliveryClaims,
  updateClaimed,
  updateOutcome,
  wasSentAgain,
} from './queries.ts'
import { TEST_EVENT } from './schema.ts'
import { answerProblem, answerText, eventHeaders } from './signature.rules.ts'

export type DeliveryContext = Pick<Context, 'db' | 'now' | 'log' | 'outbound' | 'outboundAllowed'>

type Outcome = Pick<DeliveryRow, 'state' | 'status' | 'error' | 'durationMs' | 'answer'>

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 500
// How long storing an outcome is tried: a database that restarts or fails over is back within minutes.
const STORING_MS = 10 * 60_000
const RETRY_MS = 500

export const claimDelivery = (
  ctx: DeliveryContext,
  maxPerPartner: number,
  maxTests: number,
): Promise<ClaimedDelivery | undefined> =>
  ctx.db.transaction(async (tx) => {
    await lockDeliveryClaims(tx)
    return updateClaimed(tx, ctx.now(), maxPerPartner, maxTests)
  })

/** `abandoned` is aborted when the service stops and waits no longer; a delivery whose outcome is not stored then stays `unknown`. */
export async function attemptDelivery(
  ctx: DeliveryContext,
  delivery: ClaimedDelivery,
  abandoned: AbortSignal,
): Promise<void> {
  const outcome = await send(ctx, delivery)
  const { state, status, durationMs: ms } = outcome
  if (!(await persist(ctx, delivery.id, outcome, abandoned))) return
  ctx.log.info({ event: delivery.event, delivery: delivery.id, state, status, ms }, 'webhook')
}

async function send(
  ctx: DeliveryContext,
  { eventId: id, event, body, url, secret, previousSecret, at, test }: ClaimedDelivery,
): Promise<Outcome> {
  if (url === null) return failed('The partner has no webhook URL anymore.')
  // Checked again, because the allowed networks may have changed since the URL was stored.
  const problem = addressProblem(url, { allowed: ctx.outboundAllowed, httpsOnly: true })
  if (problem) return failed(`The webhook URL ${problem}`)
  const started = performance.now()
  const duration = () => Math.round(performance.now() - started)
  try {
    const { status, body: answer } = await ctx.outbound.fetch(url, {
      method: 'POST',
      // Only the beginning of the answer is stored. Without compression a wrongly compressed answer cannot fail the delivery.
      headers: {
        ...eventHeaders({ id, event, body, secret, previousSecret, at, test }),
        'accept-encoding': 'identity',
      },
      body,
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: TIMEOUT_MS,
      redirects: 0,
    })
    const error = answerProblem(status)
    const state = error === null ? 'delivered' : 'failed'
    return { state, status, error, durationMs: duration(), answer: answerText(answer) }
  } catch (error) {
    // The error messages of outbound requests contain no secrets and may be shown.
    return { ...failed((error as Error).message), durationMs: duration() }
  }
}

const failed = (error: string): Outcome => ({ state: 'failed', status: null, error, durationMs: null, answer: null })

/** Returns whether the outcome was stored. While the database is down it tries again, because the event was sent already. */
async function persist(ctx: DeliveryContext, id: string, outcome: Outcome, abandoned: AbortSignal): Promise<boolean> {
  const end = performance.now() + STORING_MS
  while (!abandoned.aborted) {
    try {
      await updateOutcome(ctx.db, id, outcome)
      return true
    } catch (error) {
      if (!isOutage(error) || performance.now() > end) {
        ctx.log.error({ err: error, delivery: id, state: outcome.state }, 'the outcome of a webhook could not be noted')
        return false
      }
    }
    await sleep(RETRY_MS, undefined, { signal: abandoned }).catch(() => {})
  }
  return false
}

/** Sends an event again, as a new delivery with the same event id and the same bytes. */
export async function resend(ctx: TransactionContext, before: DeliveryRow): Promise<DeliveryRow> {
  const { eventId, partnerId, event, body, test } = before
  if ((await findWebhookUrl(ctx.db, partnerId)) === null)
    throw badRequest('The partner has no webhook URL any more, so it cannot be sent again. Set one first.')
  const id = await storeDelivery(ctx, { eventId, partnerId, event, body, test })
  await writeAudit(ctx, 'webhook.resend', `webhook:${before.id}`, { as: id })
  return orNotFound(await findDelivery(ctx.db, id), 'Delivery')
}

/** Sends an event again to its partner, once for each attempt that did not reach it. */
export async function resendOwn(ctx: TransactionContext, feed: Feed, id: string): Promise<DeliveryRow> {
  // Locked, so that two callers at the same time send it once.
  const before = orNotFound(await findOwnDeliveryForUpdate(ctx.db, feed, id), 'Delivery')
  if (before.state === 'pending') throw badRequest('It is still being sent. Wait for the outcome.')
  if (before.state === 'delivered')
    throw badRequest('It was delivered. Only what failed or has an unknown outcome can be sent again.')
  if (await wasSentAgain(ctx.db, before))
    throw badRequest('It was sent again already. Look at the newest delivery of this event.')
  return resend(ctx, before)
}

// Sends a test event like any other event: it is stored as a delivery, which a worker claims, signs and sends.

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

/** Waits for the outcome for a bounded time; after that the delivery is pending. `test`: it is one of the partner's sandbox. */
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
  const id = await storeDelivery(ctx, withEventId(ctx, { partnerId, event: TEST_EVENT, body, test }))
  await writeAudit(ctx, 'webhook.test', `partner:${partnerId}`, { delivery: id })
  return id
}
