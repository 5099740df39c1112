// @module-tag long
// Two journeys of an administrator with their clicks counted: twenty submissions in a row, and a site in colours of its own.
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { BENCH_CATALOG } from '../harness/bench.ts'
import { signedUpAdmin } from '../harness/browser.ts'
import { horizontalOverflow, launchChromium, type Visit, violations, visitor } from '../harness/chromium.ts'
import { type Hand, handOf } from '../harness/hand.ts'
import { submitted } from '../harness/submissions.ts'
import { use, useService } from '../harness/use.ts'

// Globals of the functions that run inside the page.
declare const document: any
declare const getComputedStyle: any

const SUBMISSIONS = 20

const service = useService()
let key: string
beforeAll(async () => {
  await service.load(BENCH_CATALOG)
  key = (await service.newPartner({ name: 'Journeys' })).key
})
const browser = use(launchChromium)

let visit: Visit
let hand: Hand
afterEach(async () => {
  expect(visit.problems).toEqual([])
  await visit.context.close()
})

async function administrator(phone = false): Promise<Page> {
  const { cookies } = await signedUpAdmin(service)
  visit = await visitor(browser, service.origin, { cookies, phone })
  hand = handOf(visit)
  return visit.page
}

const inMenu = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: new RegExp(`^${name}`) })

test('twenty submissions in a row: assigned at once, each entered and done, in at most two clicks each', {
  timeout: 600_000,
}, async () => {
  for (let i = 0; i < SUBMISSIONS; i++)
    await submitted(service, key, {
      name: `Product ${i}`,
      website: `https://p${i}.example.com`,
      paymentType: 'starter',
    })
  const page = await administrator()
  await page.goto('/admin')
  await hand.click(inMenu(page, 'Submissions'))
  const change = page.getByRole('button', { name: 'Change chosen' })
  expect(await change.isDisabled()).toBe(true)
  await hand.click(page.getByLabel('Choose all on this page'))
  expect(await change.isDisabled()).toBe(false)
  await page.getByLabel('Assign to').fill('me')
  await page.keyboard.press('Enter')
  await page.getByText(`${SUBMISSIONS} of ${SUBMISSIONS} changed.`).waitFor()
  await hand.click(page.locator('tbody th a').first())
  for (let i = 0; i < SUBMISSIONS; i++) {
    const slug = await page.locator('#kit').getAttribute('data-slug')
    await page.keyboard.insertText(`https://${slug}.example.org/product`)
    await page.keyboard.press('Enter')
    await page.locator(`#kit[data-last="${slug}"]`).waitFor()
    await hand.click(page.getByRole('link', { name: /^Mark as done/ }))
    await hand.click(page.getByRole('button', { name: 'Finish and open the next' }))
    await page.waitForURL(i === SUBMISSIONS - 1 ? '/admin/submissions' : /\/admin\/submissions\/[\w-]+$/)
  }
  console.log(`${SUBMISSIONS} submissions in a row: ${hand.clicks} clicks`)
  expect(hand.clicks).toBeLessThanOrEqual(2 * SUBMISSIONS + 3)
  const done = (await service.admin('GET', '/submissions?state=DONE')).body.data
  expect(done.map(({ submittedCount }: any) => submittedCount)).toEqual(Array(SUBMISSIONS).fill(1))
})

test('a site in colours of its own: the page follows at once, says what is wrong, and everything is saved', async () => {
  const page = await administrator()
  const brand = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--spruce'))
  await page.goto('/admin')
  const before = await brand()
  await hand.click(inMenu(page, 'Site'))
  const colour = page.getByLabel('Accent colour', { exact: true })
  await colour.fill('#12')
  await page.locator('#field-accentColor-error').waitFor()
  await hand.click(page.getByRole('button', { name: 'Ocean' }))
  await expect.poll(brand).not.toBe(before)
  await expect.poll(() => page.locator('#field-accentColor-error').count()).toBe(0)
  await page.getByLabel('Name', { exact: true }).fill('Acme Tools')
  await page.getByRole('complementary', { name: 'Preview' }).getByText('Acme Tools').first().waitFor()
  await page.getByLabel('Navigation').fill('Tools | /tools\nShop | https://shop.example.com')
  await page.getByLabel('Tags').fill('1')
  await page.getByLabel('Title of the social card').fill('Tools for acrobats')
  expect(await violations(page)).toEqual([])
  await hand.click(page.getByRole('button', { name: 'Save', exact: true }))
  await page.getByText('Saved. Every page shows it now.').waitFor()
  console.log(`a site in colours of its own: ${hand.clicks} clicks`)
  expect(hand.clicks).toBe(3)
  const { data } = (await service.admin('GET', '/site')).body
  expect(data).toMatchObject({ name: 'Acme Tools', socialCard: { title: 'Tools for acrobats' } })
  expect(data.navigation).toHaveLength(2)
  await page.goto('/')
  expect(await brand()).not.toBe(before)
})

test('on a phone the board is a list by state, and the rows of lists are low', async () => {
  await submitted(service, key, { name: 'On the board', paymentType: 'starter' })
  const page = await administrator(true)
  await page.goto('/admin/submissions?view=board')
  const board = page.getByRole('region', { name: 'Submissions by state' })
  expect(await board.evaluate((box: any) => box.scrollWidth - box.clientWidth)).toBe(0)
  const shown = await board
    .getByRole('heading', { level: 2 })
    .evaluateAll((headings: any[]) =>
      headings
        .toSorted((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
        .map((one) => one.innerText),
    )
  expect(shown[0]).toContain('In queue')
  // The states keep their order; what waits for a package is shown only where something does.
  expect(shown.at(-1)).toContain('Done lately')
  await page.goto('/admin/directories')
  const heights = await page.locator('tbody tr').evaluateAll((rows: any[]) => rows.map((row) => row.offsetHeight))
  expect(Math.max(...heights)).toBeLessThan(120)
  expect(await horizontalOverflow(page)).toBe(0)
})
