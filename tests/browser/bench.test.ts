// An administrator works directories on the bench by keyboard alone, and prints time and keystrokes; two administrators see
// each other's rows; on a phone the first row is on the first screen.
// @module-tag long
import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { BENCH_CATALOG, benchSubmission } from '../harness/bench.ts'
import { signedUpAdmin } from '../harness/browser.ts'
import { horizontalOverflow, launchChromium, type Visit, violations, visitor } from '../harness/chromium.ts'
import { use, useService } from '../harness/use.ts'

// Globals of the functions that run inside the page.
declare const document: any

/** BENCH_ROWS=100 for a hundred directories. */
const ROWS = Number(process.env.BENCH_ROWS ?? 10)

const service = useService()
beforeAll(() => service.load(BENCH_CATALOG))
const browser = use(launchChromium)

const visits: Visit[] = []
afterEach(async () => {
  for (const visit of visits.splice(0)) {
    expect(visit.problems).toEqual([])
    await visit.context.close()
  }
})

async function administrator(): Promise<Page> {
  const { cookies } = await signedUpAdmin(service)
  const visit = await visitor(browser, service.origin, { cookies })
  visits.push(visit)
  visit.page.setDefaultTimeout(20_000)
  return visit.page
}

const current = (page: Page) => page.locator('#kit').getAttribute('data-slug')
/** Set BENCH_PICTURES to a folder to look at the page. */
const picture = async (page: Page, name: string) => {
  const folder = process.env.BENCH_PICTURES
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name}.png` })
}

test('directories are recorded by keyboard alone, with at most 4 keystrokes each', {
  timeout: 600_000,
}, async () => {
  const work = await benchSubmission(service)
  const page = await administrator()
  await page.context().route('https://*.example.org/**', (route) => route.fulfill({ body: 'A form.' }))
  await page.goto(`/admin/submissions/${work.id}`)
  let keystrokes = 0
  const press = async (key: string) => {
    keystrokes++
    await page.keyboard.press(key)
  }
  const began = performance.now()
  for (let i = 0; i < ROWS; i++) {
    const slug = await current(page)
    // The form opens in a new tab, where the administrator pastes and which is then closed.
    const opening = page.context().waitForEvent('page')
    await press('o')
    await (await opening).close()
    await press('3')
    await page.keyboard.insertText(`https://${slug}.example.org/acme`)
    await press('Enter')
    await expect
      .poll(() => page.locator('#kit').getAttribute('data-last'), { timeout: 20_000, interval: 10 })
      .toBe(slug)
  }
  const seconds = (performance.now() - began) / 1000
  console.log(
    `bench: ${ROWS} rows in ${seconds.toFixed(1)} s, ${(seconds / ROWS).toFixed(2)} s and ${keystrokes / ROWS} keystrokes a row beside pasting`,
  )
  expect(keystrokes / ROWS).toBeLessThanOrEqual(4)
  const done = (await service.admin('GET', `/submissions/${work.id}`)).body.data
  expect(done).toMatchObject({ state: 'IN_PROGRESS', submittedCount: ROWS })
  for (const { slug, listingUrl } of done.submissions) expect(listingUrl).toBe(`https://${slug}.example.org/acme`)
  expect(await page.locator('#work-progress').innerText()).toContain(`${ROWS} of 100`)
  expect(await page.locator('.bench-rows i').allInnerTexts()).toEqual(Array(ROWS).fill('entered'))
})

test('j, k, skip, undo, search and help work by keyboard, and a refused address keeps the text', async () => {
  const work = await benchSubmission(service)
  const page = await administrator()
  await page.goto(`/admin/submissions/${work.id}`)
  const slugs = await page
    .locator('.bench-rows a')
    .evaluateAll((links: any[]) => links.map((link) => new URL(link.href).searchParams.get('directory')))
  const keys = async (...pressed: string[]) => {
    for (const key of pressed) await page.keyboard.press(key)
  }
  const isAt = (index: number) => expect.poll(() => current(page), { timeout: 10_000 }).toBe(slugs[index])
  await isAt(0)
  await keys('j')
  await isAt(1)
  await keys('k')
  await isAt(0)
  await keys('s')
  await page.keyboard.type('refused')
  await keys('Enter')
  await isAt(1)
  expect(await page.locator('.bench-rows li').first().innerText()).toContain('skipped')
  await keys('u')
  await isAt(0)
  await expect.poll(() => page.locator('.bench-rows li').first().innerText()).not.toContain('skipped')
  await page.keyboard.type('https://127.0.0.1/x')
  await keys('Enter')
  await page.locator('#kit .error').waitFor()
  expect(await page.locator('#kit input[name=listingUrl]').inputValue()).toBe('https://127.0.0.1/x')
  await page.locator('#kit input[name=listingUrl]').fill('')
  await keys('?')
  expect(await page.locator('#keys').isVisible()).toBe(true)
  expect(await violations(page)).toEqual([])
  await keys('/')
  // A name with three digits is part of no other name.
  const sought = slugs.findIndex((slug, i) => i > 9 && /-\d{3}$/.test(`${slug}`))
  await page.keyboard.type(`${slugs[sought]}`.replaceAll('-', ' ').replace('startup ', ''))
  await keys('Enter')
  await isAt(sought)
})

