// The pages of the paid plan, in the dashboard, the console and the site, and their absence without the settings.
// @module-tag once
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { examineOpenCustomers, examinePayments } from '../../src/operating/doctor/payments.ts'
import { auditOf, deliver, planOfKey } from '../harness/billing.ts'
import { type Browser, PASSWORD, signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { expectSound } from '../harness/html.ts'
import { signedIn } from '../harness/oauth.ts'
import { until } from '../harness/process.ts'
import { startService } from '../harness/service.ts'
import { DAY, standInStripe } from '../harness/stripe.ts'
import { use, useService } from '../harness/use.ts'

let user: Browser & { email: string }
let administrator: Browser
const stripe = use(standInStripe)
const service = use(() => startService(stripe.settings, { billingMs: 100 }))
beforeAll(async () => {
  user = await signedUp(service)
  administrator = await signedUpAdmin(service)
})
afterEach(() => stripe.setFault(null))

const PLAN = '/dashboard/plan'

describe('the page of the plan', () => {
  test('says in a sentence that the price cannot be read while Stripe is away, and the same on the site', async () => {
    stripe.setFault(500)
    const page = await user.open(PLAN)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('The price cannot be read at the moment')])
    expect((await service.fetch('/developers')).text).toContain('The price cannot be shown at the moment')
    const reply = await user.submit(PLAN, `${PLAN}/checkout`)
    expect([reply.status, reply.headers.get('location')]).toEqual([303, PLAN])
    expect((await user.open(PLAN)).text).toContain('The payment service cannot be reached at the moment')
  })

  test('refuses a form of another page', async () => {
    expect((await user.post(`${PLAN}/checkout`, { token: 'wrong' })).status).toBe(403)
    expect((await user.post(`${PLAN}/portal`, {})).status).toBe(403)
    expect((await service.fetch(`${PLAN}/checkout`, { method: 'POST' })).status).not.toBe(200)
  })

  test('leads to the checkout, back, and to Manage billing', async () => {
    const before = (await user.open(PLAN)).text
    expect(before).toContain('Upgrade')
    expect(before).not.toContain('Manage billing')
    const reply = await user.submit(PLAN, `${PLAN}/checkout`)
    expect(reply.status).toBe(303)
    const address = reply.headers.get('location')!
    expect(address).toMatch(/^https:\/\/checkout\.stripe\.com\/c\/pay\/cs_test_/)
    const asked = stripe.requests.find(({ method, path }) => method === 'POST' && path === '/v1/checkout/sessions')!
    expect(asked.form.get('success_url')).toBe(`${service.origin}${PLAN}?checkout=done`)
    stripe.pay(address.split('/').at(-1)!)
    const back = await user.open(`${PLAN}?checkout=done`)
    expect(back.text).toContain('Thank you. You have Premium.')
    expect(back.text).toContain('It renews by itself until you cancel it')
    expect(back.text).not.toContain(`action="${PLAN}/checkout"`)
    expect(back.headers.get('content-security-policy')).toContain("form-action 'self' https:;")
    await expectSound(back.text)
    const portal = await user.submit(PLAN, `${PLAN}/portal`)
    expect(portal.headers.get('location')).toMatch(/^https:\/\/billing\.stripe\.com\//)
  })

  test('says until when Premium stays after a cancellation and when payments fail', async () => {
    const [subscription] = [...stripe.subscriptions.values()]
    await deliver(service, stripe.cancelAtEnd(subscription!.id))
    expect((await user.open(PLAN)).text).toContain('Your subscription is cancelled. Premium stays until')
    stripe.resume(subscription!.id)
    await deliver(service, stripe.setStatus(subscription!.id, 'past_due'))
    expect((await user.open(PLAN)).text).toContain('The last payment failed. Premium stays for 7 days')
    await deliver(service, stripe.setStatus(subscription!.id, 'active'))
  })

  test('says that there is nothing to pay for a plan that an administrator granted', async () => {
    const granted = await signedUp(service)
    const { id } = await userNamed(service, granted.email)
    await service.admin('PATCH', `/users/${id}`, { plan: 'premium' })
    const page = (await granted.open(PLAN)).text
    expect(page).toContain('there is nothing to pay')
    expect(page).not.toContain('Upgrade')
  })
})

describe('operators', () => {
  test('see who pays, since when, and the page at Stripe', async () => {
    const [subscription] = [...stripe.subscriptions.values()]
    const link = `https://dashboard.stripe.com/test/customers/${subscription!.customer}`
    const page = (await administrator.open('/admin/subscriptions')).text
    for (const text of [user.email, link, 'Active']) expect(page).toContain(text)
    await expectSound(page)
    const { id } = await userNamed(service, user.email)
    const ofUser = (await administrator.open(`/admin/users/${id}`)).text
    await expectSound(ofUser)
    expect(ofUser).toContain(link)
    const action = `/admin/users/${id}/compare-subscriptions`
    expect((await administrator.submit(`/admin/users/${id}`, action)).status).toBe(303)
    const [row] = (await service.admin('GET', '/subscriptions?paying=true')).body.data
    expect(row).toMatchObject({ owner: user.email, url: link, failing: false })
  })

  test('are told by the doctor what the price is and whether Stripe sends its events', async () => {
    const examined = async () =>
      (await examinePayments(readConfig({ ...stripe.settings, PUBLIC_URL: 'https://catalog.example.com' }))).map(
        ({ state, says }) => `${state}: ${says}`,
      )
    expect(await examined()).toEqual([
      'ok: Stripe answers, and Premium costs $9 a month.',
      expect.stringContaining('warning: No webhook endpoint at Stripe'),
    ])
    const url = 'https://catalog.example.com/api/stripe/webhook'
    stripe.endpoints.push({ url, status: 'enabled', enabled_events: ['invoice.paid'] })
    stripe.price.unit_amount = 1250
    expect(await examined()).toEqual([
      'warning: Stripe answers, and Premium costs $12.50 a month.',
      expect.stringContaining('does not get checkout.session.completed'),
    ])
    stripe.price.unit_amount = 900
    stripe.endpoints[0]!.enabled_events = ['*']
    expect((await examined())[1]).toContain('ok: Stripe sends its events')
    stripe.setFault(401)
    const [refused] = await examined()
    expect(refused).toContain('problem: The price cannot be read')
    expect(refused).not.toContain('****')
  })
})

