// Packages that founders buy: choosing, paying once, the work that follows, refunds and disputes, and what operators see.
// @module-tag slow
import sharp from 'sharp'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { examinePayments } from '../../src/operating/doctor/payments.ts'
import { deliver, send } from '../harness/billing.ts'
import { type Browser, formIn, PASSWORD, signedUp, signedUpAdmin } from '../harness/browser.ts'
import { forgetOld } from '../harness/forget-old.ts'
import { begun as begunProduct, idOf, messageIn, newSite, sent, storeOwner, storeWaiting } from '../harness/founders.ts'
import { expectSound } from '../harness/html.ts'
import {
  newListing,
  newOwner,
  type Owner,
  ordered,
  ordersIn,
  ordersOf,
  pressOrder,
  sessionIn,
  submissionsOf,
} from '../harness/orders.ts'
import { until } from '../harness/process.ts'
import { startService, type TestService } from '../harness/service.ts'
import { bodyOf, PACKAGE_PRICES, signatureOf, standInStripe } from '../harness/stripe.ts'
import { newTool, SUBMISSION_CATALOG, submit } from '../harness/submissions.ts'
import { use, useService } from '../harness/use.ts'

const stripe = use(standInStripe)
const service = use(() => startService(stripe.packageSettings))
let administrator: Browser
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  administrator = await signedUpAdmin(service)
})
afterEach(() => stripe.setFault(null))

const NEW = '/dashboard/orders/new'

/** A founder whose order is paid and known. */
async function paidOwner() {
  const owner = await newOwner(service)
  const session = await ordered(owner)
  await deliver(service, stripe.payOrder(session))
  const [order] = await ordersOf(service, owner.slug)
  return { owner, session, order }
}

/** Stores an order that was begun and not paid. */
const storeOpenOrder = (of: TestService, owner: Owner, id: string) =>
  of.sql(`insert into orders (id, user_id, tool_id, payment_type, price_id, state, created_at, updated_at)
    select '${id}', '${owner.id}', id, 'pro', 'price_pro', 'open', now(), now() from tools where slug = '${owner.slug}'`)

/** What the page of an order says only while it can be paid. */
const PAYING = ['What happens then', 'You pay at Stripe', 'Go to the payment', 'Pay $179']

/** Whether the page of the founder's listing leads to the order of a package. */
const isOffered = async (owner: Owner): Promise<boolean> =>
  (await owner.open(`/dashboard/products/${owner.slug}`)).text.includes(`href="${NEW}?tool=${owner.slug}"`)

describe('what is sold', () => {
  test('/pricing and /submit show the amounts that Stripe gives, in its currency', async () => {
    for (const path of ['/pricing', '/submit']) {
      const { text } = await service.fetch(path, { headers: { accept: 'text/html' } })
      for (const shown of ['$99', '$179', '$269', `${NEW}?package=pro`]) expect(text).toContain(shown)
      await expectSound(text)
    }
  })

  test('a visitor who presses Order signs in first, and comes back to the same package', async () => {
    const reply = await service.fetch(`${NEW}?package=pro`)
    expect(reply.headers.get('location')).toBe(`/sign-in?next=${encodeURIComponent(`${NEW}?package=pro`)}`)
  })

  test('a founder without a product is told how to get one', async () => {
    const page = await (await signedUp(service)).open(NEW)
    expect(page.text).toContain('No product yet')
    expect(page.text).not.toContain('name="package"')
    await expectSound(page.text)
  })

  test('only the owner of a product can order for it', async () => {
    const owner = await newOwner(service)
    const strange = await newListing(service)
    const refused = await owner.submit(NEW, NEW, { tool: strange, package: 'pro' })
    expect(refused.status).toBe(403)
    expect((await owner.submit(NEW, NEW, { tool: 'no-such-tool', package: 'pro' })).status).toBe(404)
    const wrong = await owner.submit(NEW, NEW, { tool: owner.slug, package: 'gold' })
    expect(wrong.headers.get('location')).toContain(NEW)
    expect(await ordersOf(service, strange)).toEqual([])
  })

  test('whoever proved or sent another domain than the listing has now cannot order for it', async () => {
    const MOVED = 'The listing has another website now'
    const owner = await newOwner(service)
    const sender = await newOwner(service)
    await service.sql(
      `update claims set website = 'https://before.example' where tool_id = (select id from tools where slug = '${owner.slug}')`,
    )
    await service.sql(`delete from claims where user_id = '${sender.id}'`)
    await storeWaiting(service, sender.id, `sent-${sender.slug}`)
    await service.sql(
      `update founder_products set state = 'accepted', tool_id = (select id from tools where slug = '${sender.slug}') where id = 'sent-${sender.slug}'`,
    )
    for (const one of [owner, sender]) {
      const page = await one.open(`${NEW}?tool=${one.slug}`)
      expect(page.text).toContain(MOVED)
      expect(page.text).not.toContain('name="package"')
      await one.post(NEW, { ...formIn(page.text, '/sign-out'), tool: one.slug, package: 'pro' })
      expect(await ordersOf(service, one.slug)).toEqual([])
    }
    await service.sql(
      `update claims set website = 'https://app.${owner.slug}.example.com/' where user_id = '${owner.id}'`,
    )
    expect((await owner.open(`${NEW}?tool=${owner.slug}`)).text).toContain('name="package"')
  })

  test('a price that is not paid once is not sold, and the doctor says so', async () => {
    const own = await standInStripe()
    const config = { ...own.packageSettings, PUBLIC_URL: 'https://catalog.example.com' }
    own.packagePrices.get(PACKAGE_PRICES.pro)!.recurring = { interval: 'month', interval_count: 1 }
    const other = await startService(own.packageSettings)
    try {
      const { text } = await other.fetch('/pricing', { headers: { accept: 'text/html' } })
      expect(text).toContain('package=starter')
      expect(text).not.toContain('package=pro"')
      const findings = await examinePayments(readConfig(config))
      expect(findings.filter(({ state }) => state === 'problem').map(({ says }) => says)).toEqual([
        expect.stringContaining('of the package pro ($179 a month) is not an active price that is paid once'),
      ])
      expect(findings.at(-1)!.says).toContain('No webhook endpoint')
    } finally {
      await other.close()
      await own.close()
    }
  })

  test.each([
    ['gold:price_1', 'STRIPE_PACKAGE_PRICES must be a list such as starter:price_1,pro:price_2,premium:price_3'],
    ['starter', 'STRIPE_PACKAGE_PRICES must be a list'],
    ['starter:price_1,starter:price_2', 'STRIPE_PACKAGE_PRICES must be a list'],
    ['starter:pri ce', 'STRIPE_PACKAGE_PRICES must be a list'],
  ])('the setting %j is refused with a sentence', (value, message) => {
    const { STRIPE_API_URL: _, ...settings } = stripe.settings
    expect(() => readConfig({ ...settings, STRIPE_PACKAGE_PRICES: value })).toThrow(message)
  })

  test('a part of the packages is enough, and the other three settings are needed', () => {
    expect(readConfig({ ...stripe.settings, STRIPE_PACKAGE_PRICES: 'pro: price_2' }).STRIPE_PACKAGE_PRICES).toEqual({
      pro: 'price_2',
    })
    expect(() => readConfig({ STRIPE_PACKAGE_PRICES: 'pro:price_2' })).toThrow(
      'STRIPE_PACKAGE_PRICES needs STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_ID',
    )
  })
})