test('one key says what the directory waits for', async () => {
  const work = await benchSubmission(service)
  const page = await administrator()
  await page.goto(`/admin/submissions/${work.id}`)
  const slug = await current(page)
  for (const key of ['e', 'Enter']) await page.keyboard.press(key)
  await expect.poll(() => page.locator('#kit').getAttribute('data-last'), { timeout: 20_000 }).toBe(slug)
  const [row] = (await service.admin('GET', `/submissions/${work.id}`)).body.data.submissions
  expect(row).toMatchObject({ slug, isSubmitted: true, waitingFor: 'founder', reason: 'e-mail-to-confirm' })
  expect(await violations(page)).toEqual([])
  await picture(page, 'waits')
})

test('a text that is not sent yet is kept while another directory is looked at, and single keys can be turned off', async () => {
  const work = await benchSubmission(service)
  const page = await administrator()
  await page.goto(`/admin/submissions/${work.id}`)
  const [slug, listing] = [await current(page), page.locator('#kit input[name=listingUrl]')]
  await page.keyboard.type('https://half.example.org')
  for (const key of ['Escape', 'j']) await page.keyboard.press(key)
  await expect.poll(() => current(page), { timeout: 10_000 }).not.toBe(slug)
  expect(await listing.inputValue()).toBe('')
  await page.keyboard.press('k')
  await expect.poll(() => current(page), { timeout: 10_000 }).toBe(slug)
  expect(await listing.inputValue()).toBe('https://half.example.org')
  // Also what is typed while the answer is on its way.
  const answer = page.waitForResponse((one) => one.url().includes(`directory=${slug}`))
  await page.locator('.bench-rows a[aria-current]').click()
  await listing.fill('https://early.example.org')
  await answer
  await page.waitForTimeout(300)
  expect(await listing.inputValue()).toBe('https://early.example.org')
  await page.getByRole('button', { name: 'Keyboard' }).click()
  await page.locator('[data-keys-switch]').uncheck()
  await page.reload()
  await page.locator('h1').click()
  await page.keyboard.press('j')
  await page.waitForTimeout(500)
  expect(await current(page)).toBe(slug)
})

test('two administrators on one submission see each other’s rows, and the second cannot overwrite the first', async () => {
  const work = await benchSubmission(service)
  const [one, other] = [await administrator(), await administrator()]
  for (const page of [one, other]) await page.goto(`/admin/submissions/${work.id}`)
  const slug = await current(one)
  await one.locator('#kit input[name=listingUrl]').fill(`https://${slug}.example.org/first`)
  await one.keyboard.press('Enter')
  await expect.poll(() => current(one)).not.toBe(slug)
  await other.bringToFront()
  await expect.poll(() => other.locator('.bench-rows li').first().innerText(), { timeout: 10_000 }).toContain('entered')
  // One that is not in the plan appears, too.
  const { left } = (await service.admin('GET', `/submissions/${work.id}/plan`)).body.data
  const outside = left.find((one: any) => one.slug.startsWith('startup')).slug
  await service.admin('PUT', `/submissions/${work.id}/directories/${outside}`, { isSubmitted: true })
  await expect
    .poll(() => other.locator('.bench-rows li').last().innerText(), { timeout: 10_000 })
    .toMatch(/^Startup Directory \d+\s+entered$/)
  await other.locator('#kit input[name=listingUrl]').fill(`https://${slug}.example.org/second`)
  await other.keyboard.press('Enter')
  await other.getByText('There is a record of').waitFor()
  const rows = (await service.admin('GET', `/submissions/${work.id}`)).body.data.submissions
  expect(rows.find((row: any) => row.slug === slug).listingUrl).toBe(`https://${slug}.example.org/first`)
})

test.each([
  [390, 844],
  [1280, 900],
])('at %i pixels the first row is on the first screen and nothing scrolls sideways', async (width, height) => {
  const work = await benchSubmission(service)
  const page = await administrator()
  await page.setViewportSize({ width, height })
  await page.goto(`/admin/submissions/${work.id}?show=all`)
  const bottom = await page
    .locator('.bench-rows li')
    .first()
    .evaluate((row: any) => row.getBoundingClientRect().bottom)
  const form = await page.locator('#kit').evaluate((kit: any) => kit.getBoundingClientRect().top)
  console.log(
    `bench at ${width}: first row ends at ${Math.round(bottom)} of ${height}, kit begins at ${Math.round(form)}`,
  )
  await picture(page, `bench-${width}`)
  expect(bottom).toBeLessThan(height)
  expect(await horizontalOverflow(page)).toBe(0)
  expect(await page.evaluate(() => document.querySelectorAll('.bench-rows li').length)).toBeGreaterThan(300)
})