test('an app that the user signed in to follows the plan, also when it ends', async () => {
  const app = await signedIn(service, { browser: user })
  expect(await planOfKey(service, app.token)).toBe('premium')
  const [subscription] = [...stripe.subscriptions.values()]
  const { end } = subscription!.period
  subscription!.period.end -= 60 * DAY
  stripe.invoices[0]!.period.end -= 60 * DAY
  await deliver(service, stripe.resume(subscription!.id))
  expect(await planOfKey(service, app.token)).toBe('standard')
  subscription!.period.end = end
  stripe.invoices[0]!.period.end = end
  await deliver(service, stripe.resume(subscription!.id))
  expect(await planOfKey(service, app.token)).toBe('premium')
})

test('deleting the account cancels the subscription', async () => {
  const page = '/dashboard/account/delete'
  expect((await user.open(page)).text).toContain('A subscription is cancelled at once')
  const [subscription] = [...stripe.subscriptions.values()]
  expect((await user.submit(page, page, { current: PASSWORD, confirm: user.email })).status).toBe(303)
  await until(() => subscription!.status === 'canceled', 10_000)
  const listed = async () => (await service.admin('GET', '/subscriptions')).body.data[0]
  await until(async () => (await listed()).status === 'canceled', 10_000)
  expect(await listed()).toMatchObject({ owner: null, userId: null })
})

describe('without the settings', () => {
  const plain = useService({}, { billingMs: 100 })

  /** A user who bought Premium while the settings were set. */
  async function formerPayer() {
    const { email } = await signedUp(plain)
    const { id } = await userNamed(plain, email)
    await plain.sql(`insert into billing_customers (id, user_id, created_at) values ('cus_${id}', '${id}', now())`)
    await plain.sql(`insert into billing_subscriptions
      (id, customer_id, status, price_id, ended_by_failure, refunded, premium_until, created_at, updated_at)
      values ('sub_${id}', 'cus_${id}', 'active', 'price_1', false, false, now() + interval '1 day', now(), now())`)
    await plain.sql(`update users set paid_plan = 'premium' where id = '${id}'`)
    return { id, plan: async (): Promise<string> => (await userNamed(plain, email)).plan }
  }
  const letPeriodsEnd = () => plain.sql(`update billing_subscriptions set premium_until = now() - interval '1 day'`)

  test('no page says that one can pay, and there is no address for it', async () => {
    const browser = await signedUp(plain)
    expect((await browser.open(PLAN)).status).toBe(404)
    expect((await browser.open('/dashboard')).text).not.toContain(PLAN)
    expect((await plain.fetch('/developers')).text).toContain('Ask the operator of this service.')
    expect((await plain.fetch('/api/stripe/webhook', { method: 'POST', body: {} })).status).toBe(404)
    expect((await plain.admin('GET', '/subscriptions')).body.data).toEqual([])
    const { id } = await userNamed(plain, browser.email)
    expect((await plain.admin('POST', `/users/${id}/compare-subscriptions`)).status).toBe(400)
  })

  test('Premium still ends when the paid period is over, and the doctor warns of who may still be charged', async () => {
    const warnings = () =>
      examineOpenCustomers(readConfig({}), async (statement) => ({ rows: await plain.sql(statement) }) as never)
    expect(await warnings()).toEqual([])
    const payer = await formerPayer()
    expect(await warnings()).toMatchObject([{ state: 'warning', says: expect.stringContaining('1 customer may') }])
    expect(await payer.plan()).toBe('premium')
    await letPeriodsEnd()
    await until(async () => (await payer.plan()) === 'standard', 10_000)
    expect(await auditOf(plain, payer.id)).toContain('billing.plan standard')
    await plain.sql('update billing_subscriptions set ended_at = now()')
    expect(await warnings()).toEqual([])
  })

  test('a user whose plan cannot be ended does not stop the others', async () => {
    const [stuck, other] = [await formerPayer(), await formerPayer()].sort((a, b) => (a.id < b.id ? -1 : 1))
    await plain.sql(`create function refuse() returns trigger language plpgsql as 'begin raise ''refused''; end'`)
    await plain.sql(`create trigger refuse before update on users for each row
      when (old.id = '${stuck!.id}') execute function refuse()`)
    await letPeriodsEnd()
    await until(async () => (await other!.plan()) === 'standard', 10_000)
    expect(await stuck!.plan()).toBe('premium')
    await plain.sql('drop trigger refuse on users')
    await until(async () => (await stuck!.plan()) === 'standard', 10_000)
  })
})
