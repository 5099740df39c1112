// Ends paid plans, and compares customers with the payment service when they are due. Every process that does background work shares the
// work through the database.
import { billingCaller } from '../../features/billing/compare.ts'
import { compareNextDue, endDuePlans } from '../../features/billing/due.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import { isOutage } from '../../kernel/errors.ts'
import { PaymentsAway } from '../../kernel/payments.ts'

/** A paid plan ends within a minute: 20 seconds for an answer of the payment service, and at most two looks. */
const LOOK_EVERY_MS = 10_000
const STOP_MS = 3_000

type Work = (ctx: Context) => Promise<void>

export interface BillingWorker {
  start(): void
  /** Resolves when what runs has ended, or after a time limit. */
  stop(): Promise<void>
}

/** `everyMs`: tests look more often. */
export function createBillingWorker(
  contextOf: (caller: Caller) => Context,
  everyMs: number = LOOK_EVERY_MS,
): BillingWorker {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const running = new Map<Work, Promise<void>>()
  const away = new Set<Work>()

  async function compareAll(ctx: Context): Promise<void> {
    while (ctx.billing && !isStopped && (await compareNextDue(ctx)));
  }

  // Plans end also while the payment service is slow or away, and after its settings were unset.
  function look(): void {
    for (const work of [compareAll, endDuePlans])
      if (!running.has(work))
        running.set(
          work,
          attempt(work).finally(() => running.delete(work)),
        )
  }

  async function attempt(work: Work): Promise<void> {
    const ctx = contextOf(billingCaller)
    try {
      await work(ctx)
      away.delete(work)
    } catch (error) {
      report(ctx, work, error)
    }
  }

  function report({ log }: Context, work: Work, error: unknown): void {
    if (isStopped) return
    if (!(error instanceof PaymentsAway || isOutage(error))) log.error({ err: error }, 'paid plans: a fault of our own')
    else if (!away.has(work)) {
      away.add(work)
      log.warn({ err: error }, 'paid plans cannot be compared or ended at the moment')
    }
  }

  return {
    start() {
      if (isStopped) return
      timer = setInterval(look, everyMs)
      timer.unref()
      look()
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const limit = setTimeout(resolve, STOP_MS)
      await Promise.race([Promise.all(running.values()), late])
      clearTimeout(limit)
    },
  }
}
