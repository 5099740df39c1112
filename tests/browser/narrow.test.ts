// @module-tag long
// Every page at 320 px, and at 200 % zoom of a desktop: nothing scrolls sideways. npm run test:browser.
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

async function scrollingPages(paths: readonly string[], options: VisitOptions = {}): Promise<string[]> {
  const { context, page } = await visitor(browser, service.origin, options)
  const findings: string[] = []
  for (const path of paths) {
    await page.setViewportSize(NARROW)
    await page.goto(path, { waitUntil: 'domcontentloaded' })
    for (const size of [NARROW, ZOOMED]) {
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