describe('paying once', () => {
  test('the checkout is for one payment, and leads back to the order', async () => {
    const owner = await newOwner(service)
    const session = await ordered(owner)
    const [order] = await ordersOf(service, owner.slug)
    expect(order).toMatchObject({ state: 'open', paymentType: 'pro', price: null, submissionId: null, waiting: false })
    const asked = stripe.requests.findLast(({ method, path }) => method === 'POST' && path === '/v1/checkout/sessions')!
    expect(Object.fromEntries(asked.form)).toMatchObject({
      mode: 'payment',
      'line_items[0][price]': PACKAGE_PRICES.pro,
      'metadata[catalog_order]': order.id,
      'invoice_creation[enabled]': 'true',
      success_url: `${service.origin}/dashboard/orders/${order.id}?checkout=done`,
    })
    stripe.payOrder(session)
    const back = await owner.open(`/dashboard/orders/${order.id}?checkout=done`)
    expect(back.text).toContain('Thank you. The order is paid')
    expect(back.text).toContain('$179')
    await expectSound(back.text)
  })

  test('an order that is not paid leads to the payment and says what happens then, until its listing is deleted', async () => {
    const owner = await newOwner(service)
    await ordered(owner)
    const [order] = await ordersOf(service, owner.slug)
    const page = `/dashboard/orders/${order.id}`
    const { text } = await owner.open(page)
    for (const shown of ['What happens then', 'You pay at Stripe', 'Pay $179', 'You can ask us something here'])
      expect(text).toContain(shown)
    expect((await service.admin('DELETE', `/tools/${owner.slug}`)).status).toBe(200)
    const after = (await owner.open(page)).text
    expect(after).toContain('This order is not paid')
    for (const words of PAYING) expect(after).not.toContain(words)
  })

  test('an order that is not paid promises answers only where questions are answered', async () => {
    const owner = await newOwner(service)
    await ordered(owner)
    const [order] = await ordersOf(service, owner.slug)
    const shown = async () => (await owner.open(`/dashboard/orders/${order.id}`)).text
    await paidOwner()
    await service.admin('PATCH', '/partners/direct-orders', { support: 'off' })
    expect(await shown()).toContain('What happens then')
    expect(await shown()).not.toContain('You can ask us')
    await service.admin('PATCH', '/partners/direct-orders', { support: 'hybrid' })
    expect(await shown()).toContain('You can ask us')
  })

  test('two tabs, a second click and a closed browser lead to the same checkout', async () => {
    const owner = await newOwner(service)
    const both = await Promise.all([pressOrder(owner), pressOrder(owner)])
    const sessions = both.map((reply) => sessionIn(reply.headers.get('location')!))
    expect(sessions[0]).toMatch(/^cs_test_/)
    expect(new Set(sessions).size).toBe(1)
    expect(await ordered(owner)).toBe(sessions[0])
    expect(await ordersOf(service, owner.slug)).toHaveLength(1)
  })

  test('another package closes the first checkout', async () => {
    const owner = await newOwner(service)
    const [first, second] = [await ordered(owner, 'starter'), await ordered(owner, 'premium')]
    expect(stripe.sessions.get(first)!.status).toBe('expired')
    await deliver(service, stripe.payOrder(second))
    expect(await ordersOf(service, owner.slug)).toMatchObject([
      { state: 'paid', paymentType: 'premium', price: '$269' },
    ])
  })

  test('who has paid and goes back is told so, also when the event never came', async () => {
    const owner = await newOwner(service)
    stripe.payOrder(await ordered(owner))
    const reply = await pressOrder(owner)
    expect(reply.headers.get('location')).toMatch(new RegExp(`^${NEW}`))
    expect((await owner.open(NEW)).text).toContain('A package was ordered for this product')
    expect(await ordersOf(service, owner.slug)).toMatchObject([{ state: 'paid' }])
  })

  test('a payment that is on its way begins no work and allows no second order; when it fails, one can order again', async () => {
    const owner = await newOwner(service)
    const session = await ordered(owner)
    await deliver(service, stripe.payOrder(session, { arrived: false }))
    const [order] = await ordersOf(service, owner.slug)
    expect(order).toMatchObject({ state: 'processing', submissionId: null })
    const { text } = await owner.open(`/dashboard/orders/${order.id}`)
    for (const shown of ['What happens then', 'Your payment arrives']) expect(text).toContain(shown)
    expect((await pressOrder(owner)).headers.get('location')).toMatch(new RegExp(`^${NEW}`))
    expect((await owner.open(NEW)).text).toContain('is being processed')
    await deliver(service, stripe.settleOrder(session, { arrived: false }))
    expect(await ordersOf(service, owner.slug)).toMatchObject([{ state: 'closed' }])
    const again = await ordered(owner)
    await deliver(service, stripe.payOrder(again, { arrived: false }))
    await deliver(service, stripe.settleOrder(again))
    expect((await ordersOf(service, owner.slug)).map(({ state }) => state)).toEqual(['paid', 'closed'])
  })

  test.each([
    ['arrives', true, 'paid'],
    ['fails', false, 'closed'],
  ])(
    'a payment on its way that %s after the customer was deleted at Stripe settles the order',
    async (_, arrived, state) => {
      const owner = await newOwner(service)
      const session = await ordered(owner)
      await deliver(service, stripe.payOrder(session, { arrived: false }))
      const { customer } = stripe.sessions.get(session)!
      await deliver(service, stripe.deleteCustomer(customer))
      expect(await ordersOf(service, owner.slug)).toMatchObject([{ state: 'processing' }])
      // Stripe sends no event about the payment of a customer that it does not know any more.
      stripe.settleOrder(session, { arrived })
      const [order] = await ordersOf(service, owner.slug)
      expect((await service.admin('POST', `/orders/${order.id}/compare`)).body.data.state).toBe(state)
      expect(await submissionsOf(service, owner.slug)).toHaveLength(arrived ? 1 : 0)
      if (!arrived) expect(await ordered(owner)).toMatch(/^cs_test_/)
    },
  )

  test('the open checkout of a customer that was deleted at Stripe is closed, and one can order again', async () => {
    const owner = await newOwner(service)
    const session = await ordered(owner)
    await deliver(service, stripe.deleteCustomer(stripe.sessions.get(session)!.customer))
    expect(stripe.sessions.get(session)!.status).toBe('expired')
    expect(await ordersOf(service, owner.slug)).toMatchObject([{ state: 'closed' }])
    expect(await ordered(owner)).not.toBe(session)
  })

  test('a payment that Stripe does not know any more ends with the day on which it could be made', async () => {
    const owner = await newOwner(service)
    const session = await ordered(owner)
    await deliver(service, stripe.payOrder(session, { arrived: false }))
    const { customer } = stripe.sessions.get(session)!
    stripe.sessions.delete(session)
    await deliver(service, stripe.deleteCustomer(customer))
    const [order] = await ordersOf(service, owner.slug)
    expect(order.state).toBe('processing')
    await service.sql(`update orders set checkout_at = now() - interval '26 hours' where id = '${order.id}'`)
    expect((await service.admin('POST', `/orders/${order.id}/compare`)).body.data.state).toBe('closed')
  })

  test('of two owners of a product the last one who orders pays', async () => {
    const owner = await newOwner(service)
    const other = await newOwner(service)
    await service.sql(`insert into claims (id, user_id, tool_id, token, method, proven_at, checked_at, created_at)
      select 'second-' || slug, '${other.id}', id, 'token', 'dns', now(), now(), now() from tools where slug = '${owner.slug}'`)
    const first = await ordered(owner)
    const second = await ordered({ ...other, slug: owner.slug })
    expect(stripe.sessions.get(first)!.status).toBe('expired')
    await deliver(service, stripe.payOrder(second))
    const rows = await ordersOf(service, owner.slug)
    expect(rows.map(({ state, user }) => [state, user.id])).toEqual([
      ['paid', other.id],
      ['closed', owner.id],
    ])
    expect((await owner.open(NEW)).text).toContain('A package was ordered for this product')
    expect((await owner.open(`/dashboard/orders/${rows[0].id}`)).status).toBe(404)
  })

  test('a product that a partner has in work is said to be so before payment', async () => {
    const owner = await newOwner(service)
    const { key } = await service.newPartner()
    const website = `https://${owner.slug}.example.com`
    expect(await isOffered(owner)).toBe(true)
    expect((await submit(service, key, newTool({ website, paymentType: 'starter' }))).status).toBe(201)
    expect(await isOffered(owner)).toBe(false)
    const page = await owner.open(`${NEW}?tool=${owner.slug}`)
    expect(page.text).toContain('a partner has ordered a package for it')
    expect(page.text).not.toContain('name="package"')
    await owner.post(NEW, { ...formIn(page.text, '/sign-out'), tool: owner.slug, package: 'pro' })
    expect(await ordersOf(service, owner.slug)).toEqual([])
  })

  test('while Stripe is away nothing is ordered, and the page says so', async () => {
    const owner = await newOwner(service)
    stripe.setFault(500)
    const reply = await pressOrder(owner)
    expect(reply.headers.get('location')).toMatch(new RegExp(`^${NEW}`))
    expect((await owner.open(NEW)).text).toContain('The payment service cannot be reached at the moment')
    stripe.setFault(null)
    await deliver(service, stripe.payOrder(await ordered(owner)))
    expect(await ordersOf(service, owner.slug)).toMatchObject([{ state: 'paid' }])
  })
})

