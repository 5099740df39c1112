// Every page that anybody can open: axe finds nothing, nothing scrolls sideways, nothing is asked of other places.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../harness/chromium.ts'
import { inspect } from '../harness/inspect.ts'
import { type Furnished, furnish } from '../harness/page-list.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
let furnished: Furnished
let browser: Browser
beforeAll(async () => {
  service = await startService()
  furnished = await furnish(service)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await service?.close()
})

test('sound in light and dark, on a desk and on a phone', { timeout: 300_000 }, async () => {
  expect(await inspect(browser, service.origin, furnished.pages.visitor)).toEqual([])
})
