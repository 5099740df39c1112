// Compares customers with the payment service when they are due, and ends paid plans. Every process that does background work shares the
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

export interface BillingWorker {
  start(): void
  /** Resolves when the running look has ended, or after a time limit. */
  stop(): Promise<void>
}

/** `everyMs`: tests look more often. */
export function createBillingWorker(
  contextOf: (caller: Caller) => Context,
  everyMs: number = LOOK_EVERY_MS,
): BillingWorker {
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null
  let isStopped = false
  let isAway = false

  function look(): void {
    looking ??= compareAndEnd().finally(() => {
      looking = null
    })
  }

  async function compareAndEnd(): Promise<void> {
    const ctx = contextOf(billingCaller)
    // Plans end also while the payment service cannot be asked.
    const comparing = compareAll(ctx).catch((error) => report(ctx, error))
    await endDuePlans(ctx).catch((error) => report(ctx, error))
    await comparing
  }

  async function compareAll(ctx: Context): Promise<void> {
    while (!isStopped && (await compareNextDue(ctx))) isAway = false
  }

  function report({ log }: Context, error: unknown): void {
    if (isStopped) return
    const mayEnd = error instanceof PaymentsAway || isOutage(error)
    if (!mayEnd) log.error({ err: error }, 'a comparison with the payment service failed')
    else if (!isAway) log.warn({ err: error }, 'payments cannot be compared at the moment')
    isAway = mayEnd
  }

  return {
    start() {
      if (isStopped || !contextOf(billingCaller).billing) return
      timer = setInterval(look, everyMs)
      timer.unref()
      look()
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const limit = setTimeout(resolve, STOP_MS)
      await Promise.race([looking, late])
      clearTimeout(limit)
    },
  }
}