describe('the work', () => {
  test('a paid order is a submission of Direct orders, which the founder follows as a partner would', async () => {
    const { owner, order } = await paidOwner()
    expect(order).toMatchObject({ state: 'paid', price: '$179', waiting: true, submissionState: 'IN_QUEUE' })
    const [submission] = await submissionsOf(service, owner.slug)
    expect(submission).toMatchObject({ paymentType: 'pro', client: { id: 'direct-orders', name: 'Direct orders' } })
    await service.admin('PUT', `/submissions/${submission.id}/directories/peak`, {
      isSubmitted: true,
      listingUrl: 'https://peak.example.org/ordered',
    })
    const page = await owner.open(`/dashboard/orders/${order.id}`)
    for (const shown of ['In progress', '1 of 60', 'Peak', 'Planned next', 'Alpha Board', '/reports/'])
      expect(page.text).toContain(shown)
    await expectSound(page.text)
    const owned = await owner.open(`/dashboard/products/${owner.slug}`)
    for (const shown of ['Package: Pro', '1 of 60', 'Peak', '/reports/']) expect(owned.text).toContain(shown)
    const report = /\/reports\/[0-9a-f]{32}/.exec(page.text)![0]
    expect((await service.fetch(report)).status).toBe(200)
    expect((await ordersOf(service, owner.slug))[0].waiting).toBe(false)
    await service.admin('PATCH', `/submissions/${submission.id}`, { state: 'DONE' })
    expect(await isOffered(owner)).toBe(false)
    const list = await owner.open('/dashboard/orders')
    expect(list.text).toContain('1 of 60 directories')
    await expectSound(list.text)
  })

  test('a question about an order is in the inbox, and its answer on the page of the order', async () => {
    const { owner, order } = await paidOwner()
    const page = `/dashboard/orders/${order.id}`
    const asked = await owner.submit(page, `${page}/questions`, { question: 'When do you begin?' })
    expect(asked.headers.get('location')).toBe(`${page}#questions`)
    const inbox = (await service.admin('GET', '/support/conversations?client=direct-orders')).body.data
    const conversation = inbox.find(({ externalId }: { externalId: string }) => externalId === `order:${order.id}`)
    expect(conversation).toMatchObject({ status: 'pending', customer: { email: owner.email } })
    await service.admin('POST', `/support/conversations/${conversation.id}/reply`, { content: 'Tomorrow.' })
    const answered = (await owner.open(page)).text
    for (const shown of ['When do you begin?', 'Tomorrow.', 'Answered']) expect(answered).toContain(shown)
    const other = await newOwner(service)
    expect((await other.post(`${page}/questions`, { question: 'Mine?' })).status).not.toBe(200)
    expect((await other.open(page)).status).toBe(404)
  })

  test('the invoice is at Stripe', async () => {
    const { owner, order, session } = await paidOwner()
    const page = `/dashboard/orders/${order.id}`
    const reply = await owner.submit(page, `${page}/receipt`)
    expect(reply.headers.get('location')).toBe(`https://invoice.stripe.com/i/${session}`)
  })

  test('the receipt is at Stripe when there is no invoice', async () => {
    const { owner, order, session } = await paidOwner()
    const payment = stripe.sessions.get(session)!.payment!
    payment.hasInvoice = false
    const page = `/dashboard/orders/${order.id}`
    const reply = await owner.submit(page, `${page}/receipt`)
    expect(reply.headers.get('location')).toBe(`https://pay.stripe.com/receipts/${payment.id}`)
  })

  test('the built-in partner has no key and no users, and is not in the list of partners unless asked for', async () => {
    const { owner } = await paidOwner()
    const names = async (query = '') =>
      (await service.admin('GET', `/partners${query}`)).body.data.map(({ name }: { name: string }) => name)
    expect(await names()).not.toContain('Direct orders')
    expect(await names('?builtIn=true')).toContain('Direct orders')
    const key = await service.admin('POST', '/partners/direct-orders/keys', {})
    expect([key.status, key.body.error]).toEqual([400, expect.stringContaining('is built in and has no keys')])
    expect((await service.admin('PATCH', `/users/${owner.id}`, { partner: 'direct-orders' })).status).toBe(400)
    expect((await service.admin('DELETE', '/partners/direct-orders')).status).toBe(405)
  })
})

