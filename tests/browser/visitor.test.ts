// A visitor finds a tool and clicks through to its site, with scripts and without, on a desktop and on a phone.
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { horizontalOverflow, launchChromium, type Visit, visitor } from '../harness/chromium.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { startReceiver } from '../harness/receiver.ts'
import { use, useService } from '../harness/use.ts'

// Globals of the functions that run inside the page.
declare const document: any

// Burrow first: it has the tag Wombat, which the question names.
const WOMBATS = ['Burrow', 'Wombat Desk', 'Page Turner', 'Plain Notes']
const SITE = 'http://burrow.example/start'

// The sites of all tools are on this server.
const world = use(startReceiver)
const service = useService()
beforeAll(async () => {
  // Pictures on other hosts are not part of this test.
  await service.load(
    FIXTURE.map((line) => ({ ...line, ...('icon' in line && 'website' in line ? { icon: null } : {}) })),
  )
  await service.load([
    { kind: 'tool', slug: 'burrow', name: 'Burrow', website: SITE, tags: ['wombat'], category: 'code', opens: 800 },
  ])
})
const browser = use(() => launchChromium({ worldPort: world.port }))

const opens = async (): Promise<number> => (await service.rest('/tools/burrow')).body.data.opens
const names = (page: Page): Promise<string[]> => page.locator('#results :is(.entry, .hit) h3 a').allInnerTexts()

/** The last step of each journey. */
async function clicksThrough({ page, problems }: Visit): Promise<void> {
  await expect.poll(() => page.getByRole('heading', { level: 1 }).innerText()).toBe('Burrow')
  expect(await horizontalOverflow(page)).toBe(0)
  const before = world.arrivals.length
  expect(problems).toEqual([])
  await page.getByRole('link', { name: 'Visit website' }).click()
  await page.waitForURL(SITE)
  const [arrival] = world.arrivals.slice(before)
  expect([arrival!.headers.host, arrival!.path]).toEqual(['burrow.example', '/start'])
  // The site receives the origin of its visitor and nothing more.
  expect(arrival!.headers.referer).toBe(`${service.origin}/`)
  expect(arrival!.headers.cookie).toBeUndefined()
  // A visitor is counted once, however often they click.
  await expect.poll(opens, { timeout: 10_000 }).toBe(801)
}

