// The background worker that delivers stored events, one attempt for each. It marks the delivery `unknown` in a transaction that commits
// before the event is sent: after a crash it stays `unknown`, and the service does not send it again. Until `heldUntil`, readers see
// `pending`.
import { setTimeout as sleep } from 'node:timers/promises'
import { addressProblem } from '../../../kernel/addresses/web-address.ts'
import { backgroundCaller } from '../../../kernel/caller.ts'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { badRequest, isOutage, orNotFound } from '../../../kernel/errors.ts'
import type { FeatureParts } from '../../../kernel/feature.ts'
import { type BackgroundWorker, createDueWork, longestWait } from '../../../kernel/work/due-work.ts'
import { lookInShares } from '../../../kernel/work/turns.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import type { Feed } from '../events.queries.ts'
import { storeDelivery } from '../events.ts'
import * as queries from '../queries.ts'
import { eventHeaders } from './signature.rules.ts'

export type DeliveryContext = Pick<Context, 'db' | 'now' | 'log' | 'outbound' | 'outboundAllowed'>

type Outcome = Pick<queries.DeliveryRow, 'state' | 'status' | 'error' | 'durationMs' | 'answer'>

const ATTEMPT_MS = 10_000
// An attempt counts as under way for longer, because storing its outcome takes time too.
const UNDER_WAY_MS = ATTEMPT_MS + 5_000
// If no outcome is stored by then, the process has ended or the database was down.
const HELD_MS = 2 * UNDER_WAY_MS
// How long storing an outcome is tried: a database that restarts or fails over is back within minutes.
const STORING_MS = 10 * 60_000
const RETRY_MS = 500

/** How partners share the attempts that run at once. An attempt needs little more than an open connection. */
const SHARES = { atOnce: 8, ofOwner: 2, keptFree: 3 }
/** The attempts that the sandbox of a partner has at once. It has none while no more than `keptFree` places are free. */
const SANDBOX_ATTEMPTS = 1
// How often the worker looks for deliveries that wait because their partner has all its attempts under way.
const LOOK_MS = 5_000
// A whole stop takes ten seconds at most, and other parts stop after this one. The outcome of an attempt that takes longer stays unknown.
const STOP_MS = 8_500

const deliverer = backgroundCaller('webhooks')

export function createDeliveryWorker({ contextOf, log, isAlone }: FeatureParts): BackgroundWorker {
  const abandoned = new AbortController()
  let isFirst = true
  const due = createDueWork({
    look,
    topics: ['webhooks'],
    log,
    away: 'webhooks cannot be looked for at the moment',
    shortestMs: LOOK_MS,
    longestMs: longestWait(isAlone),
    stopMs: STOP_MS,
  })

  async function look(): Promise<number | null> {
    const ctx = contextOf(deliverer)
    // If this process is alone and has claimed nothing yet, every claimed delivery belongs to a process that has ended.
    if (isFirst && isAlone)
      await queries
        .releaseHeld(ctx.db)
        .catch((error) => ctx.log.warn({ err: error }, 'deliveries under way stay pending'))
    isFirst = false
    return lookInShares(due, SHARES, {
      claim: (most, isRoom) => claimDelivery(ctx, most, isRoom ? SANDBOX_ATTEMPTS : 0),
      run: (delivery) => attemptDelivery(ctx, delivery, abandoned.signal),
      next: async () => ((await queries.hasPending(ctx.db)) ? LOOK_MS : null),
    })
  }

  return {
    start: due.start,
    onChange: due.onChange,
    async stop() {
      await due.stop()
      abandoned.abort()
    },
  }
}

/** Takes the delivery whose turn it is; undefined when none may be attempted now. */
export const claimDelivery = (
  ctx: DeliveryContext,
  maxPerPartner: number,
  maxTests: number,
): Promise<queries.ClaimedDelivery | undefined> =>
  ctx.db.transaction(async (tx) => {
    await queries.lockDeliveryClaims(tx)
    return queries.claimPendingDelivery(tx, ctx.now(), {
      maxPerPartner,
      maxTests,
      underWayMs: UNDER_WAY_MS,
      heldMs: HELD_MS,
    })
  })

/**
 * Sends the event and stores the outcome. `abandoned` is aborted when the service stops and waits no longer; a delivery whose outcome is not
 * stored then stays `unknown`.
 */
export async function attemptDelivery(
  ctx: DeliveryContext,
  delivery: queries.ClaimedDelivery,
  abandoned: AbortSignal,
): Promise<void> {
  const outcome = await send(ctx, delivery)
  const { state, status, durationMs: ms } = outcome
  if (!(await storeOutcome(ctx, delivery.id, outcome, abandoned))) return
  ctx.log.info({ event: delivery.event, delivery: delivery.id, state, status, ms }, 'webhook')
}

async function send(
  ctx: DeliveryContext,
  { eventId: id, event, body, url, secret, previousSecret, at, test }: queries.ClaimedDelivery,
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
      maxBytes: ANSWER_BYTES,
      timeoutMs: ATTEMPT_MS,
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
async function storeOutcome(
  ctx: DeliveryContext,
  id: string,
  outcome: Outcome,
  abandoned: AbortSignal,
): Promise<boolean> {
  const end = performance.now() + STORING_MS
  while (!abandoned.aborted) {
    try {
      await queries.updateOutcome(ctx.db, id, outcome)
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
export async function resend(ctx: TransactionContext, before: queries.DeliveryRow): Promise<queries.DeliveryRow> {
  const { eventId, partnerId, event, body, test } = before
  if ((await queries.findWebhookUrl(ctx.db, partnerId)) === null)
    throw badRequest('The partner has no webhook URL any more, so it cannot be sent again. Set one first.')
  const id = await storeDelivery(ctx, { eventId, partnerId, event, body, test })
  await writeAudit(ctx, 'webhook.resend', `webhook:${before.id}`, { as: id })
  return orNotFound(await queries.findDelivery(ctx.db, id), 'Delivery')
}

/** Sends an event again to its partner, once for each attempt that did not reach it. */
export async function resendOwn(ctx: TransactionContext, feed: Feed, id: string): Promise<queries.DeliveryRow> {
  // Locked, so that two callers at the same time send it once.
  const before = orNotFound(await queries.findOwnDeliveryForUpdate(ctx.db, feed, id), 'Delivery')
  if (before.state === 'pending') throw badRequest('It is still being sent. Wait for the outcome.')
  if (before.state === 'delivered')
    throw badRequest('It was delivered. Only what failed or has an unknown outcome can be sent again.')
  if (await queries.wasSentAgain(ctx.db, before))
    throw badRequest('It was sent again already. Look at the newest delivery of this event.')
  return resend(ctx, before)
}

/** This much of a receiver's answer is read and kept. */
export const ANSWER_BYTES = 500

/** All but tabs and line breaks. */
const CONTROL_CHARACTER = /[^\P{Cc}\t\n\r]/gu

/** The beginning of an answer as text that can be stored and shown: without incomplete characters and terminal control characters. */
export function answerText(bytes: Uint8Array): string {
  // `stream` leaves out a character that is cut off at the end.
  const text = new TextDecoder().decode(bytes.subarray(0, ANSWER_BYTES), { stream: true })
  return text.replace(CONTROL_CHARACTER, '\ufffd')
}

/** Why the receiver's answer does not count as delivered; null when it does. */
export function answerProblem(status: number): string | null {
  if (status >= 200 && status < 300) return null
  const remark = status >= 300 && status < 400 ? '; redirects are not followed' : ''
  return `The receiver answered ${status}${remark}.`
}
