import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onBoth } from '../harness/both-transports.ts'
import { FIXTURE, isAdult, publishedTools, slugsOf, sortedSlugs, visibleTools } from '../harness/fixture.ts'
import { limitCases, pageCases } from '../harness/paging-cases.ts'
import { startService, type TestService } from '../harness/service.ts'
import { TOOL_EXTRAS } from '../harness/shapes.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.load(FIXTURE)
})
afterAll(() => service.close())

const search = (input: Record<string, unknown> = {}) => onBoth(service, 'search_tools', input)
const refused = async (input: Record<string, unknown>) => (await onBoth(service, 'search_tools', input, 400)).error
const slugs = async (input: Record<string, unknown>) => slugsOf((await search({ limit: 100, ...input })).data)
const sorted = async (input: Record<string, unknown>) => (await slugs(input)).sort()
const having = (matches: (line: (typeof visibleTools)[number]) => boolean) => sortedSlugs(visibleTools.filter(matches))

describe('200', () => {
  test('data is an array of Tool objects without the single-tool extras, plus pagination', async () => {
    const { data, pagination } = await search()
    expect(data).toHaveLength(20)
    expect(pagination).toEqual({ page: 1, limit: 20, total: visibleTools.length, pages: 2 })
    for (const field of Object.keys(TOOL_EXTRAS)) expect(data[0]).not.toHaveProperty(field)
  })

  test('only published listings are returned', async () => {
    expect(await sorted({})).toEqual(sortedSlugs(visibleTools))
    expect(await slugs({ q: 'hidden draft' })).toEqual([])
  })

  describe('paging', () => {
    test.each(limitCases(20, 100))('limit that is %s', async (_case, limit, applied) => {
      const { data, pagination } = await search({ limit })
      expect(pagination.limit).toBe(applied)
      expect(data).toHaveLength(Math.min(applied, visibleTools.length))
    })

    test.each(pageCases)('page floors at 1: %s', async (_case, page, applied) => {
      expect((await search({ page, limit: 5 })).pagination.page).toBe(applied)
    })

    test('a page past the end: empty data and the true total', async () => {
      const { data, pagination } = await search({ page: 9, limit: 10 })
      expect(data).toEqual([])
      const pages = Math.ceil(visibleTools.length / 10)
      expect(pagination).toEqual({ page: 9, limit: 10, total: visibleTools.length, pages })
    })

    test.each([
      ['1e30', '1e30'],
      ['1e30 as a number', 1e30],
      ['beyond the safe integers', '9007199254740993'],
      ['beyond any number type', '9'.repeat(400)],
    ])('page=%s is not an error but past the end', async (_case, page) => {
      const { data, pagination } = await search({ page })
      expect(data).toEqual([])
      expect(pagination.total).toBe(visibleTools.length)
    })

    test('pages is 0 when nothing matched', async () => {
      const { data, pagination } = await search({ q: 'nonexistentword' })
      expect(data).toEqual([])
      expect(pagination).toEqual({ page: 1, limit: 20, total: 0, pages: 0 })
    })

    test.each([1, 3, 7])('the order is total, so pages of %i never overlap', async (limit) => {
      const whole = await slugs({})
      const joined: string[] = []
      for (let page = 1; page <= Math.ceil(whole.length / limit); page++)
        joined.push(...slugsOf((await search({ page, limit })).data))
      expect(joined).toEqual(whole)
    })
  })

  describe('order', () => {
    test('without q: newest first, then id', async () => {
      const { data } = await search({ limit: 100 })
      const places = data.map((tool: any) => [tool.createdAt, tool.id])
      expect(places).toEqual([...places].sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? 1 : -1)))
      // The tie is really there.
      expect(new Set(places.map(([at]: [string]) => at)).size).toBeLessThan(places.length)
    })

    test('with q: a hit in the name outweighs tagline and tags, and those outweigh the description', async () => {
      expect(await slugs({ q: 'wombat' })).toEqual(['wombat-desk', 'page-turner', 'burrow', 'plain-notes'])
    })

    test('with q and equal relevance: opens descending, then newest, then id', async () => {
      const { data } = await search({ q: 'twin' })
      expect(slugsOf(data.slice(-2))).toEqual(['twin-beta', 'twin-alpha'])
      const tied = data.slice(0, 3)
      expect(sortedSlugs(tied)).toEqual(['twin-delta', 'twin-gamma', 'twin-kappa'])
      const ids = tied.map((tool: any) => tool.id)
      expect(ids).toEqual([...ids].sort())
    })

    test('featured never buys a better place', async () => {
      expect((await slugs({})).at(-1)).toBe('ancient-lamp')
    })
  })

  describe('q', () => {
    test.each([
      ['name', 'burrow', 'burrow'],
      ['tagline', 'patience', 'page-turner'],
      ['description', 'read', 'plain-notes'],
      ['tag names', 'français', 'story-teller'],
    ])('is matched against the %s', async (_field, q, slug) => expect(await slugs({ q })).toEqual([slug]))

    test('is matched against the category name', async () => {
      expect(await sorted({ q: 'audio' })).toEqual(having((line) => line.category === 'audio'))
    })

    test('all words must match', async () => {
      expect(await slugs({ q: 'wombat desk' })).toEqual(['wombat-desk'])
      expect(await slugs({ q: 'wombat turner' })).toEqual(['page-turner'])
      expect(await slugs({ q: 'burrow turner' })).toEqual([])
    })

    test.each([
      ['function words may be absent', 'a teller with the story'],
      ['another English form of a word matches', 'stories'],
      ['a longer word that begins with it matches', 'tell'],
      ['an unknown word matches words a small typo away', 'stroy'],
      ['case is ignored', 'STORY tELLER'],
    ])('%s', async (_rule, q) => expect(await slugs({ q })).toEqual(['story-teller']))

    test.each(['cafe', 'CAFÉ', 'creme brulee', 'Crème', 'aero'])('accents are ignored: %s', async (q) => {
      expect(await slugs({ q })).toEqual(['cafe-noir'])
    })

    test.each(['zqxcanary', 'private', 'zqxcanary-full-house@private.example'])(
      'is never matched against e-mail addresses or any other private field: %s',
      async (q) => expect(await slugs({ q, category: undefined })).toEqual([]),
    )
  })

  describe('filters', () => {
    test.each(['FREE', 'free', 'Free'])('pricing is accepted in any case: %s', async (pricing) => {
      expect(await sorted({ pricing })).toEqual(having((line) => line.pricing === 'FREE'))
    })

    test.each(['FREEMIUM', 'PAID'])('pricing=%s', async (pricing) => {
      expect(await sorted({ pricing })).toEqual(having((line) => line.pricing === pricing))
    })

    test.each([true, 'true', '1', 1])('featured=%s is a filter', async (featured) => {
      expect(await sorted({ featured })).toEqual(having((line) => line.featured))
    })

    test.each([false, 'false', '0', 0])('featured=%s: only the others', async (featured) => {
      expect(await sorted({ featured })).toEqual(having((line) => !line.featured))
    })

    test('category and tag are slugs', async () => {
      expect(await sorted({ category: 'code' })).toEqual(having((line) => line.category === 'code'))
      expect(await sorted({ tag: 'api' })).toEqual(having((line) => line.tags.includes('api')))
    })

    test('every condition must hold', async () => {
      expect(await sorted({ category: 'code', tag: 'api', pricing: 'free', featured: false, q: 'filler' })).toEqual(
        having((line) => line.category === 'code' && line.tags.includes('api') && line.pricing === 'FREE'),
      )
    })

    test.each([{ category: 'no-such' }, { tag: 'no-such' }, { category: 'editors' }, { category: '__proto__' }])(
      'an unknown category or tag slug is an empty result, not an error: %o',
      async (input) => expect((await search(input)).pagination).toMatchObject({ total: 0, pages: 0 }),
    )

    test('an unknown parameter is ignored', async () => {
      expect(await search({ colour: 'red', sort: 'name', __proto__x: 1 })).toEqual(await search())
    })
  })

  describe('adult listings', () => {
    const all = sortedSlugs(publishedTools)
    const rest = async (query: string) => (await service.rest(`/tools?limit=100&${query}`)).body.data

    test('are excluded from /tools by default, by category and by tag', async () => {
      const found = await slugs({})
      for (const tool of publishedTools.filter(isAdult)) expect(found).not.toContain(tool.slug)
    })

    test.each(['true', '1'])('includeAdult=%s includes adult listings', async (value) => {
      expect(sortedSlugs(await rest(`includeAdult=${value}`))).toEqual(all)
    })

    test.each(['false', '0'])('includeAdult=%s does not', async (value) => {
      expect(sortedSlugs(await rest(`includeAdult=${value}`))).toEqual(sortedSlugs(visibleTools))
    })

    test('includeAdult is no MCP input and has no effect there', async () => {
      const { envelope } = await service.tool('search_tools', { limit: 100, includeAdult: true })
      expect(sortedSlugs(envelope.data)).toEqual(sortedSlugs(visibleTools))
    })

    test('category=nsfw opts in', async () =>
      expect(await sorted({ category: 'nsfw' })).toEqual(['red-room', 'velvet']))

    test('naming an adult tag opts in', async () => {
      expect(await sorted({ tag: 'adult-content' })).toEqual(['after-dark', 'boudoir', 'velvet'])
    })

    test('naming another tag does not opt in', async () => expect(await slugs({ tag: 'api' })).not.toContain('velvet'))

    test('category=image returns image tools without adult ones', async () => {
      expect(await sorted({ category: 'image' })).toEqual(['photo-barn', 'pixel-garden'])
      expect(sortedSlugs(await rest('category=image&includeAdult=true'))).toContain('boudoir')
    })
  })
})