describe('refunds and disputes', () => {
  test('a full refund before the work begins withdraws it, and one can order again', async () => {
    const { owner, session, order } = await paidOwner()
    await deliver(service, stripe.refundOrder(session))
    expect(await submissionsOf(service, owner.slug)).toEqual([])
    expect(await ordersOf(service, owner.slug)).toMatchObject([{ state: 'refunded', submissionId: null }])
    expect((await service.fetch(`/tools/${owner.slug}`)).status).toBe(200)
    expect((await owner.open(`/dashboard/orders/${order.id}`)).text).toContain('had not begun and is withdrawn')
    expect(await isOffered(owner)).toBe(true)
    await deliver(service, stripe.payOrder(await ordered(owner, 'starter')))
    expect((await ordersOf(service, owner.slug)).map(({ state }) => state)).toEqual(['paid', 'refunded'])
  })

  test('a full refund after the work began only marks the order', async () => {
    const { owner, session, order } = await paidOwner()
    const [submission] = await submissionsOf(service, owner.slug)
    await service.admin('PATCH', `/submissions/${submission.id}`, { state: 'IN_PROGRESS' })
    await deliver(service, stripe.refundOrder(session))
    expect(await submissionsOf(service, owner.slug)).toMatchObject([{ id: submission.id, state: 'IN_PROGRESS' }])
    expect(await ordersOf(service, owner.slug)).toMatchObject([{ state: 'refunded', submissionId: submission.id }])
    expect((await owner.open(`/dashboard/orders/${order.id}`)).text).toContain('The work had begun')
    expect(await isOffered(owner)).toBe(false)
  })

  test('a partial refund changes nothing but the amount that was given back', async () => {
    const { owner, session } = await paidOwner()
    await deliver(service, stripe.refundOrder(session, 2000))
    expect(await ordersOf(service, owner.slug)).toMatchObject([{ state: 'paid', price: '$179', refunded: '$20' }])
    expect(await submissionsOf(service, owner.slug)).toHaveLength(1)
  })

  test('a refund that fails at the bank makes the order paid again, with its work', async () => {
    const { owner, session } = await paidOwner()
    await deliver(service, stripe.refundOrder(session))
    await deliver(service, stripe.failRefund(session))
    expect(await ordersOf(service, owner.slug)).toMatchObject([{ state: 'paid', refunded: null, waiting: true }])
    expect(await submissionsOf(service, owner.slug)).toHaveLength(1)
  })

  test('a dispute marks the order', async () => {
    const { owner, session } = await paidOwner()
    await deliver(service, stripe.disputeOrder(session))
    expect(await ordersOf(service, owner.slug)).toMatchObject([{ state: 'paid', disputed: true }])
    expect((await administrator.open('/admin/orders')).text).toContain('Disputed')
  })
})

