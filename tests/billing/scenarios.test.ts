// @module-tag slow
// What happens between Stripe and the service, seen from the limits of the user's key. Stripe's own library talks to a stand-in.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { auditOf, compareNow, deliver, letTimePass, newPayer, planOfKey, send, subscriber } from '../harness/billing.ts'
import { letMistakesHappen, until } from '../harness/process.ts'
import { startService } from '../harness/service.ts'
import { bodyOf, DAY, now, PRICE, signatureOf, standInStripe } from '../harness/stripe.ts'
import { use } from '../harness/use.ts'

const stripe = use(standInStripe)
const service = use(() => startService(stripe.settings, { billingMs: 100 }))
afterEach(() => stripe.setFault(null))

const hasPlan = (payer: { plan(): Promise<string> }, plan: string, ms = 10_000) =>
  until(async () => (await payer.plan()) === plan, ms)

describe('Premium begins', () => {
  test('with the first paid invoice, for all keys of the user at once', async () => {
    const payer = await newPayer(service)
    const second = (await service.newKey('standard', payer.email)).key
    const [, events] = stripe.pay(await payer.checkout())
    expect(await payer.plan()).toBe('standard')
    await deliver(service, events)
    expect([await payer.plan(), await planOfKey(service, second)]).toEqual(['premium', 'premium'])
    expect(await auditOf(service, payer.id)).toEqual([
      'billing.plan premium',
      'billing.subscription',
      'billing.checkout',
    ])
  })

  test('not before the money has arrived', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { paid: false })
    expect(await payer.plan()).toBe('standard')
    await deliver(service, stripe.payInvoice(subscription.id))
    expect(await payer.plan()).toBe('premium')
  })

  test('and while the payment is in process there is no second checkout', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { paid: false })
    await expect(payer.checkout()).rejects.toThrow('Your payment is being processed')
    await deliver(service, stripe.setStatus(subscription.id, 'incomplete_expired'))
    expect(await payer.checkout()).toMatch(/./)
  })

  test('not when the first payment never succeeds', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { paid: false })
    await deliver(service, stripe.setStatus(subscription.id, 'incomplete_expired'))
    expect(await payer.plan()).toBe('standard')
  })

  test('when the user comes back before any event', async () => {
    const payer = await newPayer(service)
    stripe.pay(await payer.checkout())
    await payer.comeBack()
    expect(await payer.plan()).toBe('premium')
  })

  test('with a subscription to our price that the operator made at Stripe', async () => {
    const payer = await newPayer(service)
    await payer.checkout()
    const customer = [...stripe.customers].find(([, { email }]) => email === payer.email)![0]
    await deliver(service, stripe.subscribe(customer)[1])
    expect(await payer.plan()).toBe('premium')
  })

  test('not with a subscription of the customer to something else', async () => {
    const payer = await newPayer(service)
    await payer.checkout()
    const customer = [...stripe.customers].find(([, { email }]) => email === payer.email)![0]
    await deliver(service, stripe.subscribe(customer, { price: 'price_Mugs' })[1])
    expect(await payer.plan()).toBe('standard')
  })
})

