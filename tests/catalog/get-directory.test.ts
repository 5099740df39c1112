// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { onBoth } from '../harness/both-transports.ts'
import { CANARY, FIXTURE, FULL_DIRECTORY, publishedDirectories } from '../harness/fixture.ts'
import { DIRECTORY_EXTRAS, expectFailure } from '../harness/shapes.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(FIXTURE))

const directory = (slug: string) => onBoth(service, 'get_directory', { slug })

describe('GET /directories/:slug', () => {
  test('answers with one Directory object and its extra fields', async () => {
    expect((await directory('launch-list')).data).toMatchObject({
      ...FULL_DIRECTORY,
      slug: 'launch-list',
      name: 'Launch List',
      url: `${service.origin}/directories/launch-list`,
      categories: [
        { slug: 'saas', name: 'SaaS' },
        { slug: 'ai', name: 'AI' },
      ],
      createdAt: '2026-02-01T08:00:00.000Z',
    })
  })

  test('gives null or the empty value of its type for a field that was never filled in', async () => {
    const { id, slug, name, url, website, createdAt, updatedAt, ...rest } = (await directory('bare-directory')).data
    expect(rest).toEqual({
      icon: null,
      cost: 'Free',
      type: '',
      domainRating: 12,
      monthlyVisits: null,
      requiresBadge: false,
      minimumPrice: 0,
      submissionExperience: null,
      featured: false,
      categories: [],
      smallDescription: null,
      fullDescription: null,
      features: [],
      useCases: [],
      faq: [],
      deal: null,
      frame: null,
      socials: {},
    })
  })

  test('has the same common fields as the search', async () => {
    for (const summary of (await onBoth(service, 'search_directories', { limit: 4 })).data) {
      const { data } = await directory(summary.slug)
      const common = Object.entries(data).filter(([field]) => !(field in DIRECTORY_EXTRAS))
      expect(Object.fromEntries(common)).toEqual(summary)
    }
  })

  test('never returns the field submissionLink', async () => {
    for (const { slug } of publishedDirectories) expect(JSON.stringify(await directory(slug))).not.toContain(CANARY)
  })
})

describe('GET /directories/:slug answers 404', () => {
  test.each([
    ['unknown', 'no-such-directory'],
    ['not published', 'hidden-directory'],
    ['that of a tool', 'full-house'],
    ['spelt in another case', 'Launch-List'],
    ['a name of every object', 'constructor'],
    ['a prototype', '__proto__'],
    ['2,000 characters long', 'a'.repeat(2000)],
  ])('to a slug that is %s', async (_case, slug) => {
    expect(await onBoth(service, 'get_directory', { slug }, 404)).toEqual({
      success: false,
      error: 'Directory not found.',
      code: 'not_found',
    })
  })
})

describe('get_directory over MCP answers 400', () => {
  test.each([[{}], [{ slug: null }], [{ slug: { a: 1 } }], [{ slug: ['launch-list'] }]])(
    'when slug is missing or no string: %o',
    async (input) => {
      const { isError, text } = await service.tool('get_directory', input)
      expect(isError).toBe(true)
      expect(expectFailure(JSON.parse(text))).toContain('slug')
    },
  )
})
