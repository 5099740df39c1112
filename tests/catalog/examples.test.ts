// @module-tag once
// The sentences to try on the home page are made from the catalog, and the search answers each in full.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleQuestions } from '../../src/features/catalog/site/examples.ts'
import { searchBoth } from '../../src/features/catalog/site/search-both.ts'
import { signedUpAdmin } from '../harness/browser.ts'
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
    expect(Math.max(tools.fullMatches, directories.fullMatches), q).toBeGreaterThanOrEqual(3)
  }
})

test('a question that says which catalog it asks for shows that catalog first', async () => {
  const firstOf = async (q: string) => (await searchBoth(demo.context(), { q, limit: 6 })).first
  expect(await firstOf('free directories with a DoFollow link')).toBe('directories')
  expect(await firstOf('free tools to launch')).toBe('tools')
})

test('the operator may write others; one that finds too little is not shown, and the console says so', async () => {
  const examples = ['free image tools', 'zzyzx for raspberrypi', 'free directories & more']
  await demo.admin('PUT', '/site', { examples })
  expect(triesOf((await demo.fetch('/')).text)).toEqual([examples[0], examples[2]])
  const { body } = await demo.admin('GET', '/site/examples')
  expect(body.data).toMatchObject([
    { question: examples[0], isShown: true },
    { question: examples[1], full: 0, isShown: false },
    { question: examples[2], isShown: true },
  ])
  const page = (await (await signedUpAdmin(demo)).open('/admin/site')).text
  expect(page).toContain(
    '<bdi>zzyzx for raspberrypi</bdi> <span class="quiet">is not shown: nothing matches it fully, three are needed',
  )
  expect(page).toContain('<bdi>free directories &amp; more</bdi> <span class="quiet">is shown')
  for (const wrong of [Array(6).fill('free'), ['two\nlines'], ['a'.repeat(101)]])
    expect((await demo.admin('PUT', '/site', { examples: wrong })).status).toBe(400)
  await demo.admin('PUT', '/site', {})
  expect(triesOf((await demo.fetch('/')).text)).toHaveLength(3)
})

test('they cost three searches after a change, and none while nothing changes', () => {
  const { catalog } = demo.context()
  const snapshot = catalog.snapshot()
  let searches = 0
  const counted = ({ index, ...rest }: typeof snapshot.tools, isEmpty: boolean): typeof snapshot.tools => ({
    ...rest,
    index: {
      ...index,
      find: (query) => {
        searches++
        return isEmpty ? { items: [], total: 0, full: 0 } : index.find(query)
      },
    },
  })
  const catalogWith = (isEmpty: boolean): typeof catalog => ({
    ...catalog,
    snapshot: () => ({
      ...snapshot,
      tools: counted(snapshot.tools, isEmpty),
      directories: counted(snapshot.directories, isEmpty),
    }),
  })
  const costOf = (...args: Parameters<typeof exampleQuestions>) => {
    searches = 0
    exampleQuestions(...args)
    return searches
  }
  const filled = catalogWith(false)
  expect(costOf(filled, [])).toBe(3)
  expect(costOf(filled, [])).toBe(0)
  // Each of at most eleven wordings is read in at most two ways.
  expect(costOf(catalogWith(true), [])).toBeLessThanOrEqual(22)
})

test('a catalog that answers none of them has none', async () => {
  const empty = await startService()
  try {
    expect(triesOf((await empty.fetch('/')).text)).toEqual([])
  } finally {
    await empty.close()
  }
})