describe('events', () => {
  test('in the opposite order end in the same plan', async () => {
    const payer = await newPayer(service)
    const [, events] = stripe.pay(await payer.checkout())
    await deliver(service, events.reverse())
    expect(await payer.plan()).toBe('premium')
  })

  test('that are late say nothing that counts: what Stripe gives now does', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { daysAgo: 40 })
    const late = stripe.renew(subscription.id)
    const ended = stripe.cancelNow(subscription.id)
    stripe.refund(subscription.id)
    await deliver(service, ended)
    expect(await payer.plan()).toBe('standard')
    await deliver(service, late)
    expect(await payer.plan()).toBe('standard')
  })

  test('count once: one that is repeated is confirmed and asks Stripe nothing', async () => {
    const payer = await newPayer(service)
    const [, events] = stripe.pay(await payer.checkout())
    await deliver(service, events)
    const before = stripe.requests.length
    await deliver(service, events)
    expect(stripe.requests.length).toBe(before)
    expect((await auditOf(service, payer.id)).filter((action) => action === 'billing.subscription')).toHaveLength(1)
  })

  test('at the same time end in the same plan, with one change of it', async () => {
    const payer = await newPayer(service)
    const [subscription, events] = stripe.pay(await payer.checkout())
    stripe.setFault(() => ({ delayMs: Math.random() * 50 }))
    const replies = await Promise.all(
      [...events, ...stripe.resume(subscription.id)].map((event) => send(service, event)),
    )
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await payer.plan()).toBe('premium')
    expect((await auditOf(service, payer.id)).filter((action) => action.startsWith('billing.plan'))).toHaveLength(1)
  })

  test('an answer to an earlier question does not replace the answer to a later one', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    let first = true
    // The first question is answered with what is the case now, but only after the second one was.
    stripe.setFault(({ path }) => {
      if (path !== '/v1/invoices' || !first) return null
      first = false
      return { delayMs: 600 }
    })
    const slow = send(service, stripe.resume(subscription.id)[0]!)
    await until(() => !first, 5_000)
    stripe.refund(subscription.id)
    await deliver(service, stripe.cancelNow(subscription.id))
    expect(await payer.plan()).toBe('standard')
    expect((await slow).status).toBe(200)
    expect(await payer.plan()).toBe('standard')
  })

  test.each([
    ['as its id', { id: 'evt_\0', customer: 'cus_1' }, 400],
    ['in its customer', { id: 'evt_nul_customer', customer: 'cus_\0' }, 200],
  ])('a signed event with NUL %s is answered, and nothing is asked for', async (_where, ids, status) => {
    const event = { ...ids, type: 'invoice.paid' } as Parameters<typeof send>[1]
    for (let i = 0; i < 2; i++) expect((await send(service, event)).status).toBe(status)
  })

  test.each([
    ['without a signature', () => null],
    ['signed with another secret', (body: string) => signatureOf(body, 'whsec_other')],
    ['with the signature of another body', () => signatureOf('{}')],
    ['with an old signature', (body: string) => signatureOf(body, undefined, now() - 3600)],
    ['with a signature that is no signature', () => 't=1,v1=zz'],
    ['with a very long signature', () => `t=1,${'v1=aa,'.repeat(1000)}`],
  ])('%s get a 400 and change nothing', async (_, sign) => {
    const payer = await newPayer(service)
    const [, [event]] = stripe.pay(await payer.checkout())
    const before = stripe.requests.length
    const body = bodyOf(event!)
    const reply = await send(service, event!, { body, signature: sign(body) })
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({
      success: false,
      error: expect.stringContaining('signature'),
      code: 'invalid_input',
    })
    expect(stripe.requests.length).toBe(before)
    expect(await payer.plan()).toBe('standard')
  })

  test('whose bytes were changed after signing get a 400', async () => {
    const payer = await newPayer(service)
    const [, [event]] = stripe.pay(await payer.checkout())
    const body = bodyOf(event!)
    const reply = await send(service, event!, { body: body.replace('{', '{ '), signature: signatureOf(body) })
    expect(reply.status).toBe(400)
    expect((await send(service, event!, { body: `\u{feff}${body}`, signature: signatureOf(body) })).status).toBe(400)
  })

  test('that are signed but no JSON, of an unknown customer or of another kind change nothing', async () => {
    const strange = stripe.strangeCustomer()
    expect((await send(service, stripe.event('invoice.paid', strange))).status).toBe(200)
    expect((await send(service, stripe.event('payout.paid', strange))).status).toBe(200)
    expect((await send(service, stripe.event('x', ''), { body: 'no JSON' })).status).toBe(400)
    expect((await service.fetch('/api/stripe/webhook')).status).toBe(405)
  })
})

