// @module-tag slow
// Whatever has changed since a question was asked: its answer over REST, over MCP and on the site is that of a catalog which has just been
// loaded and remembers nothing. SEARCH_RUNS=5000 tries longer.
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { searchDirectories, searchTools } from '../../src/features/catalog/operations.ts'
import type { CachedAnswer } from '../../src/kernel/output.ts'
import { freshCatalog } from '../harness/fresh-catalog.ts'
import { call, rpc } from '../harness/mcp.ts'
import { propertyRuns } from '../harness/property-runs.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey('premium')).key
  await service.load([
    ...['writing', 'images'].map((slug) => ({ kind: 'category', slug, name: slug })),
    ...['api', 'mobile'].map((slug) => ({ kind: 'tag', slug, name: slug })),
    { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' },
  ])
})

// Forms of a word, longer words, misspelt ones, words written as one.
const WORDS = 'story stories storyteller image images imagination chat gpt chatgpt speech text-to-speech'.split(' ')
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((list) => list.join(' '))
const slug = fc.nat(9).map((number) => `s${number}`)

const change = fc.oneof(
  {
    arbitrary: fc.record({ kind: fc.constant('remove' as const), of: fc.constantFrom('tools', 'directories'), slug }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('tools' as const),
      slug,
      name: words,
      tagline: words,
      category: fc.constantFrom('writing', 'images'),
      tags: fc.subarray(['api', 'mobile']),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({ kind: fc.constant('directories' as const), slug, name: words, domainRating: fc.nat(3) }),
    weight: 2,
  },
  {
    arbitrary: fc.record({ kind: fc.constant('term' as const), name: fc.constantFrom('Writing', 'Stories') }),
    weight: 1,
  },
)
const question = fc.record({
  of: fc.constantFrom('tools' as const, 'directories' as const),
  surface: fc.constantFrom('rest' as const, 'mcp' as const, 'site' as const),
  q: fc.oneof(
    words,
    fc.constantFrom('storys', 'imge', 'imgae', 'stroies speach', 'chatimage', 'podcasts', 'writing', 'chat gpts'),
  ),
  category: fc.option(fc.constantFrom('writing', 'images'), { nil: undefined }),
})
const step = fc.oneof(
  { arbitrary: fc.record({ change }), weight: 1 },
  { arbitrary: fc.record({ question }), weight: 3 },
)

async function make(one: typeof change extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  if (one.kind === 'remove') await service.admin('DELETE', `/${one.of}/${one.slug}`)
  else if (one.kind === 'term') await service.admin('PUT', '/categories/writing', { name: one.name })
  else {
    const { kind, slug: name, ...fields } = one
    const more = kind === 'tools' ? {} : { website: `https://${name}.example.com` }
    expect((await service.admin('PUT', `/${kind}/${name}`, { ...fields, ...more })).status).toBeLessThan(300)
  }
}

type Question = typeof question extends fc.Arbitrary<infer T> ? T : never
const filtersOf = ({ of, category }: Question): Record<string, string> =>
  of === 'tools' && category ? { category } : {}

/** The slugs that the surface gives, in their order. */
async function asked(one: Question): Promise<string[]> {
  const { of, surface, q } = one
  const input = { q, ...filtersOf(one) }
  const slugsOf = (data: { slug: string }[]) => data.map((listing) => listing.slug)
  if (surface === 'rest')
    return slugsOf((await service.rest(`/${of}?${new URLSearchParams(input)}`, { key })).body.data)
  if (surface === 'mcp')
    return slugsOf((await rpc(service, key, call(`search_${of}`, input))).body.result.structuredContent.data)
  const { text } = await service.fetch(`/${of}?${new URLSearchParams(input)}`, { headers: { accept: 'text/html' } })
  return [...new Set([...text.matchAll(new RegExp(`href="/${of}/(s\\d)"`, 'g'))].map(([, found]) => found!))]
}

/** The same from a catalog without memory. */
async function askedAnew(one: Question): Promise<string[]> {
  const catalog = await freshCatalog(service)
  const operation = one.of === 'tools' ? searchTools : searchDirectories
  const input = { q: one.q, ...filtersOf(one), page: 1, limit: 20 }
  const ctx = { ...service.context(), catalog, unfound: { note() {} } }
  const answer = (await (operation.run as (...given: unknown[]) => unknown)(ctx, input)) as CachedAnswer
  catalog.close()
  return JSON.parse(String(answer.prepared.json)).data.map((listing: { slug: string }) => listing.slug)
}

test('every answer is that of a catalog which remembers nothing', async () => {
  let answers = 0
  const runs = propertyRuns(80)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      // Asked again after every change.
      const questions: Question[] = []
      for (const one of steps) {
        if ('question' in one) questions.push(one.question)
        else await make(one.change)
        for (const before of 'question' in one ? [one.question, one.question] : questions.slice(-4)) {
          answers++
          expect(await asked(before)).toEqual(await askedAnew(before))
        }
      }
    }),
    { numRuns: runs },
  )
  expect(answers).toBeGreaterThan(runs * 5)
}, 600_000)
