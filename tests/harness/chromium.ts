// A real browser: Debian's Chromium, driven by Playwright. It finds no other machine than this one. What a page does wrong in it
// (scripts that fail, requests to other places, what the policy forbids) is gathered, so that a test can say that there was nothing.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

// What functions find that run in the page.
declare const document: any
declare const window: any

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
export const hasChromium = existsSync(CHROMIUM)

/** Every name but localhost is unknown, or leads to a port of this machine that plays the rest of the world over plain http. */
export function launchChromium(options: { worldPort?: number } = {}): Promise<Browser> {
  if (!hasChromium) throw new Error(`There is no Chromium at ${CHROMIUM}. Install it, or say in CHROMIUM where it is.`)
  const world = options.worldPort ? `127.0.0.1:${options.worldPort}` : '~NOTFOUND'
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      `--host-resolver-rules=MAP * ${world}, EXCLUDE 127.0.0.1, EXCLUDE localhost`,
    ],
  })
}

export const PHONE = { width: 360, height: 780 }
export const DESKTOP = { width: 1280, height: 900 }

export interface Visit {
  context: BrowserContext
  page: Page
  /** Errors of scripts, refusals of the policy, requests to other places: a sentence each. */
  wrongs: string[]
}

export interface VisitOptions {
  javaScript?: boolean
  phone?: boolean
  dark?: boolean
  /** Of somebody who is signed in already. */
  cookies?: ReadonlyMap<string, string>
}

export async function visitor(browser: Browser, origin: string, options: VisitOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: options.phone ? PHONE : DESKTOP,
    javaScriptEnabled: options.javaScript ?? true,
    colorScheme: options.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    // As a person's: without a window it would call itself a program.
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser.version()} Safari/537.36`,
  })
  if (options.cookies)
    await context.addCookies([...options.cookies].map(([name, value]) => ({ name, value, url: origin })))
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
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) wrongs.push(`request: ${url}`)
  })
  page.on('dialog', (dialog) => {
    wrongs.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return { context, page, wrongs }
}

/** How many pixels the page is wider than the window; 0 for a page that does not scroll sideways. */
export const sideways = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

// The one that @axe-core/playwright brings. Its builder would send all of it anew for every look at a page.
const requireHere = createRequire(import.meta.url)
const axeFile = createRequire(requireHere.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js')
let axeSource: string | undefined

interface Axe {
  run(where: unknown, options: object): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }>
}

/** What axe finds wrong with the page as it stands: the rule and the places. */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate((axeSource ??= readFileSync(axeFile, 'utf8')))
  return page.evaluate(async (rules) => {
    const { axe }: { axe: Axe } = window
    const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) }
    const found = await axe.run(document, options)
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  }, rules)
}
