// Billing work that no event of the payment service starts: ends paid plans, compares customers with the payment service when they are due
// (daily, at the end of a paid period, and after their account was deleted), and tells founders that the work of an order is done. All
// processes share the work through the database.
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import { isOutage } from '../../kernel/errors.ts'
import type { FeatureParts } from '../../kernel/feature.ts'
import { PaymentsAway } from '../../kernel/interfaces/payments.ts'
import type { Job } from '../../kernel/job.ts'
import { type BackgroundWorker, createDueWork, longestWait } from '../../kernel/work/due-work.ts'
import { findUserForUpdate } from '../accounts/queries.ts'
import { tellUser } from '../mail/mail.ts'
import { ORDER_DONE_JOB } from '../partners/rules.ts'
import { billingCaller, compareCustomer, settlePlan } from './compare.ts'
import { findOrderOfSubmission } from './orders/queries.ts'
import * as queries from './queries.ts'
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
    return queries.findMsToNextComparison(ctx.db, ctx.now())
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

/** For this time only one process compares a customer; then another one may try. */
const LEASE_MS = 2 * 60_000
/** At the stored end of Premium the payment service is asked first, because an event may have been missed. It has this long to answer. */
const ANSWER_MS = 20_000
/** A customer whose comparison fails for another reason than an outage is tried again after this time; the others do not wait for it. */
const RETRY_FAILED_MS = 60 * 60_000
/** How many users whose paid plan has ended are read at once. */
const PAGE = 200

/** Compares one customer that is due; false when none is. Throws when the payment service or the database gives no answer. */
async function compareNextDue(ctx: Context): Promise<boolean> {
  const now = ctx.now()
  const customer = await queries.claimDueCustomer(ctx.db, now, new Date(now.getTime() + LEASE_MS))
  if (!customer) return false
  try {
    await compareCustomer(ctx, customer.id)
  } catch (error) {
    if (error instanceof PaymentsAway || isOutage(error)) throw error
    ctx.log.error({ err: error, customer: customer.id }, 'a customer could not be compared with the payment service')
    await queries.updateCustomer(ctx.db, customer.id, { leasedUntil: new Date(now.getTime() + RETRY_FAILED_MS) })
  }
  return true
}

/**
 * Ends Premium that no stored subscription gives any more, without asking the payment service. Several processes may run this, because
 * each locks the user. A user whose plan cannot be ended does not stop the others. Returns after how many milliseconds the next plan ends;
 * null when no user pays.
 */
async function endDuePlans(ctx: Context): Promise<number | null> {
  const cutoff = new Date(ctx.now().getTime() - ANSWER_MS)
  let ids: string[] = []
  do {
    ids = await queries.listEndedPayers(ctx.db, cutoff, ids.at(-1) ?? '', PAGE)
    for (const id of ids)
      try {
        await endPlan(ctx, id)
      } catch (error) {
        if (isOutage(error)) throw error
        ctx.log.error({ err: error, user: id.slice(0, 8) }, 'a paid plan could not be ended')
      }
  } while (ids.length === PAGE)
  return queries.findMsToNextEnd(ctx.db, cutoff)
}

async function endPlan(ctx: Context, id: string): Promise<void> {
  await ctx.transaction(async (ctx) => {
    const user = await findUserForUpdate(ctx.db, id)
    if (user) await settlePlan(ctx, user)
  })
}

export const orderDoneCaller = backgroundCaller(ORDER_DONE_JOB)

/** Tells a founder by mail that the work of an order is done. */
export const orderDoneJob = (context: () => Context): Job<{ submissionId: string }> => ({
  name: ORDER_DONE_JOB,
  retries: 5,
  retryDelaySeconds: 60,
  timeoutSeconds: 30,
  run: ({ submissionId }) =>
    context().transaction(async (ctx) => {
      const found = await findOrderOfSubmission(ctx.db, submissionId)
      if (!found?.user || !found.tool) return
      const { order, user, tool, submittedCount } = found
      const details = { name: tool.name, id: order.id, count: String(submittedCount) }
      await tellUser(ctx, { event: order.id, kind: 'order-done', userId: user.id, details })
    }),
})