describe('events', () => {
  test('forged ones change nothing, and one that is repeated counts once', async () => {
    const owner = await newOwner(service)
    const [event] = stripe.payOrder(await ordered(owner))
    const body = bodyOf(event!)
    expect((await send(service, event!, { body, signature: signatureOf(body, 'whsec_wrong') })).status).toBe(400)
    expect(await ordersOf(service, owner.slug)).toMatchObject([{ state: 'open' }])
    for (let i = 0; i < 3; i++) expect((await send(service, event!)).status).toBe(200)
    expect(await submissionsOf(service, owner.slug)).toHaveLength(1)
    const entries = (await service.admin('GET', `/audit?subject=order:${(await ordersOf(service, owner.slug))[0].id}`))
      .body.data
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(['order.compare'])
  })

  test('while Stripe is away an event gets a 503, and Stripe sends it again', async () => {
    const owner = await newOwner(service)
    const [event] = stripe.payOrder(await ordered(owner))
    stripe.setFault(500)
    expect((await send(service, event!)).status).toBe(503)
    stripe.setFault(null)
    expect((await send(service, event!)).status).toBe(200)
    expect(await ordersOf(service, owner.slug)).toMatchObject([{ state: 'paid' }])
  })

  test('a checkout that expires closes the order', async () => {
    const owner = await newOwner(service)
    await deliver(service, stripe.expireOrder(await ordered(owner)))
    expect(await ordersOf(service, owner.slug)).toMatchObject([{ state: 'closed' }])
  })

  test('without any event the order is found paid minutes later', async () => {
    const own = await standInStripe()
    const other = await startService(own.packageSettings, { billingMs: 100 })
    try {
      const owner = await newOwner(other)
      own.payOrder(await ordered(owner))
      await other.sql(`update billing_customers set next_at = now() where user_id = '${owner.id}'`)
      await until(async () => (await ordersOf(other, owner.slug))[0].state === 'paid', 20_000)
    } finally {
      await other.close()
      await own.close()
    }
  })
})

