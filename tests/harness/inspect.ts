// What must hold for every page in a real browser.
import type { Browser } from 'playwright-core'
import { DESKTOP, horizontalOverflow, PHONE, type VisitOptions, violations, visitor } from './chromium.ts'

/** The rules that depend on colours; the other rules give the same result in dark mode. */
const COLOURS = ['color-contrast', 'link-in-text-block']

/** Opens each page and returns a sentence for every problem. */
export async function inspect(
  browser: Browser,
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
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(DESKTOP)
    await page.goto(path)
    // The console and the API reference have a script of their own beside that of every page.
    for (const kind of ['stylesheet', 'script'])
      if (
        asked.filter((type) => type === kind).length !== (kind === 'script' && /^\/(admin|docs)\b/.test(path) ? 2 : 1)
      )
        found(`another number of files: ${kind}`, 'everywhere')
    for (const what of await violations(page)) found(what, 'wide, light')
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const what of await violations(page, COLOURS)) found(what, 'wide, dark')
    await page.setViewportSize(PHONE)
    for (const what of await violations(page, COLOURS)) found(what, 'narrow, dark')
    await page.emulateMedia({ colorScheme: 'light' })
    for (const what of await violations(page)) found(what, 'narrow, light')
    const surplus = await horizontalOverflow(page)
    if (surplus > 0) found(`scrolls sideways by ${surplus} pixels`, 'narrow')
    for (const problem of problems.splice(0)) found(problem, 'somewhere')
  }
  await context.close()
  return findings
}
