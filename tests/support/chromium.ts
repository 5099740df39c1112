// A real browser: Debian's Chromium, driven by Playwright. What a page does wrong in it (scripts that fail, requests to other places,
// what the policy forbids) is gathered, so that a test can say that there was nothing.
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
export const hasChromium = existsSync(CHROMIUM)

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] })

export const PHONE = { width: 360, height: 780 }
export const DESKTOP = { width: 1280, height: 900 }

export interface Visit {
  context: BrowserContext
  page: Page
  /** Errors of scripts, refusals of the policy, requests to other places: a sentence each. */
  wrongs: string[]
}

export async function visitor(
  browser: Browser,
  origin: string,
  options: { javaScript?: boolean; phone?: boolean; dark?: boolean } = {},
): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: options.phone ? PHONE : DESKTOP,
    javaScriptEnabled: options.javaScript ?? true,
    colorScheme: options.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const wrongs: string[] = []
  page.on('pageerror', (error) => wrongs.push(`script: ${error.message}`))
  page.on('console', (message) => {
    const text = message.text()
    // An answer that is an error is what some tests ask for.
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) wrongs.push(`console: ${text}`)
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(origin) && !url.startsWith('data:')) wrongs.push(`request: ${url}`)
  })
  page.on('dialog', (dialog) => {
    wrongs.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return { context, page, wrongs }
}