describe('operators', () => {
  test('see what is paid and not begun in the list, the menu and the console', async () => {
    const { owner, order } = await paidOwner()
    const waiting = await ordersIn(service, '?waiting=true&limit=1000')
    expect(waiting.map(({ id }) => id)).toContain(order.id)
    expect(waiting.every(({ state, submissionState }) => state === 'paid' && submissionState === 'IN_QUEUE')).toBe(true)
    expect((await service.admin('GET', '/overview/waiting')).body.data.orders).toBe(waiting.length)
    const page = await administrator.open('/admin/orders?waiting=true')
    expect(page.text).toContain(owner.email)
    expect(page.text).toContain('Not begun')
    await expectSound(page.text)
    const [submission] = await submissionsOf(service, owner.slug)
    await service.admin('PATCH', `/submissions/${submission.id}`, { state: 'IN_PROGRESS' })
    expect((await ordersIn(service, '?waiting=true&limit=1000')).map(({ id }) => id)).not.toContain(order.id)
  })

  test('see an order that was paid for a listing that was deleted, to give the money back', async () => {
    const owner = await newOwner(service)
    const session = await ordered(owner)
    const [order] = await ordersOf(service, owner.slug)
    expect((await service.admin('DELETE', `/tools/${owner.slug}`)).status).toBe(200)
    await deliver(service, stripe.payOrder(session))
    const waiting = await ordersIn(service, '?waiting=true&limit=1000')
    const found = waiting.find(({ id }) => id === order.id)
    expect(found).toMatchObject({ state: 'paid' })
    expect((await administrator.open('/admin/orders?waiting=true')).status).toBe(200)
  })

  test('compare an order with Stripe now', async () => {
    const owner = await newOwner(service)
    stripe.payOrder(await ordered(owner))
    const [order] = await ordersOf(service, owner.slug)
    expect(order.state).toBe('open')
    const compared = await service.admin('POST', `/orders/${order.id}/compare`)
    expect(compared.body.data).toMatchObject({ id: order.id, state: 'paid' })
    expect((await service.admin('POST', '/orders/none/compare')).status).toBe(404)
  })
})

describe('the account', () => {
  test('has everything of a founder in the export, and nothing is left when it is deleted', async () => {
    const { owner, order } = await paidOwner()
    const page = `/dashboard/orders/${order.id}`
    await owner.submit(page, `${page}/questions`, { question: 'When do you begin?' })
    const draft = idOf(await begunProduct(owner, newSite()))
    const refused = idOf(await sent(owner))
    await service.admin('POST', `/reviews/${refused}`, { decision: 'refuse', reason: 'Say what it does.' })
    const unproven = await newListing(service)
    await owner.submit(`/tools/${unproven}/claim`, `/tools/${unproven}/claim`)
    await service.sql(`insert into proposals (id, tool_id, field, old_value, new_value, state, author_kind, author_id, reason, created_at)
      select 'of-${owner.id}', id, 'name', '"Old"', '"Another name"', 'waiting', 'owner', '${owner.id}', '', now() from tools where slug = '${owner.slug}'`)

    const { sections } = JSON.parse((await owner.open('/dashboard/account/export')).text)
    expect(sections.products).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: draft }),
        expect.objectContaining({ id: refused, state: 'refused', reason: 'Say what it does.' }),
      ]),
    )
    expect(sections.claims).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ tool: owner.slug, method: 'dns' }),
        expect.not.objectContaining({ method: expect.anything() }),
      ]),
    )
    expect(sections.orders).toMatchObject([{ id: order.id }])
    expect(sections.questionsAboutOrders).toMatchObject([{ content: 'When do you begin?' }])
    expect(sections.changesOfListings).toMatchObject([{ tool: owner.slug, field: 'name', new: 'Another name' }])
    const founderRows = () =>
      service.sql(`select 'product' as kind from founder_products where user_id = '${owner.id}'
        union all select 'claim' from claims where user_id = '${owner.id}'
        union all select 'order' from orders where user_id = '${owner.id}'
        union all select 'change' from proposals where author_id = '${owner.id}'
        union all select 'question' from support_conversations where external_id = 'order:${order.id}'
        order by kind`)
    const kinds = ['change', 'claim', 'claim', 'order', 'product', 'product', 'question']
    expect((await founderRows()).map(({ kind }) => kind)).toEqual(kinds)

    const deletion = '/dashboard/account/delete'
    await owner.submit(deletion, deletion, { confirm: owner.email, current: PASSWORD })
    expect(await founderRows()).toEqual([])
  })

  test('has its orders in the export, and what was paid stays without it when it is deleted', async () => {
    const { owner, order } = await paidOwner()
    const data = JSON.parse((await owner.open('/dashboard/account/export')).text)
    expect(data.sections.orders).toMatchObject([{ id: order.id, package: 'pro', state: 'paid', amount: 17_900 }])
    const second = await newListing(service)
    await service.sql(`delete from claims where tool_id in (select id from tools where slug = '${second}')`)
    await storeOwner(service, owner.id, second)
    const open = await ordered({ ...owner, slug: second })
    const page = '/dashboard/account/delete'
    await owner.submit(page, page, { confirm: owner.email, current: PASSWORD })
    await until(async () => stripe.sessions.get(open)!.status === 'expired', 20_000)
    const [kept] = await ordersOf(service, owner.slug)
    expect(kept).toMatchObject({ state: 'paid', user: null, submissionState: 'IN_QUEUE' })
  })

  test('that is deleted while a payment is on its way leaves an order that is followed to its end', async () => {
    const own = await standInStripe()
    const other = await startService(own.packageSettings, { billingMs: 100 })
    try {
      const owner = await newOwner(other)
      const session = await ordered(owner)
      await deliver(other, own.payOrder(session, { arrived: false }))
      const page = '/dashboard/account/delete'
      await owner.submit(page, page, { confirm: owner.email, current: PASSWORD })
      const customer = async () =>
        (
          await other.sql(`select closed_at, leased_until > now() + interval '1 hour' as later from billing_customers`)
        )[0]
      await until(async () => (await customer()).later === true, 20_000)
      expect((await customer()).closed_at).toBe(null)
      own.settleOrder(session, { arrived: false })
      await other.sql('update billing_customers set leased_until = now()')
      await until(async () => (await ordersOf(other, owner.slug))[0].state === 'closed', 20_000)
      await until(async () => (await customer()).closed_at !== null, 20_000)
    } finally {
      await other.close()
      await own.close()
    }
  })
})