describe('events that are missing', () => {
  test('are made up for by the comparison: a renewal', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { daysAgo: 29.9 })
    stripe.renew(subscription.id)
    await compareNow(service, payer.id)
    const [row] = (await service.admin('GET', `/subscriptions?user=${payer.id}`)).body.data
    expect(Date.parse(row.paidUntil) / 1000).toBe(subscription.period.end)
  })

  test('are made up for by the comparison: the first payment', async () => {
    const payer = await newPayer(service)
    stripe.pay(await payer.checkout())
    await compareNow(service, payer.id)
    expect(await payer.plan()).toBe('premium')
  })

  test('are made up for by the comparison: a refund with a cancellation', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    stripe.refund(subscription.id)
    stripe.cancelNow(subscription.id)
    await compareNow(service, payer.id)
    expect(await payer.plan()).toBe('standard')
  })

  test('after a checkout are made up for within minutes, later within a day', async () => {
    const payer = await newPayer(service)
    const id = await payer.checkout()
    const minutesToNext = async () =>
      (
        await service.sql(
          `select extract(epoch from next_at - now()) / 60 as n from billing_customers where user_id = '${payer.id}'`,
        )
      )[0].n
    expect(Number(await minutesToNext())).toBeLessThanOrEqual(5)
    await deliver(service, stripe.pay(id)[1])
    expect(Number(await minutesToNext())).toBeGreaterThan(60)
    expect(Number(await minutesToNext())).toBeLessThanOrEqual(24 * 60)
  })

  test('an operator can compare at once', async () => {
    const payer = await newPayer(service)
    stripe.pay(await payer.checkout())
    const { status, body } = await service.admin('POST', `/users/${payer.id}/compare-subscriptions`)
    expect([status, body.data[0].status, body.data[0].owner]).toEqual([200, 'active', payer.email])
    expect(await payer.plan()).toBe('premium')
  })
})

describe('Premium ends', () => {
  test('after a cancellation only with the paid period', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    await deliver(service, stripe.cancelAtEnd(subscription.id))
    expect(await payer.plan()).toBe('premium')
    await deliver(service, stripe.cancelNow(subscription.id))
    expect(await payer.plan()).toBe('premium')
  })

  test('when the period of a cancelled subscription is over, without an event', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { daysAgo: 30 - 3 / DAY, days: 30 })
    await deliver(service, stripe.cancelAtEnd(subscription.id))
    expect(await payer.plan()).toBe('premium')
    await hasPlan(payer, 'standard', 30_000)
    expect((await auditOf(service, payer.id))[0]).toBe('billing.plan standard')
  })

  test('the same when Stripe gives the moment of the end', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { daysAgo: 30 - 3 / DAY, days: 30 })
    await deliver(service, stripe.cancelAt(subscription.id, subscription.period.end))
    await hasPlan(payer, 'standard', 30_000)
  })

  test('not at the end of the period when a renewal was missed: Stripe is asked first', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { daysAgo: 30 - 3 / DAY, days: 30 })
    await deliver(service, stripe.cancelAtEnd(subscription.id))
    stripe.resume(subscription.id)
    stripe.renew(subscription.id)
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    expect(await payer.plan()).toBe('premium')
    expect(await auditOf(service, payer.id)).not.toContain('billing.plan standard')
  })

  test('not for 7 days of failed payments', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { daysAgo: 36.9 })
    await deliver(service, stripe.renew(subscription.id, { paid: false }))
    expect(await payer.plan()).toBe('premium')
  })

  test('after 7 days of failed payments', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { daysAgo: 37 - 3 / DAY })
    await deliver(service, stripe.renew(subscription.id, { paid: false }))
    expect(await payer.plan()).toBe('premium')
    await hasPlan(payer, 'standard', 30_000)
  })

  test('and begins again when the open invoice is paid at last', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { daysAgo: 38 })
    await deliver(service, stripe.renew(subscription.id, { paid: false }))
    expect(await payer.plan()).toBe('standard')
    await deliver(service, stripe.payInvoice(subscription.id))
    expect(await payer.plan()).toBe('premium')
  })

  test.each(['unpaid', 'paused'])('seven days after the paid period also in the state %s', async (status) => {
    const { payer, subscription } = await subscriber(service, stripe, { daysAgo: 36 })
    stripe.renew(subscription.id, { paid: false })
    await deliver(service, stripe.setStatus(subscription.id, status))
    expect(await payer.plan()).toBe('premium')
    const late = await subscriber(service, stripe, { daysAgo: 38 })
    stripe.renew(late.subscription.id, { paid: false })
    await deliver(service, stripe.setStatus(late.subscription.id, status))
    expect(await late.payer.plan()).toBe('standard')
  })

  test('when Stripe gives up after failed payments, still after 7 days', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { daysAgo: 34 })
    stripe.renew(subscription.id, { paid: false })
    await deliver(service, stripe.cancelNow(subscription.id, 'payment_failed'))
    expect(await payer.plan()).toBe('premium')
  })

  test('at once when the user cancels while payments fail', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { daysAgo: 32 })
    stripe.renew(subscription.id, { paid: false })
    await deliver(service, stripe.cancelNow(subscription.id))
    expect(await payer.plan()).toBe('standard')
  })

  test('with a refund of a subscription that has ended, and not with a refund alone', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    await deliver(service, stripe.refund(subscription.id))
    expect(await payer.plan()).toBe('premium')
    await deliver(service, stripe.cancelNow(subscription.id))
    expect(await payer.plan()).toBe('standard')
  })

  test('when a payment was disputed and Stripe ended the subscription', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    await deliver(service, stripe.cancelNow(subscription.id, 'payment_disputed'))
    expect(await payer.plan()).toBe('standard')
  })

  test('not while another subscription is paid', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { daysAgo: 31 })
    const [second, events] = stripe.subscribe(subscription.customer)
    await deliver(service, [...events, ...stripe.cancelNow(subscription.id)])
    expect(await payer.plan()).toBe('premium')
    stripe.refund(second.id)
    await deliver(service, stripe.cancelNow(second.id))
    expect(await payer.plan()).toBe('standard')
  })
})

