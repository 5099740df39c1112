// Ends paid plans, and compares customers with the payment service when they are due. Every process that does background work shares the
// work through the database.
import type { Context } from '../../kernel/context.ts'
import { type BackgroundWorker, createDueWork, longestWait } from '../../kernel/due-work.ts'
import { isOutage } from '../../kernel/errors.ts'
import type { FeatureParts } from '../../kernel/feature.ts'
import { PaymentsAway } from '../../kernel/payments.ts'
import { billingCaller } from './compare.ts'
import { compareNextDue, endDuePlans } from './due.ts'
import { findNextComparison } from './queries.ts'
import { BILLING_TOPIC } from './rules.ts'

/** The shortest wait between two checks. With the 20 seconds that the payment service has to answer, a paid plan ends within a minute. */
const SHORTEST_WAIT_MS = 10_000
const STOP_MS = 3_000

export function createBillingWorker({ contextOf, log, isAlone, times }: FeatureParts): BackgroundWorker {
  const context = () => contextOf(billingCaller)
  const work = (check: (ctx: Context) => Promise<number | null>) =>
    createDueWork({
      look: () => check(context()),
      topics: [BILLING_TOPIC, 'users'],
      log,
      away: 'paid plans cannot be compared or ended at the moment',
      isAway: (error) => error instanceof PaymentsAway || isOutage(error),
      shortestMs: times.billingMs ?? SHORTEST_WAIT_MS,
      longestMs: times.billingMs ?? longestWait(isAlone),
      stopMs: STOP_MS,
    })
  const comparisons = work(async (ctx) => {
    if (!ctx.billing) return null
    while (!comparisons.isStopped() && (await compareNextDue(ctx)));
    return findNextComparison(ctx.db, ctx.now())
  })
  // Separate work, because plans must end also while the payment service is slow or away, or is not set up any more.
  const workers = [comparisons, work(endDuePlans)]

  return {
    start() {
      for (const one of workers) one.start()
    },
    onChange(change) {
      for (const one of workers) one.onChange(change)
    },
    async stop() {
      await Promise.all(workers.map((one) => one.stop()))
    },
  }
}
