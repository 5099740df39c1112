// @module-tag once
// The sentences to try on the home page are made from the catalog, and the search answers each in full.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { searchBoth } from '../../src/features/catalog/site-search.ts'
import { startService, type TestService } from '../harness/service.ts'
import { startDemo } from '../interop/demo.ts'

let demo: TestService
beforeAll(async () => {
  demo = await startDemo()
})
afterAll(() => demo.close())

const triesOf = (html: string): string[] =>
  [...html.matchAll(/<li><a href="\/search\?q=([^"]*)"/g)].map(([, q = '']) =>
    decodeURIComponent(q.replaceAll('+', ' ')),
  )

test('each of the three finds three or more listings that match fully', async () => {
  const tries = triesOf((await demo.fetch('/')).text)
  expect(tries).toHaveLength(3)
  for (const q of tries) {
    const { tools, directories } = await searchBoth(demo.context(), { q, limit: 6 })
    expect(Math.max(tools.full, directories.full), q).toBeGreaterThanOrEqual(3)
  }
})

test('a question that says which catalog it asks for shows that catalog first', async () => {
  const firstOf = async (q: string) => (await searchBoth(demo.context(), { q, limit: 6 })).first
  expect(await firstOf('free directories with a DoFollow link')).toBe('directories')
  expect(await firstOf('free tools to launch')).toBe('tools')
})

test('a catalog that answers none of them has none', async () => {
  const empty = await startService()
  try {
    expect(triesOf((await empty.fetch('/')).text)).toEqual([])
  } finally {
    await empty.close()
  }
})
