// On every public page axe finds no violation, nothing scrolls horizontally, and the page requests nothing from other hosts.
import { beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../harness/chromium.ts'
import { inspect } from '../harness/inspect.ts'
import { type PopulatedService, populateService } from '../harness/page-list.ts'
import { use, useService } from '../harness/use.ts'

let populated: PopulatedService
const service = useService({ STYLEGUIDE: 'on' })
beforeAll(async () => {
  populated = await populateService(service)
})
const browser = use(launchChromium)

test('every page is valid in light and dark mode, on a desktop and on a phone', { timeout: 300_000 }, async () => {
  expect(await inspect(browser, service.origin, [...populated.pages.visitor, '/styleguide'])).toEqual([])
})