describe('400', () => {
  test.each(['CHEAP', 'FREE,PAID', '1', 'null'])('another pricing lists the allowed ones: %s', async (pricing) => {
    expect(await refused({ pricing })).toBe('pricing must be one of FREE, FREEMIUM, PAID.')
  })

  test.each(['yes', 'TRUE', '2', 'on', 2])('another boolean: featured=%s', async (featured) => {
    expect(await refused({ featured })).toMatch(/^featured must be true, false, 1 or 0/)
  })

  test('includeAdult=yes', async () => {
    const reply = await service.rest('/tools?includeAdult=yes')
    expect(reply.status).toBe(400)
    expect(reply.body.error).toMatch(/^includeAdult must be/)
  })

  test('a parameter that is given twice, whatever its type', async () => {
    expect(await refused({ q: ['a', 'b'] })).toBe('q must be given once.')
    expect(await refused({ pricing: ['FREE', 'PAID'] })).toBe('pricing must be given once.')
    expect(await refused({ featured: [true, false] })).toBe('featured must be given once.')
  })

  test('every offending parameter is named', async () => {
    const error = await refused({ pricing: 'x', featured: 'y', q: 'a'.repeat(501) })
    for (const name of ['pricing', 'featured', 'q ']) expect(error).toContain(name)
  })
})
