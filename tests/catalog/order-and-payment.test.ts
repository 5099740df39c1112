// The order of a search is blind to payment: whatever is featured, whatever package a partner bought and whatever plan the reader has.
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { newTool, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

const PACKAGES = ['starter', 'pro', 'premium'] as const
const WORDS = ['writing', 'mail', 'video', 'code', 'photo', 'music', 'notes', 'voice', 'search', 'chat']
const QUESTIONS = [
  'writing',
  'mail writing',
  'video code',
  'notes voice chat',
  'I need something that turns my voice into notes for mail',
  'photo music video for free',
  'serch',
]

// A fixed mixture: names, taglines and descriptions that share words, so that many listings match with equal or nearly equal scores.
const wordAt = (i: number) => WORDS[i % WORDS.length]!
const TOOLS = Array.from({ length: 60 }, (_, i) => ({
  kind: 'tool',
  slug: `tool-${i}`,
  name: `${wordAt(i)} ${wordAt(i * 3 + 1)}`,
  tagline: `For ${wordAt(i * 7)} and ${wordAt(i + 4)}`,
  description: `${wordAt(i + 1)} ${wordAt(i * 2)} ${wordAt(i * 5 + 2)}`,
  opens: i % 4,
  createdAt: new Date(Date.UTC(2026, 0, 1 + (i % 7))).toISOString(),
}))
const DIRECTORIES = Array.from({ length: 30 }, (_, i) => ({
  kind: 'directory',
  slug: `directory-${i}`,
  name: `${wordAt(i)} list`,
  smallDescription: `Launch ${wordAt(i * 3)} products`,
  domainRating: i % 5 === 0 ? null : i % 7,
  createdAt: '2026-01-01T00:00:00.000Z',
}))

let readers: string[]
let submissions: string[]
const service = useService()
beforeAll(async () => {
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'api', name: 'API' },
  ])
  await service.load([...TOOLS, ...DIRECTORIES])
  const partner = (await service.newPartner()).key
  submissions = []
  for (let i = 0; i < 6; i++) {
    const tool = await submitted(
      service,
      partner,
      newTool({ name: `${wordAt(i)} of a partner`, paymentType: 'starter' }),
    )
    submissions.push(tool.id)
  }
  readers = [(await service.newKey('standard')).key, (await service.newKey('premium')).key, partner]
  await service.settled()
})

const slugsOf = async (path: string, key: string) => {
  const { body } = await service.rest(path, { key })
  return body.data.map(({ slug }: { slug: string }) => slug)
}

/** The order of every question, as each reader gets it. */
async function orders(): Promise<string[][][]> {
  const paths = [
    ...QUESTIONS.flatMap((q) =>
      ['tools', 'directories'].map((list) => `/${list}?limit=100&q=${encodeURIComponent(q)}`),
    ),
    '/tools?limit=100',
    '/directories?limit=100',
  ]
  return Promise.all(paths.map((path) => Promise.all(readers.map((key) => slugsOf(path, key)))))
}

test('permuting what is featured and what was paid never changes an order', async () => {
  const before = await orders()
  for (const lists of before) for (const list of lists) expect(list).toEqual(lists[0])
  expect(before.flat(2).length).toBeGreaterThan(500)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: TOOLS.length, maxLength: TOOLS.length }),
      fc.array(fc.boolean(), { minLength: DIRECTORIES.length, maxLength: DIRECTORIES.length }),
      fc.array(fc.constantFrom(...PACKAGES), { minLength: 6, maxLength: 6 }),
      async (tools, directories, packages) => {
        await service.load([
          ...TOOLS.map((tool, i) => ({ ...tool, featured: tools[i] })),
          ...DIRECTORIES.map((directory, i) => ({ ...directory, featured: directories[i] })),
        ])
        for (const [i, id] of submissions.entries()) {
          await service.admin('PATCH', `/submissions/${id}`, { paymentType: packages[i] })
          const { slug } = (await service.admin('GET', `/submissions/${id}`)).body.data.tool
          await service.admin('PATCH', `/tools/${slug}`, { featured: tools[i] })
        }
        await service.settled()
        expect(await orders()).toEqual(before)
        // It is a filter, so the permutation did arrive.
        const featured = await slugsOf('/tools?limit=100&featured=true', readers[0]!)
        expect(featured.filter((slug: string) => slug.startsWith('tool-')).length).toBe(tools.filter(Boolean).length)
      },
    ),
    { numRuns: 6 },
  )
})
