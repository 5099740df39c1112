// @module-tag long
// Every page at 320 px, at 200 % zoom of a desktop and on a wide screen: nothing scrolls sideways. npm run test:browser.
import { beforeAll, expect, test } from 'vitest'
import { horizontalOverflow, launchChromium, type VisitOptions, visitor } from '../harness/chromium.ts'
import { type PopulatedService, populateService } from '../harness/page-list.ts'
import { use, useService } from '../harness/use.ts'

let populated: PopulatedService
const service = useService({ STYLEGUIDE: 'on' })
beforeAll(async () => {
  populated = await populateService(service)
})
const browser = use(launchChromium)

const NARROW = { width: 320, height: 700 }
/** What a page of a window of 1280 px has at 200 % zoom. */
const ZOOMED = { width: 640, height: 450 }
const WIDE = { width: 1920, height: 1080 }

async function scrollingPages(paths: readonly string[], options: VisitOptions = {}): Promise<string[]> {
  const { context, page } = await visitor(browser, service.origin, options)
  const findings: string[] = []
  for (const path of paths) {
    await page.setViewportSize(NARROW)
    await page.goto(path, { waitUntil: 'domcontentloaded' })
    for (const size of [NARROW, ZOOMED, WIDE]) {
      await page.setViewportSize(size)
      const surplus = await horizontalOverflow(page)
      if (surplus > 0) findings.push(`${path} is ${surplus} px wider than ${size.width} px`)
    }
  }
  await context.close()
  return findings
}

test('no public page scrolls sideways', { timeout: 300_000 }, async () => {
  expect(await scrollingPages([...populated.pages.visitor, '/styleguide'])).toEqual([])
})

test.each(['newUser', 'partnerUser', 'administrator'] as const)(
  'no page of %s scrolls sideways',
  { timeout: 300_000 },
  async (who) => {
    const { cookies } = populated[who]
    expect(await scrollingPages(populated.pages[who], { cookies })).toEqual([])
  },
)

test('no page with counts of four digits scrolls sideways', { timeout: 300_000 }, async () => {
  await service.load(
    Array.from({ length: 1_100 }, (_, i) => ({
      ...{ kind: 'tool', slug: `quokka-${i}`, name: `Quokka ${i}`, website: `https://quokka-${i}.example.com` },
      pricing: 'FREE',
    })),
  )
  const paths = ['/', '/search?q=quokka', '/tools', '/tools?q=quokka', '/categories', '/admin/tools']
  expect(await scrollingPages(paths, { cookies: populated.administrator.cookies })).toEqual([])
})