test('orders that were not paid are deleted after 30 days, paid ones are kept', async () => {
  const { owner } = await paidOwner()
  const other = await newOwner(service)
  await deliver(service, stripe.expireOrder(await ordered(other)))
  const daysLater = (days: number) => new Date(Date.now() + days * 86_400_000)
  await forgetOld(service, daysLater(29))
  expect(await ordersOf(service, other.slug)).toHaveLength(1)
  await forgetOld(service, daysLater(31))
  expect(await ordersOf(service, other.slug)).toEqual([])
  expect(await ordersOf(service, owner.slug)).toHaveLength(1)
})

describe.each([
  { name: 'founders were switched off', settings: () => stripe.packageSettings, invoice: true },
  { name: 'founders and payments were switched off', settings: () => ({}), invoice: false },
])('what was ordered before $name', ({ settings, invoice }) => {
  const off = use(() => startService({ ...settings(), FOUNDERS: 'off' }))

  test('is shown to operators until its work begins, and to the founder', async () => {
    const operator = await signedUpAdmin(off)
    const owner = await newOwner(off)
    for (const [browser, path] of [
      [operator, '/admin/orders'],
      [owner, '/dashboard/orders'],
    ] as const)
      expect([path, (await browser.open(path)).status]).toEqual([path, 404])
    await off.sql(`insert into orders (id, user_id, tool_id, payment_type, price_id, state, created_at, updated_at, paid_at)
      select 'paid-before', '${owner.id}', id, 'pro', 'price_pro', 'paid', now(), now(), now() from tools where slug = '${owner.slug}'`)
    expect((await operator.open('/admin/orders')).text).toContain('No work')
    await until(async () => (await operator.open('/admin')).text.includes('href="/admin/orders?waiting=true"'), 10_000)
    const found = async () => messageIn(await operator.open('/admin/find?q=orders'))
    expect(await found()).toMatch(/Pages\s+Orders/)
    expect((await owner.open('/dashboard/orders')).text).toContain('Ordered')
    const page = await owner.open('/dashboard/orders/paid-before')
    expect([page.status, page.text.includes('>Invoice<')]).toEqual([200, invoice])
    await expectSound(page.text)
    await off.sql(`update orders set state = 'refunded'`)
    expect((await operator.open('/admin/orders')).status).toBe(404)
  })

  test('cannot be paid any more', async () => {
    const owner = await newOwner(off)
    await storeOpenOrder(off, owner, 'unpaid-before')
    const { text } = await owner.open('/dashboard/orders/unpaid-before')
    expect(text).toContain('This order is not paid')
    for (const words of PAYING) expect(text).not.toContain(words)
  })

  test('ends no claim: owners could not prove theirs again', async () => {
    const owner = await newOwner(off)
    const due = `'2026-01-01'`
    await off.sql(
      `update claims set next_at = ${due}, failed_at = ${due}, checked_at = ${due} where user_id = '${owner.id}'`,
    )
    await off.wake()
    await new Promise((resolve) => setTimeout(resolve, 1500))
    const [claim] = await off.sql(`select next_at = ${due} as untouched from claims where user_id = '${owner.id}'`)
    expect(claim).toEqual({ untouched: true })
  })
})

