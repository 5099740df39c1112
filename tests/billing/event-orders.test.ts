// @module-tag long
// Whatever happens at Stripe, and in whatever order, how often and how late its events arrive: the plan ends as Stripe's state says.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareNow, newPayer, send } from '../harness/billing.ts'
import { startService } from '../harness/service.ts'
import { DAY, now, type StripeEvent, standInStripe } from '../harness/stripe.ts'
import { use } from '../harness/use.ts'

const stripe = use(standInStripe)
const service = use(() => startService(stripe.settings, { billingMs: 200 }))

/** What can happen to a subscription, in any order. */
const ACTIONS: Record<string, (id: string) => StripeEvent[]> = {
  renew: (id) => (stripe.subscriptions.get(id)!.status === 'active' ? stripe.renew(id) : []),
  fail: (id) => (stripe.subscriptions.get(id)!.status === 'active' ? stripe.renew(id, { paid: false }) : []),
  pay: (id) => stripe.payInvoice(id),
  cancelAtEnd: (id) => stripe.cancelAtEnd(id),
  resume: (id) => stripe.resume(id),
  cancel: (id) => (stripe.subscriptions.get(id)!.status === 'canceled' ? [] : stripe.cancelNow(id)),
  giveUp: (id) => (stripe.subscriptions.get(id)!.status === 'past_due' ? stripe.cancelNow(id, 'payment_failed') : []),
  refund: (id) => stripe.refund(id),
}

/** What the specification says of Stripe's own records, written down without the code of the service. */
function expectedPlan(customer: string): 'standard' | 'premium' {
  const gives = [...stripe.subscriptions.values()].filter((one) => {
    if (one.customer !== customer) return false
    const paid = stripe.invoices.filter((invoice) => invoice.subscription === one.id && invoice.status === 'paid')
    const last = paid.sort((a, b) => b.period.start - a.period.start)[0]
    if (!last || (one.status === 'canceled' && last.refunded)) return false
    const endsWithPeriod = one.cancelAtPeriodEnd && one.period.end <= last.period.end
    const isOver = one.status === 'canceled' && one.reason !== 'payment_failed'
    return now() < last.period.end + (isOver || (one.status !== 'canceled' && endsWithPeriod) ? 0 : 7 * DAY)
  })
  return gives.length > 0 ? 'premium' : 'standard'
}

const history = fc.record({
  daysAgo: fc.constantFrom(0, 20, 33, 45, 65),
  actions: fc.array(fc.constantFrom(...Object.keys(ACTIONS)), { maxLength: 6 }),
  order: fc.infiniteStream(fc.nat(1000)),
  repeats: fc.nat(3),
  atOnce: fc.constantFrom(1, 4),
  lost: fc.boolean(),
})

test('random histories and orders of events', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ daysAgo, actions, order, repeats, atOnce, lost }) => {
      const payer = await newPayer(service)
      const [subscription, events] = stripe.pay(await payer.checkout(), { daysAgo })
      for (const action of actions) events.push(...ACTIONS[action]!(subscription.id))
      const numbers = order[Symbol.iterator]()
      const arriving = [...events, ...events.slice(0, repeats)]
        .map((event) => ({ event, place: numbers.next().value! }))
        .sort((a, b) => a.place - b.place)
        // With `lost`, a part of the events never arrives, and the comparison makes up for it.
        .filter(({ place }) => !lost || place % 2 === 0)
      for (let i = 0; i < arriving.length; i += atOnce)
        await Promise.all(arriving.slice(i, i + atOnce).map(({ event }) => send(service, event)))
      if (lost) await compareNow(service, payer.id)
      expect(await payer.plan()).toBe(expectedPlan(subscription.customer))
    }),
    { numRuns: Number(process.env.BILLING_RUNS ?? 40) },
  )
})
