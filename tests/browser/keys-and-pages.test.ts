// Keys of the console, passwords on request, contents of forms, pictures that open, the printed plan and tiles in lists, in a real browser.
// @module-tag long
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { userNamed } from '../harness/browser.ts'
import { launchChromium, type Visit, visitor } from '../harness/chromium.ts'
import { storeWaiting } from '../harness/founders.ts'
import { type PopulatedService, populateService } from '../harness/page-list.ts'
import { submitted } from '../harness/submissions.ts'
import { use, useService } from '../harness/use.ts'

// Globals of the functions that run inside the page.
declare const document: any
declare const getComputedStyle: any

const service = useService()
let populated: PopulatedService
beforeAll(async () => {
  populated = await populateService(service)
  const [user] = (await service.admin('GET', '/users?limit=1')).body.data
  const { id } = await userNamed(service, user.email)
  for (const name of ['One', 'Other']) await storeWaiting(service, id, `keys-${name.toLowerCase()}`, `${name} Notes`)
})
const browser = use(launchChromium)

let visit: Visit
afterEach(async () => {
  expect(visit.problems).toEqual([])
  await visit.context.close()
})
async function open(path: string, by?: 'administrator'): Promise<Page> {
  visit = await visitor(browser, service.origin, by ? { cookies: populated[by].cookies } : {})
  visit.page.setDefaultTimeout(20_000)
  await visit.page.goto(path)
  return visit.page
}
const focusedName = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.name ?? '')

describe('in the console', () => {
  test.each(['Meta', 'Control'])('%s and K open the page that finds', async (modifier) => {
    const page = await open('/admin/partners', 'administrator')
    await page.keyboard.press(`${modifier}+k`)
    await page.waitForURL('**/admin/find#field-q')
    await expect.poll(() => focusedName(page)).toBe('q')
  })

  test.each(['Meta', 'Control'])('%s and Enter send a reply to a question', async (modifier) => {
    const page = await open(`/admin/support/${populated.known.support}`, 'administrator')
    const reply = `Sent with ${modifier} and Enter.`
    await page.getByLabel('Reply', { exact: true }).fill(reply)
    await page.keyboard.press('Enter')
    await page.keyboard.press(`${modifier}+Enter`)
    await expect
      .poll(async () => {
        const { text } = await populated.administrator.open(`/admin/support/${populated.known.support}`)
        return text.includes(reply)
      })
      .toBe(true)
  })

  test('keys lead through the reviews and focus the decision, and none of them decides', async () => {
    const page = await open('/admin/reviews/keys-one', 'administrator')
    await page.keyboard.press('a')
    expect(await page.evaluate(() => document.activeElement.textContent)).toMatch(/^Accept/)
    await page.keyboard.press('r')
    await expect.poll(() => focusedName(page)).toBe('usual')
    await page.keyboard.press('Escape')
    const [next, previous] = await Promise.all(
      ['j', 'k'].map((key) =>
        page
          .locator(`[data-press="${key}"]`)
          .getAttribute('href', { timeout: 500 })
          .catch(() => null),
      ),
    )
    const [key, back] = next ? ['j', 'k'] : ['k', 'j']
    await page.keyboard.press(key)
    await page.waitForURL(`**${next ?? previous}`)
    await page.keyboard.press(back)
    await page.waitForURL('**/admin/reviews/keys-one')
    await page.keyboard.press('?')
    await page.locator('#keys').waitFor({ state: 'visible' })
    await page.keyboard.press('Escape')
    await page.keyboard.press('p')
    await page.waitForURL('**/admin/reviews/keys-one/preview')
    expect((await service.sql(`select state from founder_products where id = 'keys-one'`))[0].state).toBe('waiting')
  })

  test('keys lead through the table of submissions, choose one and press the button of its row', async () => {
    const { key, id } = await service.newPartner({ name: 'Keys' })
    for (const name of ['Older', 'Newer']) await submitted(service, key, { name, paymentType: 'starter' })
    const page = await open(`/admin/submissions?view=table&client=${id}`, 'administrator')
    const rows = page.locator('.queue tbody tr')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    expect(await rows.nth(1).locator('[type=checkbox]').isChecked()).toBe(true)
    await page.keyboard.press('k')
    await page.keyboard.press('x')
    await page.getByText('2 of 2 chosen').waitFor()
    await page.keyboard.press('a')
    await page.getByText('Saved.').waitFor()
    expect(await rows.allInnerTexts()).toEqual([expect.stringMatching(/Submit/), expect.stringMatching(/Assign/)])
    await page.keyboard.press('b')
    await page.waitForURL('**view=board**')
  })

  test('the contents of a long form lead to its sections', async () => {
    const page = await open('/admin/tools/full-house', 'administrator')
    const links = page.getByRole('navigation', { name: 'Sections of the form' }).getByRole('link')
    expect(await links.count()).toBeGreaterThan(2)
    await links.last().click()
    const section = new URL(page.url()).hash
    expect(await page.locator(`fieldset${section}`).count()).toBe(1)
    await expect
      .poll(() => page.locator(`fieldset${section}`).evaluate((one: any) => one.getBoundingClientRect().top))
      .toBeLessThan(900)
  })
})