describe('without packages', () => {
  const plain = useService()

  test('nothing is sold and nothing says so', async () => {
    const owner = await newOwner(plain)
    expect((await plain.fetch('/pricing')).text).not.toContain(NEW)
    expect((await owner.open('/dashboard')).text).not.toContain('/dashboard/orders')
    expect((await plain.fetch('/submit')).text).not.toContain('orders and refunds')
  })

  test('the addresses of orders say that nothing is sold, and what to do instead', async () => {
    const owner = await newOwner(plain)
    for (const path of ['/dashboard/orders', NEW]) {
      const { status, text } = await owner.open(path)
      expect([status, text.includes('No package is sold here'), text.includes('href="/plan"')]).toEqual([
        200,
        true,
        true,
      ])
    }
  })

  test('who has ordered before still sees the order, without what needs payments', async () => {
    const owner = await newOwner(plain)
    await storeOpenOrder(plain, owner, 'open-before')
    expect((await owner.open('/dashboard/orders')).text).toContain('/dashboard/orders/open-before')
    const page = await owner.open('/dashboard/orders/open-before')
    expect(page.text).toContain('This order is not paid')
    for (const words of PAYING) expect(page.text).not.toContain(words)
    const product = messageIn(await owner.open(`/dashboard/products/${owner.slug}`))
    expect(product).toContain('This order is not paid')
    expect(product).not.toMatch(/Pay\s*:/)
  })

  test('sellers that the operator names are on /pricing and /submit, escaped', async () => {
    const sellers = [
      { name: 'Launch <b>Platform', href: 'https://launch.example.com/packages', text: 'From 30 & more', logo: null },
    ]
    expect((await plain.admin('PUT', '/site', { sellers })).status).toBe(200)
    for (const path of ['/pricing', '/submit']) {
      const { text } = await plain.fetch(path, { headers: { accept: 'text/html' } })
      for (const shown of ['Order from a partner', 'Launch &lt;b&gt;Platform', 'https://launch.example.com/packages'])
        expect(text).toContain(shown)
      await expectSound(text)
    }
    const wrong = await plain.admin('PUT', '/site', {
      sellers: [{ name: 'X', href: 'javascript:alert(1)', text: '', logo: 'https://elsewhere.example/x.png' }],
    })
    expect(wrong.body.fields.map(({ field }: { field: string }) => field)).toEqual(['sellers.0.href', 'sellers.0.logo'])
  })

  test('the console has a row for each seller, with the logo as a file, and keeps the logo until it is removed', async () => {
    const operator = await signedUpAdmin(plain)
    const SITE = '/admin/site'
    const href = 'https://launch.example.com/packages'
    await plain.admin('PUT', '/site', { sellers: [{ name: 'Launch <b>Platform', href, text: 'From 30', logo: null }] })
    const { text } = await operator.open(SITE)
    await expectSound(text)
    expect(text).toContain('name="sellers.0.name" value="Launch &lt;b&gt;Platform"')
    const save = async (changes: Record<string, string | Blob>) => {
      const form = new FormData()
      const stored = {
        ...(await plain.admin('GET', '/site')).body.data,
        ...formIn((await operator.open(SITE)).text, SITE),
      }
      for (const [name, value] of Object.entries({ ...stored, ...changes }))
        if (typeof value === 'string') form.append(name, value)
        else if (value instanceof Blob) form.append(name, value, 'logo.png')
      const { headers, status } = await fetch(plain.origin + SITE, {
        ...{ method: 'POST', body: form, redirect: 'manual' },
        headers: { cookie: operator.cookieHeader(), origin: plain.origin, 'sec-fetch-site': 'same-origin' },
      })
      expect([status, headers.get('location')]).toEqual([303, SITE])
      return (await plain.admin('GET', '/site')).body.data.sellers
    }
    const first = { 'sellers.0.name': 'One', 'sellers.0.href': 'https://one.example.com', 'sellers.0.text': '' }
    const second = { 'sellers.1.name': 'Two', 'sellers.1.href': 'https://two.example.com', 'sellers.1.text': 'Calls' }
    const logo = new Blob([
      await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    ])
    const both = await save({ ...first, ...second, 'sellers.1.logo.file': logo })
    expect(both).toEqual([
      { name: 'One', href: 'https://one.example.com', text: '', logo: null },
      { name: 'Two', href: 'https://two.example.com', text: 'Calls', logo: expect.stringContaining('/media/') },
    ])
    expect(await save({ ...first, ...second })).toEqual(both)
    const preview = (await operator.open(SITE)).text.split('data-preview')[1]
    expect(preview).toContain('Two')
    expect(await save({ 'sellers.0.name': '', ...second, 'sellers.1.logo.remove': 'true' })).toEqual([
      { ...both[1], logo: null },
    ])
  })
})
