// A developer signs up, makes a key, uses it, sees its usage and revokes it; gets premium; is banned.
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newAddress, PASSWORD, userNamed } from '../harness/browser.ts'
import {
  horizontalOverflow,
  launchChromium,
  type Visit,
  type VisitOptions,
  violations,
  visitor,
} from '../harness/chromium.ts'
import { use, useService } from '../harness/use.ts'

// Globals of the functions that run inside the page.
declare const document: any
declare const navigator: any

const service = useService()
beforeAll(() => service.load([{ kind: 'tag', slug: 'api', name: 'API' }]))
const browser = use(launchChromium)

let visit: Visit
afterEach(async () => {
  expect(visit.problems).toEqual([])
  await visit.context.close()
})

const begin =
  (options: VisitOptions = {}) =>
  async () => {
    visit = await visitor(browser, service.origin, options)
    await visit.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.origin })
  }

/** From the front page to a dashboard without a key. */
async function signUp(page: Page): Promise<string> {
  const email = newAddress()
  await page.goto('/')
  // Narrow screens have all links in one menu.
  const menu = page.locator('summary[aria-label="Menu"]')
  const isNarrow = await menu.isVisible()
  if (isNarrow) await menu.click()
  const links = page.getByRole('navigation', { name: isNarrow ? 'Menu' : 'Account', exact: true })
  await links.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Sign up' }).click()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Make the account' }).click()
  await page.waitForURL('/dashboard')
  expect(await page.getByText('No key yet').isVisible()).toBe(true)
  return email
}

const KEY = /^aid_[0-9A-Za-z]{38}$/
const shownKey = (page: Page) => page.locator('.copyable code').filter({ hasText: /^aid_/ })

async function makeKey(page: Page, name: string): Promise<string> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('I agree to the acceptable-use policy').check()
  await page.getByRole('button', { name: 'Make a key' }).click()
  await page.getByRole('heading', { name: 'Your new key' }).waitFor()
  const key = await shownKey(page).innerText()
  expect(key).toMatch(KEY)
  return key
}

/** Waits until the dashboard shows the calls, which the service writes every few seconds. */
async function seesCalls(page: Page, calls: number): Promise<void> {
  const chart = page.getByRole('img', { name: 'Calls a day, REST and MCP' })
  await expect
    .poll(
      async () => {
        await page.goto('/dashboard/usage')
        return chart.getAttribute('aria-label')
      },
      { timeout: 20_000, interval: 500 },
    )
    .toMatch(new RegExp(`Peak ${calls}: Today\\.$`))
  // The chart draws the calls too.
  const bar = await chart.locator('rect.first').last().boundingBox()
  expect(bar!.height).toBeGreaterThan(10)
}

async function revokes(page: Page, name: string): Promise<void> {
  await page.goto('/dashboard')
  await page.getByRole('link', { name: `Revoke ${name}` }).click()
  await page.getByRole('heading', { name: 'Revoke this key?' }).waitFor()
  await page.getByRole('button', { name: 'Revoke the key' }).click()
  await page.waitForURL('/dashboard')
  expect(await page.getByRole('status').filter({ hasText: /\S/ }).first().innerText()).toContain('The key is revoked.')
}