test('a password is shown on request, and hidden again before it is sent', async () => {
  const page = await open('/sign-in')
  const field = page.getByLabel('Password', { exact: true })
  await page.getByLabel('E-mail address').fill('ida@example.com')
  await field.fill('correct horse')
  const type = () => field.getAttribute('type')
  const box = page.getByLabel('Show what I type')
  await box.check()
  expect(await type()).toBe('text')
  await box.uncheck()
  expect(await type()).toBe('password')
  await box.check()
  await page.locator('form', { has: field }).evaluate((form: any) => {
    form.addEventListener('submit', (event: any) => event.preventDefault())
    form.requestSubmit()
  })
  await expect.poll(type).toBe('password')
})

test('pictures of a listing open, lead to the next, and close', async () => {
  const page = await open('/tools/full-house')
  const first = page.locator('#picture-1 .picture')
  const width = async () => (await first.boundingBox())!.width
  const before = await width()
  await page.getByRole('link', { name: /^Open: .* main picture$/ }).click()
  await expect.poll(width).toBeGreaterThan(before)
  await page.locator('#picture-1').getByRole('link', { name: 'Next' }).click()
  await page.waitForURL(/#picture-2$/)
  await page.locator('#picture-2').getByRole('link', { name: 'Close' }).click()
  await expect.poll(width).toBe(before)
})

test('the printed plan has the steps with the addresses of the directories, and not the form', async () => {
  const page = await open('/plan')
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('.sentence').isVisible()).toBe(false)
  const opened = page.locator('.step a.button').first()
  const [address, printed] = await opened.evaluate((link: any) => [
    link.getAttribute('href'),
    getComputedStyle(link, '::after').content,
  ])
  expect(address).toMatch(/^https?:/)
  expect(printed.replaceAll('"', '')).toBe(address)
})

test('categories name as most opened only tools that were opened', async () => {
  await service.load([
    { kind: 'category', slug: 'unopened', name: 'Unopened' },
    ...[0, 5].map((opens) => ({
      ...{
        kind: 'tool',
        slug: `opened-${opens}`,
        name: `Opened ${opens}`,
        website: `https://opened-${opens}.example.com`,
      },
      ...{ category: 'unopened', pricing: 'FREE', opens },
    })),
  ])
  const page = await open('/categories')
  const text = await page.locator('.entry', { has: page.locator('a[href="/categories/unopened"]') }).innerText()
  expect(text).toMatch(/Most opened: Opened 5$/)
})

describe('tiles with letters', () => {
  test.each([
    ['/search?q=wombat', '.hits > li'],
    ['/tools', '.entries > li'],
    ['/directories', '.who'],
    ['/plan', '.step'],
    ['/admin/tools', 'tbody tr'],
    ['/admin/directories', 'tbody tr'],
    ['/admin/submissions', 'tbody tr, .card'],
  ])('no two in a row look alike on %s', async (path, rows) => {
    // Names of one colour, so that the colour of the letters does not tell them apart.
    await service.load(
      Array.from({ length: 6 }, (_, i) => i).flatMap((i) =>
        ['tool', 'directory'].map((kind) => ({
          ...{ kind, slug: `alike-${kind}-${i}`, name: 'Wombat Alike', website: `https://alike-${i}.example.com` },
          ...(kind === 'tool' ? { pricing: 'FREE' } : { domainRating: 90, cost: 'Free' }),
        })),
      ),
    )
    const page = await open(path, path.startsWith('/admin') ? 'administrator' : undefined)
    const looks: (string | null)[] = await page.locator(rows).evaluateAll((all: any[]) =>
      all.map((row) => {
        const tile = row.querySelector('span.tile')
        if (!tile) return null
        const { backgroundColor, backgroundImage } = getComputedStyle(tile)
        return `${backgroundColor} ${backgroundImage}`
      }),
    )
    expect(looks.filter(Boolean).length).toBeGreaterThan(1)
    expect(looks.filter((look, at) => look !== null && look === looks[at - 1])).toEqual([])
  })
})
