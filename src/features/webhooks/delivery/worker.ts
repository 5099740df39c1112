// The background worker that delivers stored events.
import { backgroundCaller } from '../../../kernel/caller.ts'
import type { FeatureParts } from '../../../kernel/feature.ts'
import { type BackgroundWorker, createDueWork, longestWait } from '../../../kernel/work/due-work.ts'
import { lookInShares } from '../../../kernel/work/turns.ts'
import { hasPending, releaseHeld } from '../queries.ts'
import { attemptDelivery, claimDelivery } from './deliver.ts'

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
      await releaseHeld(ctx.db).catch((error) => ctx.log.warn({ err: error }, 'deliveries under way stay pending'))
    isFirst = false
    return lookInShares(due, SHARES, {
      claim: (most, isRoom) => claimDelivery(ctx, most, isRoom ? SANDBOX_ATTEMPTS : 0),
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