describe.each([
  ['on a desktop', { phone: false }],
  ['on a phone', { phone: true }],
])('%s, with a script', (_where, options) => {
  beforeEach(begin(options))

  test('signs up, agrees, makes a key, copies it, calls, sees the call in the chart, revokes it and gets 401', async () => {
    const { page } = visit
    await signUp(page)
    // Unless the developer agrees, the browser does not send the form.
    await page.getByRole('button', { name: 'Make a key' }).click()
    expect(await page.getByLabel('I agree').evaluate((box: any) => box.validity.valueMissing)).toBe(true)
    const key = await makeKey(page, 'Production')
    expect(await horizontalOverflow(page)).toBe(0)
    expect(await violations(page)).toEqual([])
    const copy = page.getByRole('button', { name: /^Cop.* the key$/ })
    const width = (await copy.boundingBox())!.width
    await copy.click()
    await expect.poll(() => copy.innerText()).toMatch(/^Copied/)
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
    // The example beside the key is complete: it can be pasted and run.
    await page.getByRole('button', { name: /^Copy ?: curl/ }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(`Bearer ${key}`)
    expect((await service.rest('/tags', { key })).status).toBe(200)
    expect((await service.rest('/tools', { key })).status).toBe(200)
    // The button returns to its normal state.
    await expect.poll(async () => (await copy.boundingBox())!.width, { timeout: 5_000 }).toBe(width)
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.waitForURL('/dashboard')
    expect(await page.content()).not.toContain(key)
    await seesCalls(page, 2)
    await revokes(page, 'Production')
    expect((await service.rest('/tags', { key })).status).toBe(401)
    await page.getByText('Revoked keys (1)').click()
    expect(await page.getByRole('table', { name: 'Revoked keys' }).getByText('Production').isVisible()).toBe(true)
  })

  test('a double click makes one new key, and its page stays', async () => {
    const { page } = visit
    await signUp(page)
    const old = await makeKey(page, 'Twice')
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.getByRole('link', { name: 'Replace Twice' }).click()
    await page.getByRole('button', { name: 'Make the new key' }).dblclick({ noWaitAfter: true })
    await page.getByRole('heading', { name: 'Your new key' }).waitFor()
    await page.waitForTimeout(300)
    const key = await shownKey(page).innerText()
    expect([key === old, (await service.rest('/tags', { key })).status]).toEqual([false, 200])
  })

  test('a key is not shown again after leaving the page and going back', async () => {
    const { page } = visit
    const email = await signUp(page)
    const key = await makeKey(page, 'Once')
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.waitForURL('/dashboard')
    await page.goBack({ waitUntil: 'commit' }).catch(() => {})
    await expect.poll(() => page.evaluate(() => document.readyState)).toBe('complete')
    expect(await page.evaluate(() => document.documentElement.innerText)).not.toContain(key)
    const { data } = (await service.admin('GET', '/keys?limit=1000')).body
    expect(data.filter(({ owner }: { owner: string }) => owner === email)).toHaveLength(1)
    visit.problems.length = 0
  })
})

describe.each([
  ['on a desktop', { phone: false }],
  ['on a phone', { phone: true }],
])('%s, without a script', (_where, options) => {
  beforeEach(begin({ ...options, javaScript: false }))

  test('the same; the developer copies a key by selecting it, and no button is shown that needs a script', async () => {
    const { page } = visit
    await signUp(page)
    const key = await makeKey(page, 'Plain')
    expect(await page.locator('[data-copy]').count()).toBeGreaterThan(0)
    expect(await page.locator('[data-copy]:visible').count()).toBe(0)
    // A double click selects the whole key and nothing beside it.
    await shownKey(page).dblclick()
    expect((await selection(page)).trim()).toBe(key)
    expect((await service.rest('/tags', { key })).status).toBe(200)
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.waitForURL('/dashboard')
    await seesCalls(page, 1)
    await revokes(page, 'Plain')
    expect((await service.rest('/tags', { key })).status).toBe(401)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('/sign-in')
    expect(await page.getByRole('status').innerText()).toContain('You are signed out.')
  })
})

/** The selected text, read through the browser because the page runs no script. */
async function selection(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', { expression: 'String(getSelection())' })
  await session.detach()
  return String(result.value)
}

describe('premium', () => {
  beforeEach(begin())

  test('granted by the operator: the headers of the next call show it, and the dashboard too', async () => {
    const { page } = visit
    const email = await signUp(page)
    const key = await makeKey(page, 'Grows')
    await page.goto('/dashboard')
    const figure = (label: string) => page.locator('.figures div', { hasText: label }).locator('dd').innerText()
    const limit = async () => Number((await service.rest('/tags', { key })).headers.get('x-ratelimit-limit'))
    // Budgets are a thousand times larger in tests; the dashboard shows the real one.
    expect([await limit(), await figure('Plan'), await figure('REST calls'), await figure('MCP calls')]).toEqual([
      10_000,
      'Standard',
      '10',
      '30',
    ])
    const { id } = await userNamed(service, email)
    await service.admin('PATCH', `/users/${id}`, { plan: 'premium' })
    expect(await limit()).toBe(60_000)
    await page.reload()
    expect([await figure('Plan'), await figure('REST calls'), await figure('MCP calls')]).toEqual([
      'Premium',
      '60',
      '120',
    ])
    expect(await page.getByRole('table', { name: 'Live keys' }).getByText('premium').isVisible()).toBe(true)
  })
})

describe('a ban', () => {
  beforeEach(begin())

  test('signs the user out at once, disables the key, and the sign-in page says why it refuses', async () => {
    const { page } = visit
    const email = await signUp(page)
    const key = await makeKey(page, 'Doomed')
    await page.goto('/dashboard')
    expect((await service.rest('/tags', { key })).status).toBe(200)
    const { id } = await userNamed(service, email)
    await service.admin('PATCH', `/users/${id}`, { banned: true })
    expect((await service.rest('/tags', { key })).status).toBe(401)
    // A form that was already open does nothing any more.
    await page.getByLabel('I agree').check()
    await page.getByRole('button', { name: 'Make a key' }).click()
    await page.waitForURL('/sign-in?next=%2Fdashboard')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').innerText()).toMatch(/banned/)
    const { data } = (await service.admin('GET', '/keys?limit=1000')).body
    expect(data.filter((row: { owner: string }) => row.owner === email)).toHaveLength(1)
    await page.goto('/dashboard')
    expect(new URL(page.url()).pathname).toBe('/sign-in')
  })
})
