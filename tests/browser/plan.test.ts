// The pages of the paid plan, which exist only with the settings: axe finds no violation and nothing scrolls horizontally.
// @module-tag long
import { beforeAll, expect, test } from 'vitest'
import { deliver } from '../harness/billing.ts'
import { type Browser, signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { launchChromium } from '../harness/chromium.ts'
import { inspect } from '../harness/inspect.ts'
import { newOwner, ordered, ordersOf, submissionsOf } from '../harness/orders.ts'
import { startService } from '../harness/service.ts'
import { standInStripe } from '../harness/stripe.ts'
import { SUBMISSION_CATALOG } from '../harness/submissions.ts'
import { use } from '../harness/use.ts'

let newUser: Browser
let payer: Browser & { email: string }
let administrator: Browser
const stripe = use(standInStripe)
const service = use(() => startService(stripe.packageSettings))
beforeAll(async () => {
  newUser = await signedUp(service)
  payer = await signedUp(service)
  administrator = await signedUpAdmin(service)
  const reply = await payer.submit('/dashboard/plan', '/dashboard/plan/checkout')
  const [subscription, events] = stripe.pay(reply.headers.get('location')!.split('/').at(-1)!)
  await deliver(service, [...events, ...stripe.cancelAtEnd(subscription.id)])
})
const browser = use(launchChromium)

test('the pages of the paid plan are valid in light and dark mode, on a desktop and on a phone', {
  timeout: 300_000,
}, async () => {
  const { id } = await userNamed(service, payer.email)
  const look = (paths: string[], { cookies }: Browser) => inspect(browser, service.origin, paths, { cookies })
  expect(await look(['/dashboard/plan', '/developers'], newUser)).toEqual([])
  expect(await look(['/dashboard/plan', '/dashboard/plan?checkout=done', '/dashboard/account/delete'], payer)).toEqual(
    [],
  )
  expect(await look(['/admin/subscriptions', `/admin/users/${id}`], administrator)).toEqual([])
})

test('the pages of orders are valid, too', { timeout: 300_000 }, async () => {
  await service.load(SUBMISSION_CATALOG)
  const owner = await newOwner(service)
  const look = (paths: string[], { cookies }: Browser) => inspect(browser, service.origin, paths, { cookies })
  expect(await look(['/pricing', '/submit', '/dashboard/orders/new?package=pro', '/dashboard/orders'], owner)).toEqual(
    [],
  )
  await deliver(service, stripe.payOrder(await ordered(owner)))
  const [order] = await ordersOf(service, owner.slug)
  const [submission] = await submissionsOf(service, owner.slug)
  const listingUrl = 'https://peak.example.org/ordered'
  await service.admin('PUT', `/submissions/${submission.id}/directories/peak`, { isSubmitted: true, listingUrl })
  const page = `/dashboard/orders/${order.id}`
  await owner.submit(page, `${page}/questions`, { question: 'When do you begin?' })
  expect(await look([page, '/dashboard/orders', '/dashboard/orders/new', '/dashboard/products'], owner)).toEqual([])
  expect(await look(['/admin/orders', '/admin/orders?waiting=true'], administrator)).toEqual([])
  expect(await look(['/dashboard/orders/new'], newUser)).toEqual([])
})