describe('a subscription that is resumed', () => {
  test('goes on', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    await deliver(service, stripe.cancelAtEnd(subscription.id))
    await deliver(service, stripe.resume(subscription.id))
    const [row] = (await service.admin('GET', `/subscriptions?user=${payer.id}`)).body.data
    expect(row.endsAt).toBeNull()
    expect(Date.parse(row.premiumUntil)).toBe((subscription.period.end + 7 * DAY) * 1000)
  })

  test('cancelled, ended and bought again gives Premium again', async () => {
    const { payer, subscription } = await subscriber(service, stripe, { daysAgo: 31 })
    await deliver(service, stripe.cancelNow(subscription.id))
    expect(await payer.plan()).toBe('standard')
    await deliver(service, stripe.pay(await payer.checkout())[1])
    expect(await payer.plan()).toBe('premium')
  })
})

describe('a change of the price', () => {
  test('leaves the subscriptions to the earlier price as they are', async () => {
    const { payer } = await subscriber(service, stripe, { price: 'price_Earlier' })
    expect(await payer.plan()).toBe('premium')
  })

  test('by the customer to another product ends Premium, and a change back begins it again', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    expect(await payer.plan()).toBe('premium')
    await deliver(service, stripe.settleChange(subscription.id, 'price_Mugs'))
    expect(await payer.plan()).toBe('standard')
    await deliver(service, stripe.renew(subscription.id))
    expect(await payer.plan()).toBe('standard')
    await deliver(service, stripe.settleChange(subscription.id, PRICE))
    expect(await payer.plan()).toBe('premium')
  })

  test('by the customer to another product ends Premium also when the customer is deleted then', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    await deliver(service, stripe.settleChange(subscription.id, 'price_Mugs'))
    await deliver(service, stripe.deleteCustomer(subscription.customer))
    expect(await payer.plan()).toBe('standard')
  })

  test('in the middle of a period does not make the paid period longer', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    await deliver(service, stripe.settleChange(subscription.id, 'price_Yearly'))
    const [row] = (await service.admin('GET', `/subscriptions?user=${payer.id}`)).body.data
    expect(Date.parse(row.paidUntil) / 1000).toBe(subscription.period.end)
  })
})

