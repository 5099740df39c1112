// Delivers stored events.
import { backgroundCaller } from '../../kernel/caller.ts'
import { type BackgroundWorker, createDueWork, longestWait } from '../../kernel/due-work.ts'
import type { FeatureParts } from '../../kernel/feature.ts'
import { attemptDelivery, claimDelivery } from './deliver.ts'
import { hasPending, updateHeld } from './queries.ts'

/** How many attempts run at once. An attempt needs little more than an open connection. */
const AT_ONCE = 8
/**
 * One partner uses at most this many lanes. The last free lanes go only to partners without a running attempt, so that a few receivers
 * that hang do not fill all lanes.
 */
const OF_PARTNER = 2
const KEPT_FREE = 3
/** The sandbox of a partner uses one lane, and never one of those that are kept free. */
const OF_SANDBOX = 1
// Deliveries that wait because their partner has its share of attempts are looked for this often.
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
    // Done before the first claim: deliveries that are claimed now belong to a process that has ended.
    if (isFirst && isAlone)
      await updateHeld(ctx.db).catch((error) => ctx.log.warn({ err: error }, 'deliveries under way stay pending'))
    isFirst = false
    while (due.running() < AT_ONCE && !due.isStopped()) {
      const isRoom = AT_ONCE - due.running() > KEPT_FREE
      const delivery = await claimDelivery(ctx, isRoom ? OF_PARTNER : 1, isRoom ? OF_SANDBOX : 0)
      if (!delivery) return (await hasPending(ctx.db)) ? LOOK_MS : null
      due.run(() => attemptDelivery(ctx, delivery, abandoned.signal))
    }
    return null
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
