// What must hold for every page.
import { HtmlValidate } from 'html-validate'
import { expect } from 'vitest'
import { AREA_STYLESHEET, CONSOLE_SCRIPT, DOCS_SCRIPT, PLAN_SCRIPT, SCRIPT } from '../../src/surfaces/pages/assets.ts'

export const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  // The rules about source layout are off because no reader sees it. The rule for the title's length is off because it counts `&lt;` as
  // four characters; tests of pages check the length.
  rules: { 'no-trailing-whitespace': 'off', 'long-title': 'off' },
})

/** The page is valid, has no inline style or script, loads our scripts and otherwise only data, and contains none of the given texts. */
export async function expectSound(html: string, absent: readonly string[] = []): Promise<void> {
  const report = await validator.validateString(html)
  expect(
    report.results.flatMap(({ messages }) =>
      messages.map(({ ruleId, message, line, column }) => `${line}:${column} ${ruleId}: ${message}`),
    ),
  ).toEqual([])
  expect(html).not.toMatch(/(href|src)\s*=\s*["']?\s*javascript:/i)
  const tags = html.replace(/(<script[^>]*>).*?<\/script>/gs, '$1').replace(/="[^"]*"/g, '=')
  expect(tags).not.toMatch(/<[^>]*\s(on\w+|style)\s*=[^>]*>/i)
  const scripts = html.match(/<script\b[^>]*>/g) ?? []
  // Pages of the console and of the API reference load a script of their own, too.
  const own = [CONSOLE_SCRIPT, DOCS_SCRIPT, PLAN_SCRIPT].map((address) => `<script src="${address}" defer>`)
  const others = ['<script type="application/ld+json">', ...own]
  expect(scripts.filter((tag) => !others.includes(tag))).toEqual([`<script src="${SCRIPT}" defer>`])
  // Pages of the signed-in areas load a stylesheet of their own behind that of every page.
  const stylesheets = [...html.matchAll(/<link rel="stylesheet" href="([^"]*)"/g)].map(([, address]) => address)
  expect([1, 2]).toContain(stylesheets.length)
  expect(stylesheets.slice(1)).toEqual(stylesheets.slice(1).map(() => AREA_STYLESHEET))
  expect(stylesheets[0]).not.toBe(AREA_STYLESHEET)
  for (const [, facts] of html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)) {
    expect(() => JSON.parse(facts!)).not.toThrow()
    expect(facts).not.toMatch(/[<\u2028\u2029]/)
  }
  for (const text of absent) expect(html).not.toContain(text)
}
