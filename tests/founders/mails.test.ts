// Where mail is set up, founders are told what was decided about a product or a proposal, that ordered work is done, and that a proof was
// not found or a claim has ended.
// @module-tag slow
import { beforeAll, expect, test } from 'vitest'
import { startOrder } from '../../src/features/billing/orders/start.ts'
import { deliver, newPayer } from '../harness/billing.ts'
import { userNamed } from '../harness/browser.ts'
import { storeOwner, storeWaiting } from '../harness/founders.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { newListing, ordersOf, sessionIn } from '../harness/orders.ts'
import { startService } from '../harness/service.ts'
import { standInStripe } from '../harness/stripe.ts'
import { SUBMISSION_CATALOG } from '../harness/submissions.ts'
import { use } from '../harness/use.ts'

const EMAIL = 'founder@example.com'
const mail = use(startMailServer)
// The names of the products do not exist, and DNS says so.
const hostNames = { addressesOf: async () => [], textsOf: async () => [], aliasesOf: async () => [] }
const stripe = use(standInStripe)
const service = use(() =>
  startService({ ...stripe.packageSettings, SMTP_URL: mail.url, MAIL_FROM: 'catalog@example.com' }, { hostNames }),
)
let userId: string
beforeAll(async () => {
  await service.load([
    ...SUBMISSION_CATALOG,
    { kind: 'tool', slug: 'lost', name: 'Lost', website: 'https://lost.invalid', published: true },
    { kind: 'tool', slug: 'kept', name: 'Kept', website: 'https://kept.invalid', published: true },
    { kind: 'tool', slug: 'failing', name: 'Failing', website: 'https://failing.invalid', published: true },
  ])
  await service.newKey('standard', EMAIL)
  userId = (await userNamed(service, EMAIL)).id
})

const mailWith = async (text: string) => {
  await expect.poll(() => mail.mails.filter((one) => one.text.includes(text)).length, { timeout: 20_000 }).toBe(1)
  return mail.mails.find((one) => one.text.includes(text))!
}

test('an accepted product is told with the address of its listing', async () => {
  await storeWaiting(service, userId, 'good', 'Good Notes')
  await service.admin('POST', '/reviews/good', { decision: 'accept' })
  expect((await mailWith('was accepted')).text).toContain(`${service.origin}/tools/good-notes`)
})

test('a refused product is told with the reason', async () => {
  await storeWaiting(service, userId, 'poor', 'Poor Notes')
  await service.admin('POST', '/reviews/poor', { decision: 'refuse', reason: 'Say what it does.' })
  expect((await mailWith('was not accepted')).text).toContain('Say what it does.')
})

test('an owner is told what was decided about a proposal, and why', async () => {
  await storeOwner(service, userId, 'kept')
  for (const [field, value] of [
    ['name', 'Keeper'],
    ['category', 'image-making'],
  ])
    await service.sql(`insert into proposals (id, tool_id, author_kind, author_id, field, old_value, new_value, state, reason, created_at)
      select '${field}', id, 'owner', '${userId}', '${field}', 'null', '"${value}"', 'waiting', '', now() from tools where slug = 'kept'`)
  await service.admin('POST', '/proposals/name', { decision: 'refuse', reason: 'Too close to another.' })
  const refused = await mailWith('“name” of “Kept”')
  expect(refused.to).toEqual([EMAIL])
  expect(refused.text).toContain('has refused it')
  expect(refused.text).toContain('Too close to another.')
  expect(refused.text).toContain(`${service.origin}/dashboard/products/kept`)
  await service.admin('POST', '/proposals/category', { decision: 'accept' })
  await service.admin('POST', '/proposals/category', { decision: 'accept' })
  expect((await mailWith('“category” of “Kept”')).text).toContain('has accepted it')
})

test('a founder is told once that the work of an order is done', async () => {
  const { id, email, ctx } = await newPayer(service)
  const slug = await newListing(service)
  await storeOwner(service, id, slug)
  await deliver(service, stripe.payOrder(sessionIn(await startOrder(ctx, slug, 'pro'))))
  const [order] = await ordersOf(service, slug)
  for (let i = 0; i < 2; i++) await service.admin('POST', `/submissions/${order.submissionId}/done`, {})
  const { text, to } = await mailWith('The package that you ordered')
  expect(to).toEqual([email])
  expect(text).toContain(order.tool.name)
  expect(text).toContain(`${service.origin}/dashboard/orders/${order.id}`)
})

test('an owner whose proof was not found is told at the first time how to repair it, once', async () => {
  await storeOwner(service, userId, 'failing', 'null', `now() - interval '1 second'`)
  await service.wake()
  const { text, to } = await mailWith('was not found any more')
  expect(to).toEqual([EMAIL])
  expect(text).toContain('The DNS entry was not found.')
  expect(text).toContain(`${service.origin}/tools/failing/claim`)
  expect(text).not.toContain('catalog-verify=')
  await service.sql(`update claims set next_at = now() - interval '1 second' where id = 'owner-failing'`)
  await service.wake()
  await expect
    .poll(
      async () =>
        (await service.sql(`select next_at > now() as later from claims where id = 'owner-failing'`))[0].later,
    )
    .toBe(true)
  await mailWith('was not found any more')
})

test('an owner whose proof was not found twice is told', async () => {
  await storeOwner(service, userId, 'lost', `now() - interval '8 days'`, `now() - interval '1 second'`)
  await service.wake()
  expect((await mailWith('no longer owns')).to).toEqual([EMAIL])
  expect((await service.admin('GET', '/owners?tool=lost')).body.data).toEqual([])
})
