// The pages of the paid plan, which exist only with the settings: axe finds no violation and nothing scrolls horizontally.
// @module-tag long
import type { Browser as Chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deliver } from '../harness/billing.ts'
import { type Browser, signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { launchChromium } from '../harness/chromium.ts'
import { inspect } from '../harness/inspect.ts'
import { startService, type TestService } from '../harness/service.ts'
import { type StandIn, standInStripe } from '../harness/stripe.ts'

let stripe: StandIn
let service: TestService
let browser: Chromium
let newUser: Browser
let payer: Browser & { email: string }
let administrator: Browser
beforeAll(async () => {
  stripe = await standInStripe()
  service = await startService(stripe.settings)
  newUser = await signedUp(service)
  payer = await signedUp(service)
  administrator = await signedUpAdmin(service)
  const reply = await payer.submit('/dashboard/plan', '/dashboard/plan/checkout')
  const [subscription, events] = stripe.pay(reply.headers.get('location')!.split('/').at(-1)!)
  await deliver(service, [...events, ...stripe.cancelAtEnd(subscription.id)])
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await service?.close()
  await stripe?.close()
})

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
