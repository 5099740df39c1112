// One attempt to deliver one event. The worker claims the delivery in a transaction that commits before the event is sent: after a crash
// the delivery is unknown, and the service never sends it again by itself. While the worker may still store the outcome, readers see
// pending.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../kernel/context.ts'
import { isOutage } from '../../kernel/errors.ts'
import { addressProblem } from '../../kernel/web-address.ts'
import { type ClaimedDelivery, type DeliveryRow, lockClaims, updateClaimed, updateOutcome } from './queries.ts'
import { answerProblem, answerText, eventHeaders } from './rules.ts'

export type DeliveryContext = Pick<Context, 'db' | 'now' | 'log' | 'outbound' | 'outboundAllowed'>

type Outcome = Pick<DeliveryRow, 'state' | 'status' | 'error' | 'durationMs' | 'answer'>

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 500
// A database that restarts or fails over is back within minutes.
const NOTING_MS = 10 * 60_000
const NOTING_PAUSE_MS = 500

export const claimDelivery = (
  ctx: DeliveryContext,
  maxPerPartner: number,
  maxTests: number,
): Promise<ClaimedDelivery | undefined> =>
  ctx.db.transaction(async (tx) => {
    await lockClaims(tx)
    return updateClaimed(tx, ctx.now(), maxPerPartner, maxTests)
  })

/** `abandoned` is aborted when the service stops and waits no longer; a delivery whose outcome is not stored stays unknown. */
export async function attemptDelivery(
  ctx: DeliveryContext,
  delivery: ClaimedDelivery,
  abandoned: AbortSignal,
): Promise<void> {
  const outcome = await send(ctx, delivery)
  const { state, status, durationMs: ms } = outcome
  if (!(await note(ctx, delivery.id, outcome, abandoned))) return
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

/** Stores the outcome. While the database is down it tries again for some minutes, because the event was sent already. */
async function note(ctx: DeliveryContext, id: string, outcome: Outcome, abandoned: AbortSignal): Promise<boolean> {
  const end = performance.now() + NOTING_MS
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
    await sleep(NOTING_PAUSE_MS, undefined, { signal: abandoned }).catch(() => {})
  }
  return false
}