describe('a checkout', () => {
  test('is the same until it is paid, also in two tabs at once', async () => {
    const payer = await newPayer(service)
    const both = await Promise.all([payer.checkout(), payer.checkout()])
    expect(new Set([...both, await payer.checkout()]).size).toBe(1)
    expect([...stripe.customers.values()].filter(({ email }) => email === payer.email)).toHaveLength(1)
  })

  test('is the same however late each tab is', async () => {
    const payer = await newPayer(service)
    await payer.checkout()
    for (const checkout of stripe.sessions.values()) checkout.status = 'expired'
    // The first question of each request takes long, in one of them longer.
    const waits = [600, 0, 300]
    stripe.setFault(({ path }) => (path.includes('/subscriptions') ? { delayMs: waits.pop() ?? 0 } : null))
    const made = await Promise.all([payer.checkout(), payer.checkout(), payer.checkout()])
    stripe.setFault(null)
    expect(new Set([...made, await payer.checkout()]).size).toBe(1)
  })

  test('that could not be made can be made a minute later', async () => {
    const payer = await newPayer(service)
    const keys = () =>
      stripe.requests
        .filter(({ method, path }) => method === 'POST' && path.startsWith('/v1/checkout'))
        .map(({ idempotencyKey }) => idempotencyKey)
    stripe.setFault(({ path }) => (path.startsWith('/v1/checkout') ? 500 : null))
    await expect(payer.checkout()).rejects.toThrow()
    const failed = new Set(keys())
    stripe.setFault(null)
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] })
    try {
      await payer.checkout()
    } finally {
      vi.useRealTimers()
    }
    expect(failed.has(keys().at(-1))).toBe(false)
  })

  test('is refused while there is a subscription, also one whose events were missed', async () => {
    const payer = await newPayer(service)
    stripe.pay(await payer.checkout())
    await expect(payer.checkout()).rejects.toThrow('You have a subscription already')
    expect(await payer.plan()).toBe('premium')
  })

  test('is new when the earlier one has expired', async () => {
    const payer = await newPayer(service)
    const first = await payer.checkout()
    stripe.sessions.get(first)!.status = 'expired'
    expect(await payer.checkout()).not.toBe(first)
  })

  test('of an earlier price is replaced', async () => {
    const payer = await newPayer(service)
    const first = await payer.checkout()
    stripe.sessions.get(first)!.metadata.catalog_price = 'price_Earlier'
    expect(await payer.checkout()).not.toBe(first)
    expect(stripe.sessions.get(first)!.status).toBe('expired')
  })

  test('whose answer was lost is not made twice', async () => {
    const payer = await newPayer(service)
    const lost = new Set<string>()
    stripe.setFault(({ method, path }) => {
      if (method !== 'POST' || lost.has(path)) return null
      lost.add(path)
      return 'lost'
    })
    await payer.checkout()
    expect([...lost]).toEqual(['/v1/customers', '/v1/checkout/sessions'])
    expect([...stripe.customers.values()].filter(({ email }) => email === payer.email)).toHaveLength(1)
    const of = [...stripe.sessions.values()].filter(({ metadata }) => metadata.catalog_user === payer.id)
    expect(of).toHaveLength(1)
    expect(of[0]!.metadata.catalog_price).toBe(PRICE)
  })

  test('is refused for a user who has Premium from an administrator', async () => {
    const payer = await newPayer(service)
    await service.admin('PATCH', `/users/${payer.id}`, { plan: 'premium' })
    await expect(payer.checkout()).rejects.toThrow('nothing to pay')
  })
})

describe('a customer that was deleted at Stripe', () => {
  test('keeps what is paid, and loses the days of grace', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    await deliver(service, stripe.deleteCustomer(subscription.customer))
    expect(await payer.plan()).toBe('premium')
    const [row] = (await service.admin('GET', `/subscriptions?user=${payer.id}`)).body.data
    expect(Date.parse(row.premiumUntil)).toBe(subscription.period.end * 1000)
    await expect(payer.portal()).rejects.toThrow('no subscription')
  })

  test('gets a new customer with the next checkout', async () => {
    const payer = await newPayer(service)
    const first = stripe.sessions.get(await payer.checkout())!.customer
    stripe.deleteCustomer(first)
    const second = stripe.sessions.get(await payer.checkout())!
    expect(second.customer).not.toBe(first)
    await deliver(service, stripe.pay(second.id)[1])
    expect(await payer.plan()).toBe('premium')
  })
})

describe('a plan that an administrator granted', () => {
  test('is not taken away when a payment ends', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    await service.admin('PATCH', `/users/${payer.id}`, { plan: 'premium' })
    stripe.refund(subscription.id)
    await deliver(service, stripe.cancelNow(subscription.id))
    expect(await payer.plan()).toBe('premium')
    const user = (await service.admin('GET', `/users/${payer.id}`)).body.data
    expect(user).toMatchObject({ plan: 'premium', grantedPlan: 'premium', paidPlan: 'standard' })
  })

  test('does not take a paid one away when it ends', async () => {
    const { payer } = await subscriber(service, stripe)
    await service.admin('PATCH', `/users/${payer.id}`, { plan: 'premium' })
    const { body } = await service.admin('PATCH', `/users/${payer.id}`, { plan: 'standard' })
    expect(body.data).toMatchObject({ plan: 'premium', grantedPlan: 'standard', paidPlan: 'premium' })
    expect(await payer.plan()).toBe('premium')
  })

  test('to a single key stays with the key through a subscription', async () => {
    const payer = await newPayer(service)
    const own = (await service.newKey('premium', payer.email)).key
    const [subscription, events] = stripe.pay(await payer.checkout())
    await deliver(service, events)
    const later = await service.newKey('premium', payer.email)
    stripe.refund(subscription.id)
    await deliver(service, stripe.cancelNow(subscription.id))
    expect([await payer.plan(), await planOfKey(service, own), await planOfKey(service, later.key)]).toEqual([
      'standard',
      'premium',
      'premium',
    ])
  })
})

