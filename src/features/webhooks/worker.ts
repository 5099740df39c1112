// Delivers stored events.
import { backgroundCaller } from '../../kernel/caller.ts'
import { type BackgroundWorker, createDueWork, longestWait } from '../../kernel/due-work.ts'
import type { FeatureParts } from '../../kernel/feature.ts'
import { lookInShares } from '../../kernel/turns.ts'
import { attemptDelivery, claimDelivery } from './deliver.ts'
import { hasPending, updateHeld } from './queries.ts'

/** Of partners. An attempt needs little more than an open connection. */
const SHARES = { atOnce: 8, ofOwner: 2, keptFree: 3 }
/** The sandbox of a partner makes one attempt at a time, and none in the places that are kept free. */
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
    return lookInShares(due, SHARES, {
      claim: (most, isRoom) => claimDelivery(ctx, most, isRoom ? OF_SANDBOX : 0),
      run: (delivery) => attemptDelivery(ctx, delivery, abandoned.signal),
      next: async () => ((await hasPending(ctx.db)) ? LOOK_MS : null),
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