describe.each([
  ['on a desktop', false],
  ['on a phone', true],
])('%s, with a script', (_where, phone) => {
  let visit: Visit
  beforeEach(async () => {
    visit = await visitor(browser, service.origin, { phone })
  })
  afterEach(() => visit.context.close())

  test('types on the home page, sees results below while typing, opens one and clicks through', async () => {
    const { page, problems } = visit
    await page.goto('/')
    const search = page.getByRole('searchbox', { name: 'Search tools and directories' })
    await search.pressSequentially('womb')
    await expect.poll(() => names(page), { timeout: 10_000 }).toContain('Burrow')
    expect((await names(page))[0]).toBe('Wombat Desk')
    // The home page stays open, and the search field keeps its words.
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/')
    expect(await search.evaluate((input) => input === document.activeElement)).toBe(true)
    expect(await page.getByRole('search').getByRole('status').innerText()).toBe('4 tools and 0 directories found')
    expect(await horizontalOverflow(page)).toBe(0)
    await search.pressSequentially('atz')
    await expect.poll(() => page.locator('#results').textContent(), { timeout: 10_000 }).toContain('“wombatz”')
    await search.fill('')
    await expect.poll(() => names(page), { timeout: 10_000 }).toEqual([])
    await search.fill('wombat')
    await page.locator('#results').getByRole('link', { name: 'Burrow', exact: true }).click()
    expect(problems).toEqual([])
    await clicksThrough(visit)
  })

  test('filters the list, gets a URL that can be shared, and clears the filters', async () => {
    const { page, context, problems } = visit
    await page.goto('/tools?q=wombat')
    expect(await names(page)).toEqual(WOMBATS)
    if (phone) await page.getByRole('link', { name: /^Filters/ }).click()
    await page.locator('#facet-category-code').focus()
    await page.locator('#facet-category-code').check()
    await expect.poll(() => names(page), { timeout: 10_000 }).toEqual(['Burrow'])
    await expect.poll(() => page.url()).toBe(`${service.origin}/tools?q=wombat&category%5B%5D=code`)
    // The counts of the other filters follow, and the box keeps the focus.
    const boxes = page.getByRole('group', { name: 'Pricing' })
    expect(await boxes.locator('label').allTextContents()).toEqual(['Free 1', 'Freemium 0', 'Paid 0'])
    expect(await boxes.getByLabel('Paid').isDisabled()).toBe(true)
    expect(await page.locator('#facet-category-code').isChecked()).toBe(true)
    expect(await page.locator('#facet-category-code').evaluate((box) => box === document.activeElement)).toBe(true)
    if (phone) await page.getByRole('link', { name: 'Close the filters' }).click()
    await page.getByRole('searchbox').fill('nosuchthing')
    await expect.poll(() => page.locator('#results').innerText(), { timeout: 10_000 }).toContain('mentions nosuchthing')
    expect(await page.getByRole('searchbox').evaluate((input) => input === document.activeElement)).toBe(true)
    await page.getByRole('searchbox').fill('wombat')
    await expect.poll(() => names(page), { timeout: 10_000 }).toEqual(['Burrow'])
    const friend = await context.newPage()
    await friend.goto(page.url())
    expect(await names(friend)).toEqual(['Burrow'])
    expect(await friend.locator('#facet-category-code').isChecked()).toBe(true)
    await friend.getByRole('link', { name: 'Clear all filters' }).click()
    await friend.waitForURL('/tools')
    await expect.poll(() => names(friend)).toHaveLength(20)
    expect(problems).toEqual([])
  })

  test('going back from a listing leads to the earlier results', async () => {
    const { page } = visit
    await page.goto('/tools')
    await page.getByRole('searchbox').fill('burrow')
    await expect.poll(() => names(page), { timeout: 10_000 }).toEqual(['Burrow'])
    await page.getByRole('link', { name: 'Burrow' }).click()
    await page.waitForURL('/tools/burrow')
    await page.goBack()
    await expect.poll(() => names(page), { timeout: 10_000 }).toEqual(['Burrow'])
    expect(await page.getByRole('searchbox').inputValue()).toBe('burrow')
  })
})

describe.each([
  ['on a desktop', false],
  ['on a phone', true],
])('%s, without a script', (_where, phone) => {
  let visit: Visit
  beforeEach(async () => {
    visit = await visitor(browser, service.origin, { phone, javaScript: false })
  })
  afterEach(() => visit.context.close())

  test('searches from the home page, filters, opens a tool and clicks through', async () => {
    const { page } = visit
    await page.goto('/')
    await page.getByRole('searchbox', { name: 'Search tools and directories' }).fill('wombat')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL(({ pathname, searchParams }) => pathname === '/search' && searchParams.get('q') === 'wombat')
    expect(await names(page)).toEqual(expect.arrayContaining(WOMBATS))
    await page.getByRole('link', { name: 'All filters' }).click()
    await page.waitForURL('/tools?q=wombat')
    expect(await names(page)).toEqual(WOMBATS)
    if (phone) await page.getByRole('link', { name: /^Filters/ }).click()
    await page.locator('#facet-category-code').check()
    await page.getByRole('button', { name: /^Show \d+ tools/ }).click()
    await expect.poll(() => names(page)).toEqual(['Burrow'])
    expect(new URL(page.url()).searchParams.get('category[]')).toBe('code')
    expect(await page.locator('#facet-category-code').isChecked()).toBe(true)
    await page.getByRole('link', { name: 'Burrow', exact: true }).click()
    await clicksThrough(visit)
  })

  test('pages through the list', async () => {
    const { page } = visit
    await page.goto('/tools')
    const first = await names(page)
    await page.getByRole('navigation', { name: 'Pages of tools' }).getByRole('link', { name: /next/i }).click()
    await page.waitForURL('/tools?page=2')
    const second = await names(page)
    expect(second.length).toBeGreaterThan(0)
    expect(first.filter((name) => second.includes(name))).toEqual([])
  })
})
