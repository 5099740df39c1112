// The table of risks is complete, and every test that it names exists and runs.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { document, TOP_TEN } from '../security/top-ten.ts'

const root = new URL('../../', import.meta.url).pathname
const DOCUMENT = `${root}docs/security-tests.md`
const MINIMUM_TESTS = 3

test('the table has all ten risks in their order', () => {
  expect(TOP_TEN.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, i) => `API${i + 1}:2023`))
  for (const { title, met } of TOP_TEN) {
    expect(title).toMatch(/^[A-Z]/)
    expect(met).toMatch(/^[A-Z].{40,}\.$/)
  }
})

describe.each(TOP_TEN.map((risk) => [risk.id, risk] as const))('%s', (_id, { attacks }) => {
  test(`has at least ${MINIMUM_TESTS} tests, each named once`, () => {
    expect(attacks.length).toBeGreaterThanOrEqual(MINIMUM_TESTS)
    expect(new Set(attacks.map(({ file, test: title }) => `${file} ${title}`)).size).toBe(attacks.length)
  })

  test.each(attacks.map(({ file, test: title }) => [file, title] as const))(
    'names in %s the existing test: %s',
    (file, title) => {
      expect(existsSync(root + file)).toBe(true)
      const source = readFileSync(root + file, 'utf8')
      const places = ["'", '"', '`'].flatMap((quote) => placesOf(source, `${quote}${title}${quote}`))
      expect(places).toHaveLength(1)
      const call = callBefore(source, places[0]!)
      expect(call).toMatch(/^(test|it)\b/)
      expect(call).not.toMatch(/^(test|it)(\.\w+)*\.(skip|todo|only|fails|skipIf|runIf)\b/)
      // CI does not run files with the tag long.
      expect(source).not.toMatch(/@module-tag\s+long/)
      expect(source).not.toMatch(/\bdescribe(\.\w+)*\.(skip|todo|only|skipIf)\b|\b(test|it)(\.\w+)*\.only\b/)
    },
  )
})

/** The document is generated from the table, so that its readers see what is tested. */
test('docs/security-tests.md is made from the table', () => {
  if (process.env.UPDATE_DOCS) writeFileSync(DOCUMENT, document())
  expect(readFileSync(DOCUMENT, 'utf8')).toBe(document())
})

function placesOf(source: string, text: string): number[] {
  const places: number[] = []
  for (let at = source.indexOf(text); at !== -1; at = source.indexOf(text, at + 1)) places.push(at)
  return places
}

/** Returns the source from the start of the statement that the title belongs to, up to the title. */
function callBefore(source: string, place: number): string {
  const starts = [...source.slice(0, place).matchAll(/^ *(?=(?:test|it|describe)\b)/gm)]
  const last = starts.at(-1)
  return last ? source.slice(last.index + last[0].length, place) : ''
}
