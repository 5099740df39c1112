// The view of search results in a host, which talks to it as the extension MCP Apps says.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { launchChromium } from '../harness/chromium.ts'
import { use } from '../harness/use.ts'

// Globals of the functions that run inside the page.
declare const window: any
declare const document: any
declare const getComputedStyle: any

const browser = use(launchChromium)
const html = readFileSync(new URL('../../src/surfaces/mcp/results-view.html', import.meta.url), 'utf8')
/** What hosts must allow a view that names no other origin. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'"
const HOSTILE = '<img src=x onerror="parent.hacked=true">"\'</script><script>parent.hacked=true</script>'

const LISTINGS = [
  {
    slug: 'one',
    name: 'One',
    tagline: 'The first',
    pricing: 'FREE',
    category: { name: 'Writing' },
    website: 'https://one.example',
  },
  {
    slug: 'two',
    name: HOSTILE,
    tagline: HOSTILE,
    pricing: 'PAID',
    category: { name: HOSTILE },
    website: 'javascript:alert(1)',
  },
  ...['three', 'four', 'five'].map((slug) => ({ slug, name: slug, tagline: 'x'.repeat(400), pricing: 'FREE' })),
]

let page: Page
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 390, height: 800 } })
  await page.setContent('<iframe sandbox="allow-scripts" style="width:100%;height:700px;border:0"></iframe>')
  await page.evaluate(
    ([view, theme]) => {
      window.said = []
      const frame = document.querySelector('iframe')
      window.tell = (message: object) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*')
      window.addEventListener('message', ({ data }: any) => {
        window.said.push(data)
        if (data.method !== 'ui/initialize') return
        const hostContext = { theme, styles: { variables: { '--color-text-primary': 'rgb(1, 2, 3)' } } }
        window.tell({ id: data.id, result: { protocolVersion: '2026-01-26', hostContext } })
      })
      frame.srcdoc = view
    },
    [html.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`), 'dark'],
  )
  await page.waitForFunction(() => window.said.some(({ method }: any) => method === 'ui/notifications/initialized'))
})
afterEach(async () => {
  expect(await page.evaluate(() => window.hacked)).toBeUndefined()
  await page.close()
})

const view = () => page.frameLocator('iframe')
const tell = (message: object) => page.evaluate((given) => window.tell(given), message)
const show = (data: unknown[]) =>
  tell({ method: 'ui/notifications/tool-result', params: { structuredContent: { success: true, data } } })

describe('the view of results', () => {
  test('lists them as text, in the colours of the host', async () => {
    await show(LISTINGS)
    await view().getByRole('heading', { name: '5 results.' }).waitFor()
    expect(await view().locator('li').count()).toBe(5)
    expect(await view().locator('li').nth(1).innerText()).toContain(HOSTILE)
    const root = view().locator('html')
    expect(await root.evaluate((one) => getComputedStyle(one).colorScheme)).toBe('dark')
    expect(
      await view()
        .locator('body')
        .evaluate((one) => getComputedStyle(one).color),
    ).toBe('rgb(1, 2, 3)')
    const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
    expect(await root.evaluate(overflow)).toBe(0)
  })

  test('compares up to four', async () => {
    await show(LISTINGS)
    for (let i = 0; i < 4; i++) await view().getByRole('checkbox').nth(i).check()
    expect(await view().getByRole('checkbox').nth(4).isDisabled()).toBe(true)
    expect(await view().getByRole('columnheader').allInnerTexts()).toEqual(['One', HOSTILE, 'three', 'four'])
    expect(
      await view()
        .getByRole('row', { name: /^Pricing/ })
        .innerText(),
    ).toMatch(/FREE\s+PAID\s+FREE\s+FREE/)
    await view().getByRole('checkbox').nth(0).uncheck()
    expect(await view().getByRole('columnheader').count()).toBe(3)
  })

  test('asks the host to open a web address, and no other', async () => {
    await show(LISTINGS)
    await view().getByRole('button', { name: 'One' }).click()
    const opened = await page.evaluate(() => window.said.filter(({ method }: any) => method === 'ui/open-link'))
    expect(opened.map(({ params }: any) => params.url)).toEqual(['https://one.example'])
    expect(await view().getByRole('button').count()).toBe(1)
  })

  test('says when nothing was found, and what went wrong', async () => {
    await show([])
    await view().getByText('Nothing was found.').waitFor()
    const text = JSON.stringify({ success: false, error: 'pricing must be one of FREE, FREEMIUM, PAID.' })
    await tell({ method: 'ui/notifications/tool-result', params: { isError: true, content: [{ type: 'text', text }] } })
    await view().getByText('pricing must be one of').waitFor()
  })
})
