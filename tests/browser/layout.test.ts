// The layout does not shift: not when pictures load late, not while scrolling, not when results arrive.
// @module-tag long
import { beforeAll, describe, expect, test } from 'vitest'
import { launchChromium, type Visit, visitor } from '../harness/chromium.ts'
import { populateCatalog } from '../harness/page-list.ts'
import { use, useService } from '../harness/use.ts'

// Globals of the functions that run inside the page.
declare const document: any
declare const window: any
declare const requestAnimationFrame: any
declare const scrollTo: any
declare const PerformanceObserver: any

const service = useService()
beforeAll(() => populateCatalog(service))
const browser = use(launchChromium)

/** A visitor whose pictures load only after `arrive` is called. */
async function slowVisitor(phone: boolean): Promise<Visit & { arrive(): void; shift(): Promise<number> }> {
  const visit = await visitor(browser, service.origin, { phone })
  const { promise, resolve: arrive } = Promise.withResolvers<void>()
  await visit.context.route('**/media/**', async (route) => {
    await promise
    await route.continue()
  })
  await visit.context.addInitScript(() => {
    window.shift = 0
    new PerformanceObserver((list: any) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  // Two frames later the browser has reported every shift that was painted.
  const shift = () =>
    visit.page.evaluate(async () => {
      for (let i = 0; i < 2; i++) await new Promise((resolve) => requestAnimationFrame(resolve))
      return window.shift
    })
  return { ...visit, arrive, shift }
}

describe.each([
  ['on a desktop', false],
  ['on a phone', true],
])('%s', (_where, phone) => {
  test.each([
    ['/tools/full-house', 5],
    ['/directories/launch-list', 2],
    ['/tools/long-haul', 2],
    ['/tools?q=full', 1],
    ['/', 3],
  ])('%s does not shift while its pictures load and the visitor scrolls to the end', async (path, pictures) => {
    const { context, page, problems, arrive, shift } = await slowVisitor(phone)
    await page.goto(path, { waitUntil: 'domcontentloaded' })
    expect(await page.locator('main img').count()).toBe(pictures)
    await shift()
    const height = () => page.evaluate(() => document.documentElement.scrollHeight)
    const scrollThrough = async () => {
      for (let y = 0; y < (await height()); y += 400) {
        await page.evaluate((y) => scrollTo(0, y), y)
        await shift()
      }
    }
    // Once before any picture has arrived, so that every part of the page has been laid out.
    await scrollThrough()
    const before = await height()
    arrive()
    await page.waitForLoadState('load')
    await page.evaluate(() => scrollTo(0, 0))
    await scrollThrough()
    // The browser loads pictures further down only now. Those that a phone does not show are never loaded.
    await page.waitForFunction(() =>
      [...document.querySelectorAll('img')]
        .filter(({ offsetParent }: any) => offsetParent !== null)
        .every(({ complete, naturalWidth }: any) => complete && naturalWidth > 0),
    )
    expect(await height()).toBe(before)
    expect(await shift()).toBeLessThan(0.01)
    expect(problems).toEqual([])
    await context.close()
  })
})
