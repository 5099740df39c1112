// What must hold for every page in a real browser.
import type { Page } from 'playwright-core'
import {
  type Chromium,
  DESKTOP,
  horizontalOverflow,
  PHONE,
  type VisitOptions,
  violations,
  visitor,
} from './chromium.ts'

interface Variant {
  name: string
  size: typeof DESKTOP
  colorScheme: 'light' | 'dark'
  /** Only these rules of axe; otherwise all. */
  rules?: string[]
}

/** The rules that depend on colours; the other rules give the same result in dark mode. */
const COLOURS = ['color-contrast', 'link-in-text-block']
const FIRST: Variant = { name: 'wide, light', size: DESKTOP, colorScheme: 'light' }
/** `npm run test:browser` inspects every page in all four; a change is checked in two that have both widths and both schemes. */
const LATER: Variant[] = process.env.ALL_VARIANTS
  ? [
      { name: 'wide, dark', size: DESKTOP, colorScheme: 'dark', rules: COLOURS },
      { name: 'narrow, dark', size: PHONE, colorScheme: 'dark', rules: COLOURS },
      { name: 'narrow, light', size: PHONE, colorScheme: 'light' },
    ]
  : [{ name: 'narrow, dark', size: PHONE, colorScheme: 'dark' }]

/** Opens each page and returns a sentence for every problem. */
export async function inspect(
  browser: Chromium,
  origin: string,
  paths: readonly string[],
  options: VisitOptions = {},
): Promise<string[]> {
  const { context, page, problems } = await visitor(browser, origin, options)
  const findings: string[] = []
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.resourceType()))
  for (const path of paths) {
    const found = (what: string, where: string) => findings.push(`${path} ${where}: ${what}`)
    asked.length = 0
    await show(page, FIRST)
    await page.goto(path)
    // The console, the API reference and the launch plan have a script of their own beside that of every page; the pages of those who are
    // signed in, and the style guide, reports and the API reference, which show their pieces, a stylesheet. Visitors' pages stay as they are
    // for them.
    const isArea = options.cookies && !/^\/(developers|pricing|submit)$/.test(path)
    const files = {
      stylesheet: isArea || /^\/(styleguide|reports|docs|developers\/webhooks)\b/.test(path) ? 2 : 1,
      script: /^\/(admin|docs|plan)\b/.test(path) ? 2 : 1,
    }
    for (const [kind, count] of Object.entries(files))
      if (asked.filter((type) => type === kind).length !== count)
        found(`another number of files: ${kind}`, 'everywhere')
    for (const what of await violations(page)) found(what, FIRST.name)
    for (const variant of LATER) {
      await show(page, variant)
      for (const what of await violations(page, variant.rules)) found(what, variant.name)
    }
    const surplus = await horizontalOverflow(page)
    if (surplus > 0) found(`scrolls sideways by ${surplus} pixels`, 'narrow')
    for (const problem of problems.splice(0)) found(problem, 'somewhere')
  }
  await context.close()
  return findings
}

async function show(page: Page, { size, colorScheme }: Variant): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize(size)
}