describe('a user who is banned', () => {
  test('pays for no further period', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    await service.admin('PATCH', `/users/${payer.id}`, { banned: true })
    expect(subscription.cancelAtPeriodEnd).toBe(false)
    await service.admin('POST', `/users/${payer.id}/compare-subscriptions`)
    expect([subscription.cancelAtPeriodEnd, subscription.status]).toEqual([true, 'active'])
    const [row] = (await service.admin('GET', `/subscriptions?user=${payer.id}`)).body.data
    expect(Date.parse(row.endsAt) / 1000).toBe(subscription.period.end)
  })
})

describe('an account that is deleted', () => {
  const deleteUser = async (id: string) => {
    await service.sql(`delete from keys where user_id = '${id}'`)
    await service.sql(`delete from users where id = '${id}'`)
  }

  test('has its subscription cancelled, and its open checkout cannot be paid', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    await deleteUser(payer.id)
    await until(() => subscription.status === 'canceled', 10_000)
    const other = await newPayer(service)
    const session = stripe.sessions.get(await other.checkout())!
    await deleteUser(other.id)
    await until(() => session.status === 'expired', 10_000)
  })

  test('during a comparison is closed by the next one', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    stripe.setFault({ delayMs: 1_000 })
    const before = stripe.requests.length
    const comparing = payer.comeBack()
    await until(() => stripe.requests.length > before)
    await deleteUser(payer.id)
    await comparing
    stripe.setFault(null)
    await until(() => subscription.status === 'canceled', 20_000)
  })

  test('the same when Stripe is away at that moment', async () => {
    const { payer, subscription } = await subscriber(service, stripe)
    stripe.setFault(500)
    const before = stripe.requests.length
    await deleteUser(payer.id)
    await until(() => stripe.requests.length > before)
    stripe.setFault(null)
    await service.sql('update billing_customers set leased_until = null')
    await until(() => subscription.status === 'canceled', 20_000)
  })

  test('whose owner still pays an earlier checkout has that cancelled too', async () => {
    const payer = await newPayer(service)
    const id = await payer.checkout()
    await deleteUser(payer.id)
    await until(() => stripe.sessions.get(id)!.status === 'expired', 10_000)
    const [subscription, events] = stripe.pay(id)
    await deliver(service, events)
    expect(subscription.status).toBe('canceled')
  })
})

describe('while Stripe is away', () => {
  test.each([
    ['refuses connections', 'refused'],
    ['fails', 500],
    ['has no room', 429],
    ['refuses the key', 401],
  ] as const)('and %s, an event gets a 503 and counts when it is sent again', async (_, fault) => {
    const payer = await newPayer(service)
    const [, [event]] = stripe.pay(await payer.checkout())
    stripe.setFault(fault)
    const refused = await send(service, event!)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60'])
    expect(refused.text).not.toMatch(/sk_test|Key/)
    expect(await payer.plan()).toBe('standard')
    stripe.setFault(null)
    await deliver(service, [event!])
    expect(await payer.plan()).toBe('premium')
  })

  test('a plan stays until its known end and the days of grace', async () => {
    const { payer } = await subscriber(service, stripe)
    stripe.setFault(500)
    await letTimePass(service, payer.id, 36 * DAY)
    await service.sql(`update billing_customers set next_at = now() where user_id = '${payer.id}'`)
    const before = stripe.requests.length
    await service.wake()
    await until(() => stripe.requests.length > before)
    await letMistakesHappen()
    expect(await payer.plan()).toBe('premium')
    await letTimePass(service, payer.id, DAY + 60)
    await hasPlan(payer, 'standard', 10_000)
    stripe.setFault(null)
    await compareNow(service, payer.id)
    expect(await payer.plan()).toBe('premium')
  })

  test('no secret is in the log', () => {
    expect(JSON.stringify(service.logged)).not.toMatch(/StandInSecretKey|StandInSigningSecret/)
  })
})
