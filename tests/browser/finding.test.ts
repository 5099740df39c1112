// The search in the head while typing, the shortlist and the API reference, in a real browser, by keyboard.
// @module-tag long
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Browser, PASSWORD, signedUp } from '../harness/browser.ts'
import { horizontalOverflow, launchChromium, PHONE, type Visit, violations, visitor } from '../harness/chromium.ts'
import { populateCatalog } from '../harness/page-list.ts'
import { use, useService } from '../harness/use.ts'

// Globals of the functions that run inside the page.
declare const document: any
declare const localStorage: any
declare const sessionStorage: any

const service = useService()
beforeAll(() => populateCatalog(service))
const browser = use(launchChromium)

let visit: Visit
beforeEach(async () => {
  visit = await visitor(browser, service.origin)
})
afterEach(async () => {
  expect(visit.problems).toEqual([])
  await visit.context.close()
})

/** The addresses that the page asks for from now on. */
const requestsOf = (page: Page, path: string): string[] => {
  const asked: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === path) asked.push(request.url())
  })
  return asked
}

describe('the search in the head', () => {
  test('shows both catalogs while typing, with one request after a pause, and is worked by keyboard', async () => {
    const { page } = visit
    await page.goto('/developers')
    const asked = requestsOf(page, '/search/suggestions')
    await page.keyboard.press('/')
    const field = page.getByRole('combobox', { name: 'Search both catalogs' })
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true)
    await page.keyboard.type('wombat', { delay: 40 })
    const options = page.getByRole('option')
    await expect.poll(() => options.count()).toBeGreaterThan(2)
    expect(asked).toHaveLength(1)
    expect(await field.getAttribute('aria-expanded')).toBe('true')
    expect(await page.locator('.head-search [role=status]').innerText()).toMatch(/tools? and \d+ director/)
    expect(await violations(page)).toEqual([])
    // Down to the first, up to the field and on to the last, which leads to all results.
    await page.keyboard.press('ArrowDown')
    expect(await field.getAttribute('aria-activedescendant')).toBe('head-option-0')
    await page.keyboard.press('ArrowUp')
    expect(await field.getAttribute('aria-activedescendant')).toBeNull()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?q=wombat')
    // Back keeps the page; Escape closes, and words that were typed before need no request.
    await page.goBack()
    await field.fill('')
    await field.pressSequentially('wombat')
    await expect.poll(() => options.count()).toBeGreaterThan(2)
    await page.keyboard.press('Escape')
    expect(await field.getAttribute('aria-expanded')).toBe('false')
  })
})

test('a visitor puts listings on the shortlist, sees the count everywhere, shares the address and takes one off', async () => {
  const { page } = visit
  await page.goto('/tools?q=wombat')
  const first = page.locator('.entry .keep').first()
  const name = (await first.getAttribute('aria-label'))!
  await first.focus()
  await page.keyboard.press('Enter')
  expect(await first.getAttribute('aria-pressed')).toBe('true')
  await page.goto('/directories/launch-list')
  await page.getByRole('button', { name: 'Shortlist Launch List' }).click()
  expect(await violations(page)).toEqual([])
  await page.getByRole('link', { name: 'Shortlist (2)' }).click()
  await expect.poll(() => new URL(page.url()).search).toMatch(/^\?tools=[a-z0-9-]+&directories=launch-list$/)
  const address = page.url()
  await expect.poll(() => page.getByRole('button', { name }).getAttribute('aria-pressed')).toBe('true')
  // Another browser, which keeps nothing, sees the same list.
  const other = await visitor(browser, service.origin, { javaScript: false })
  await other.page.goto(address)
  expect(await other.page.locator('main h3').count()).toBe(2)
  await other.context.close()
  await page.getByRole('button', { name }).click()
  await page.goto('/shortlist')
  await expect.poll(() => new URL(page.url()).search).toBe('?directories=launch-list')
  await page.setViewportSize(PHONE)
  expect(await horizontalOverflow(page)).toBe(0)
})

