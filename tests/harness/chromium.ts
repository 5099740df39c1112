// A real browser: Debian's Chromium, driven by Playwright, which can reach only this machine. It collects what goes wrong in a page (script
// errors, requests to other hosts, violations of the content security policy), so that a test can expect none.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

// Globals of the functions that run inside the page.
declare const document: any
declare const window: any

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
export const hasChromium = existsSync(CHROMIUM)

/** What tests use of a browser, as a plain object for `use`. */
export type Chromium = Pick<Browser, 'newContext' | 'newPage' | 'version' | 'close'>

/** Every host name except localhost is unknown, or leads to `worldPort`, where a local server plays the rest of the web over plain http. */
export async function launchChromium(options: { worldPort?: number } = {}): Promise<Chromium> {
  if (!hasChromium) throw new Error(`There is no Chromium at ${CHROMIUM}. Install it, or say in CHROMIUM where it is.`)
  const world = options.worldPort ? `127.0.0.1:${options.worldPort}` : '~NOTFOUND'
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      `--host-resolver-rules=MAP * ${world}, EXCLUDE 127.0.0.1, EXCLUDE localhost`,
    ],
  })
  return {
    newContext: (options) => browser.newContext(options),
    newPage: (options) => browser.newPage(options),
    version: () => browser.version(),
    close: () => browser.close(),
  }
}

export const PHONE = { width: 360, height: 780 }
export const DESKTOP = { width: 1280, height: 900 }

export interface Visit {
  context: BrowserContext
  page: Page
  /** Script errors, policy violations and requests to other hosts, a sentence each. */
  problems: string[]
}

export interface VisitOptions {
  javaScript?: boolean
  phone?: boolean
  dark?: boolean
  /** Such as Asia/Kolkata; UTC unless given. */
  timeZone?: string
  /** Session cookies of a user who has signed in already. */
  cookies?: ReadonlyMap<string, string>
}

export async function visitor(browser: Chromium, origin: string, options: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: options.phone ? PHONE : DESKTOP,
    javaScriptEnabled: options.javaScript ?? true,
    colorScheme: options.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    timezoneId: options.timeZone ?? 'UTC',
    // The user agent of a visible Chromium: the headless one would count as a program.
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`,
  })
  if (options.cookies)
    await context.addCookies([...options.cookies].map(([name, value]) => ({ name, value, url: origin })))
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`script: ${error.message}`))
  page.on('console', (message) => {
    const text = message.text()
    // Some tests expect error statuses, so a failed load is no problem.
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) problems.push(`console: ${text}`)
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) problems.push(`request: ${url}`)
  })
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return { context, page, problems }
}

/** How many pixels the page is wider than the window; 0 for a page without horizontal scrolling. */
export const horizontalOverflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

// The axe-core that @axe-core/playwright depends on. Its AxeBuilder would send the whole source again for every check of a page.
const requireHere = createRequire(import.meta.url)
const axeFile = createRequire(requireHere.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js')
let axeSource: string | undefined

interface Axe {
  run(where: unknown, options: object): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }>
}

/** The violations that axe finds on the page as it is now: the rule and the elements. */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate((axeSource ??= readFileSync(axeFile, 'utf8')))
  return page.evaluate(async (rules) => {
    const { axe }: { axe: Axe } = window
    const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) }
    const found = await axe.run(document, options)
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  }, rules)
}
