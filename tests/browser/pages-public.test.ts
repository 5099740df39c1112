// On every public page axe finds no violation, nothing scrolls horizontally, and the page requests nothing from other hosts.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../harness/chromium.ts'
import { inspect } from '../harness/inspect.ts'
import { type PopulatedService, populateService } from '../harness/page-list.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
let populated: PopulatedService
let browser: Browser
beforeAll(async () => {
  service = await startService({ STYLEGUIDE: 'on' })
  populated = await populateService(service)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await service?.close()
})

test('every page is valid in light and dark mode, on a desktop and on a phone', { timeout: 300_000 }, async () => {
  expect(await inspect(browser, service.origin, [...populated.pages.visitor, '/styleguide'])).toEqual([])
})
