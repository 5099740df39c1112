// @module-tag long
// Four journeys with their clicks counted; those of an administrator are in console-journeys, that of a founder in founders.
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { newAddress, PASSWORD, signedUp, userNamed } from '../harness/browser.ts'
import { launchChromium, type Visit, visitor } from '../harness/chromium.ts'
import { button, type Hand, handOf, link } from '../harness/hand.ts'
import { populateCatalog } from '../harness/page-list.ts'
import { newTool } from '../harness/submissions.ts'
import { use, useService } from '../harness/use.ts'

// A global of the functions that run inside the page.
declare const navigator: any

const service = useService()
beforeAll(() => populateCatalog(service))
const browser = use(launchChromium)

let visit: Visit
let hand: Hand
beforeEach(async () => {
  visit = await visitor(browser, service.origin)
  await visit.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
  hand = handOf(visit)
})
afterEach(async () => {
  expect(visit.problems).toEqual([])
  await visit.context.close()
})

const copied = () => hand.page.evaluate(() => navigator.clipboard.readText())

test('from a sentence to the site of a tool: 2 clicks', async () => {
  const { page } = hand
  await page.route('**/tools/*/visit', (route) => route.fulfill({ body: 'The site of the tool.' }))
  await page.goto('/')
  await page
    .getByRole('searchbox', { name: 'Search tools and directories' })
    .pressSequentially('free wombat tools for writing')
  await hand.click(page.locator('#results h3 a').first())
  await page.waitForURL(/\/tools\//)
  await hand.click(link(hand, 'Visit website').first())
  await page.waitForURL('**/visit')
  expect(hand.clicks).toBe(2)
})

test('from the list of directories to a plan of two of them as a file: 6 clicks', async () => {
  const { page } = hand
  await page.goto('/')
  await hand.click(page.getByRole('navigation').getByRole('link', { name: 'Directories', exact: true }).first())
  await page.waitForURL('**/directories')
  for (const at of [0, 1]) await hand.click(page.getByRole('button', { name: /^Shortlist / }).nth(at))
  await hand.click(link(hand, 'Shortlist (2)'))
  await hand.click(link(hand, 'Make a plan of them'))
  expect(await page.locator('.step').count()).toBe(2)
  const file = page.waitForEvent('download')
  await hand.click(link(hand, 'Checklist as CSV'))
  expect((await file).suggestedFilename()).toMatch(/\.csv$/)
  expect(hand.clicks).toBe(6)
})

test('from the home page to a key and a command that works with it: 6 clicks', async () => {
  const { page } = hand
  await page.goto('/')
  await hand.click(link(hand, 'Sign in').first())
  await hand.click(link(hand, 'Sign up'))
  await page.getByLabel('E-mail address').fill(newAddress())
  await page.getByLabel('Password').fill(PASSWORD)
  await hand.click(button(hand, 'Make the account'))
  await hand.click(page.getByLabel('I agree to the acceptable-use policy'))
  await hand.click(button(hand, 'Make a key'))
  await hand.click(button(hand, /^Copy ?: curl/))
  await expect.poll(copied).toContain('curl')
  const [, key] = /Bearer (\w+)/.exec(await copied()) ?? []
  const [, address] = /"(http[^"]+)"/.exec(await copied()) ?? []
  expect((await service.fetch(new URL(`${address}`).pathname, { key })).status).toBe(200)
  expect(hand.clicks).toBe(6)
})

test('from signing in to the first submission of a partner’s test key: 3 clicks', async () => {
  const { page } = hand
  const { id } = await service.newPartner({ name: 'Launchpad' })
  const { email } = await signedUp(service)
  await service.admin('PATCH', `/users/${(await userNamed(service, email)).id}`, { partner: id })
  await page.goto('/sign-in')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await hand.click(button(hand, 'Sign in'))
  await hand.click(button(hand, 'Make a test key'))
  await hand.click(button(hand, /^Cop.* the key$/))
  await expect.poll(copied).toMatch(/^aid_/)
  const sent = await service.rest('/submit-ai-tool', {
    method: 'POST',
    key: await copied(),
    body: newTool({ name: 'First Try', paymentType: 'starter' }),
  })
  expect(sent.status).toBe(201)
  expect(hand.clicks).toBe(3)
})
