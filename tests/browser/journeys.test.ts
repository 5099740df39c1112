// @module-tag long
// Journeys by keyboard alone, without a script, and in other time zones. npm run test:browser. Work on a submission by keyboard
// is in bench.test.ts, without a script in administrator.test.ts; a key without a script in developer.test.ts.
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newAddress, PASSWORD, signedUp } from '../harness/browser.ts'
import { launchChromium, type Visit, visitor } from '../harness/chromium.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { use, useService } from '../harness/use.ts'

// Globals of the functions that run inside the page.
declare const document: any

const service = useService()
beforeAll(async () => {
  // Pictures on other hosts are not part of this test.
  await service.load(
    FIXTURE.map((line) => ({ ...line, ...('icon' in line && 'website' in line ? { icon: null } : {}) })),
  )
})
const browser = use(launchChromium)

let visit: Visit
afterEach(async () => {
  expect(visit.problems).toEqual([])
  await visit.context.close()
})

const names = (page: Page): Promise<string[]> => page.locator('#results .entry h3').allInnerTexts()

/** What the focused element is called. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement
    const label = element.labels?.[0]?.innerText ?? element.getAttribute('aria-label') ?? element.innerText
    return `${label ?? ''}`.replaceAll(/\s+/g, ' ').trim()
  })

/** Presses Tab until the element with this name has the focus, and checks that its outline is visible. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab')
    const now = await focused(page)
    if (typeof name === 'string' ? now === name : name.test(now)) {
      const outline = await page.evaluate(() => getComputedStyleOf(document.activeElement))
      expect(outline, `${now} shows no focus`).not.toBe('none')
      return
    }
  }
  throw new Error(`Tab never reaches ${name}`)
}
declare const getComputedStyleOf: (element: unknown) => string

describe('by keyboard alone', () => {
  beforeEach(async () => {
    visit = await visitor(browser, service.origin)
    await visit.page.addInitScript(() => {
      const global = globalThis as any
      // A box that is drawn by its label has the outline there.
      global.getComputedStyleOf = (element: any) =>
        [element, ...(element.labels ?? []), element.closest('label, .search')]
          .filter(Boolean)
          .map((one: any) => global.getComputedStyle(one).outlineStyle)
          .find((style: string) => style !== 'none') ?? 'none'
    })
  })

  test('a visitor skips to the content, searches, opens a result and goes back', async () => {
    const { page } = visit
    await page.goto('/')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('/')
    await page.keyboard.type('wombat')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/search\?.*q=wombat/)
    await tabTo(page, 'Wombat Desk')
    await page.keyboard.press('Enter')
    await page.waitForURL('/tools/wombat-desk')
    await page.goBack()
    await page.waitForURL(/\/search\?.*q=wombat/)
  })

  test('a visitor filters a list and clears the filters', async () => {
    const { page } = visit
    await page.goto('/tools')
    await tabTo(page, /^Paid/)
    await page.keyboard.press('Space')
    await expect.poll(() => page.url(), { timeout: 10_000 }).toContain('pricing%5B%5D=PAID')
    await expect.poll(() => page.locator('#results .badge').allInnerTexts()).not.toContain('Free')
    await tabTo(page, 'Clear all filters')
    await page.keyboard.press('Enter')
    await page.waitForURL('/tools')
  })

  test('a visitor chooses two tools and compares them', async () => {
    const { page } = visit
    await page.goto('/tools?q=wombat')
    await tabTo(page, /^Compare/)
    await page.keyboard.press('Space')
    await tabTo(page, /^Compare/)
    await page.keyboard.press('Space')
    await tabTo(page, 'Compare')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/compare\?/)
    expect(await page.locator('.cmp thead th[scope=col] .who').count()).toBe(2)
    await tabTo(page, 'Only what differs')
    await page.keyboard.press('Space')
    expect(await page.locator('.cmp tr.same:visible').count()).toBe(0)
  })

  test('a developer signs up and makes a key', async () => {
    const { page } = visit
    await page.goto('/sign-up')
    await tabTo(page, 'E-mail address')
    await page.keyboard.type(newAddress())
    await tabTo(page, 'Password')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForURL('/dashboard')
    await tabTo(page, 'Name')
    await page.keyboard.type('By keyboard')
    await tabTo(page, /^I agree/)
    await page.keyboard.press('Space')
    await tabTo(page, 'Make a key')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your new key' }).waitFor()
  })
})

describe('without a script', () => {
  beforeEach(async () => {
    visit = await visitor(browser, service.origin, { javaScript: false, phone: true })
  })

  test('a visitor sorts and compares tools', async () => {
    const { page } = visit
    await page.goto('/tools?q=wombat')
    await page.getByLabel('Sort by').selectOption('newest')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.waitForURL(/sort=newest/)
    expect((await names(page)).length).toBeGreaterThan(1)
    await page.locator('#results input[type=checkbox]').nth(0).check()
    await page.locator('#results input[type=checkbox]').nth(1).check()
    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    await page.waitForURL(/\/compare\?/)
    expect(await page.locator('.cmp thead th[scope=col] .who').count()).toBe(2)
    await page.getByLabel('Only what differs').check()
    expect(await page.locator('.cmp tr.same:visible').count()).toBe(0)
  })

  test('a visitor filters and sorts directories', async () => {
    const { page } = visit
    await page.goto('/directories')
    await page.getByRole('link', { name: /^Filters/ }).click()
    await page.locator('#facet-cost-free').check()
    await page.getByRole('button', { name: /^Show \d+ directories/ }).click()
    await page.waitForURL(/cost.*=Free/)
    expect(await page.locator('#facet-cost-free').isChecked()).toBe(true)
  })
})

describe('a time', () => {
  test.each([
    ['UTC', true, /^2026-\d\d-\d\d \d\d:\d\d UTC$/],
    ['Asia/Kolkata', true, /^2026-\d\d-\d\d \d\d:\d\d GMT\+5:30$/],
    ['Asia/Kolkata', false, /^2026-\d\d-\d\d \d\d:\d\d UTC$/],
  ])('for a reader in %s, with a script: %s', async (timeZone, javaScript, expected) => {
    const { cookies, email } = await signedUp(service)
    await service.newKey('standard', email)
    visit = await visitor(browser, service.origin, { cookies, timeZone, javaScript })
    await visit.page.goto('/dashboard')
    const shown = (await visit.page.locator('time').first().innerText()).replace(/^20\d\d/, '2026')
    expect(shown).toMatch(expected)
  })
})