test('the shortlist of one user does not enter the account of the next one in the same browser', async () => {
  const { page } = visit
  const [one, other] = [await signedUp(service), await signedUp(service)]
  const signIn = async ({ email }: { email: string }) => {
    await page.goto('/sign-in')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/\/dashboard/)
    await page.goto('/directories/launch-list')
    await expect.poll(() => page.evaluate(() => localStorage.getItem('signed-in'))).toBe('joined')
  }
  const savedBy = async (user: Browser) => (await user.open('/dashboard/saved/shortlist.json')).body.directories
  const keep = page.getByRole('button', { name: 'Shortlist Launch List' })
  await signIn(one)
  await keep.click()
  await expect.poll(() => savedBy(one)).toEqual(['launch-list'])
  await page.goto('/dashboard')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('shortlist'))).toBe(null)
  await signIn(other)
  expect(await keep.getAttribute('aria-pressed')).toBe('false')
  await page.goto('/shortlist')
  expect(await savedBy(other)).toEqual([])
  expect(await savedBy(one)).toEqual(['launch-list'])
})

describe('the API reference', () => {
  test('finds operations, fields and events by words', async () => {
    const { page } = visit
    await page.goto('/docs')
    await page.getByRole('searchbox', { name: 'Search the reference' }).fill('includeadult tools')
    const shown = page.locator('[data-filter] li:visible')
    await expect.poll(() => shown.allInnerTexts()).toEqual(['Search AI tools', 'Most opened AI tools'])
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/search_tools')
  })

  test('calls the service with the reader’s key, shows the answer as text, and keeps the key nowhere', async () => {
    await service.load([
      { kind: 'tool', slug: 'markup', name: '<img src=x onerror=alert(1)>', website: 'https://m.example.com' },
    ])
    const { key } = await service.newKey()
    const { page, context } = visit
    await page.goto('/docs/get_tool')
    await page.getByLabel('API key').fill(key)
    await page.getByLabel('slug (required)').fill('markup')
    await page.getByRole('button', { name: 'Send request' }).click()
    await expect.poll(() => page.locator('[data-try] [data-state]').innerText()).toMatch(/^200 .*\d+ ms$/)
    expect(await page.locator('[data-body]').innerText()).toContain('<img src=x onerror=alert(1)>')
    expect(await page.locator('[data-headers]').innerText()).toMatch(/x-ratelimit-remaining: \d+/)
    expect(await violations(page)).toEqual([])
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    )
    expect(kept).not.toContain(key)
    expect(page.url()).not.toContain(key)
    expect(JSON.stringify(await context.storageState())).not.toContain(key)
    // A wrong key, and one that no header can carry.
    await page.getByLabel('API key').fill('aid_wrong')
    await page.getByRole('button', { name: 'Send request' }).click()
    await expect.poll(() => page.locator('[data-try] [data-state]').innerText()).toMatch(/^401/)
    await page.getByLabel('API key').fill('ключ')
    await page.getByRole('button', { name: 'Send request' }).click()
    await expect.poll(() => page.locator('[data-try] [data-state]').innerText()).toContain('did not get through')
    // Back from another page: the field is empty.
    await page.getByLabel('API key').fill(key)
    await page.goto('/docs/errors')
    await page.goBack()
    expect(await page.getByLabel('API key').inputValue()).toBe('')
  })

  test('shows one operation at a time on a phone, without sideways scrolling', async () => {
    const { page } = visit
    await page.setViewportSize(PHONE)
    for (const path of ['/docs', '/docs/submit_ai_tool', '/docs/errors']) {
      await page.goto(path)
      expect([path, await horizontalOverflow(page)]).toEqual([path, 0])
    }
    await page.goto('/docs/search_tools')
    expect(await page.locator('[data-filter]').isVisible()).toBe(false)
    await page.getByText('All operations').click()
    await page.getByRole('link', { name: 'Most opened AI tools', exact: true }).click()
    await page.waitForURL('**/docs/get_top_tools')
  })

  test('shows one example at a time, whole, also without a script', async () => {
    const without = await browser.newContext({ javaScriptEnabled: false, baseURL: service.origin, viewport: PHONE })
    const page = await without.newPage()
    for (const path of ['/docs/search_tools', '/developers', '/developers/webhooks']) {
      await page.goto(path)
      const shown = page.locator('.code-tabs figure:visible')
      const before = await shown.first().innerText()
      await page.locator('.code-tabs label').nth(1).click()
      expect(await shown.first().innerText()).not.toBe(before)
      const cut = await page
        .locator('.code section:visible')
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length)
      expect([path, cut]).toEqual([path, 0])
    }
    await without.close()
  })
})
