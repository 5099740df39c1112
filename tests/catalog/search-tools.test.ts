// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { onBoth } from '../harness/both-transports.ts'
import { FIXTURE, isAdult, publishedTools, slugsOf, sortedSlugs, visibleTools } from '../harness/fixture.ts'
import { limitCases, pageCases } from '../harness/paging-cases.ts'
import { TOOL_EXTRAS } from '../harness/shapes.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(FIXTURE))

const search = (input: Record<string, unknown> = {}) => onBoth(service, 'search_tools', input)
const errorFor = async (input: Record<string, unknown>) => (await onBoth(service, 'search_tools', input, 400)).error
const slugs = async (input: Record<string, unknown>) => slugsOf((await search({ limit: 100, ...input })).data)
const sorted = async (input: Record<string, unknown>) => (await slugs(input)).sort()
const having = (matches: (line: (typeof visibleTools)[number]) => boolean) => sortedSlugs(visibleTools.filter(matches))

describe('GET /tools', () => {
  test('gives an array of Tool objects without the extra fields of one tool, and pagination', async () => {
    const { data, pagination } = await search()
    expect(data).toHaveLength(20)
    expect(pagination).toEqual({ page: 1, limit: 20, total: visibleTools.length, pages: 2 })
    for (const field of Object.keys(TOOL_EXTRAS)) expect(data[0]).not.toHaveProperty(field)
  })

  test('returns only published listings', async () => {
    expect(await sorted({})).toEqual(sortedSlugs(visibleTools))
    expect(await slugs({ q: 'hidden draft' })).not.toContain('hidden-draft')
  })

  describe('paging', () => {
    test.each(limitCases(20, 100))('accepts a limit that is %s', async (_case, limit, applied) => {
      const { data, pagination } = await search({ limit })
      expect(pagination.limit).toBe(applied)
      expect(data).toHaveLength(Math.min(applied, visibleTools.length))
    })

    test.each(pageCases)('takes page 1 for anything lower: %s', async (_case, page, applied) => {
      expect((await search({ page, limit: 5 })).pagination.page).toBe(applied)
    })

    test('gives empty data and the true total for a page past the end', async () => {
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
    ])('takes page=%s for a page past the end', async (_case, page) => {
      const { data, pagination } = await search({ page })
      expect(data).toEqual([])
      expect(pagination.total).toBe(visibleTools.length)
    })

    test('gives 0 pages when nothing matched', async () => {
      const { data, pagination } = await search({ q: 'nonexistentword' })
      expect(data).toEqual([])
      expect(pagination).toEqual({ page: 1, limit: 20, total: 0, pages: 0 })
    })

    test.each([1, 3, 7])('has a total order, so that pages of %i never overlap', async (limit) => {
      const whole = await slugs({})
      const joined: string[] = []
      for (let page = 1; page <= Math.ceil(whole.length / limit); page++)
        joined.push(...slugsOf((await search({ page, limit })).data))
      expect(joined).toEqual(whole)
    })
  })

  describe('order', () => {
    test('without q is newest first, then id', async () => {
      const { data } = await search({ limit: 100 })
      const places = data.map((tool: any) => [tool.createdAt, tool.id])
      expect(places).toEqual([...places].sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? 1 : -1)))
      // Some tools were created at the same time, so that the id decides.
      expect(new Set(places.map(([at]: [string]) => at)).size).toBeLessThan(places.length)
    })

    test('with q is by a match in the name, then in the tagline and tags, then in the description', async () => {
      const { data } = (await service.rest('/tools?q=wombat&facts=off')).body
      expect(data.map(({ slug }: any) => slug)).toEqual(['wombat-desk', 'page-turner', 'burrow', 'plain-notes'])
    })

    test('with q that is the name of a tag begins with the listings that have the tag', async () => {
      expect(await slugs({ q: 'wombat' })).toEqual(['burrow', 'wombat-desk', 'page-turner', 'plain-notes'])
    })

    test('with q and equal relevance is by opens descending, then newest, then id', async () => {
      const { data } = await search({ q: 'twin' })
      expect(slugsOf(data.slice(-2))).toEqual(['twin-beta', 'twin-alpha'])
      const tied = data.slice(0, 3)
      expect(sortedSlugs(tied)).toEqual(['twin-delta', 'twin-gamma', 'twin-kappa'])
      const ids = tied.map((tool: any) => tool.id)
      expect(ids).toEqual([...ids].sort())
    })

    test('does not place a featured tool higher', async () => {
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

    test('puts the listings that match all of its words first', async () => {
      expect((await slugs({ q: 'wombat desk' }))[0]).toEqual('wombat-desk')
      expect((await slugs({ q: 'wombat turner' }))[0]).toEqual('page-turner')
    })

    test.each([
      ['matches without its function words', 'a teller with the story'],
      ['matches another English form of a word', 'stories'],
      ['matches a longer word with the same beginning', 'tell'],
      ['matches words that differ from an unknown word by a small typo', 'stroy'],
      ['ignores case', 'STORY tELLER'],
    ])('%s', async (_rule, q) => expect(await slugs({ q })).toEqual(['story-teller']))

    test.each(['cafe', 'CAFÉ', 'creme brulee', 'Crème', 'aero'])('ignores accents: %s', async (q) => {
      expect(await slugs({ q })).toEqual(['cafe-noir'])
    })

    // The listing's own name is in the address, so this address finds it by the words of the name.
    test.each([
      ['zqxcanary', []],
      ['private', []],
      ['zqxcanary@private.example', []],
      ['zqxcanary-full-house@private.example', ['full-house']],
    ])('is never matched against e-mail addresses or any other private field: %s', async (q, found) =>
      expect(await slugs({ q, category: undefined })).toEqual(found),
    )
  })

  describe('filters', () => {
    test.each(['FREE', 'free', 'Free'])('pricing is accepted in any case: %s', async (pricing) => {
      expect(await sorted({ pricing })).toEqual(having((line) => line.pricing === 'FREE'))
    })

    test.each(['FREEMIUM', 'PAID'])('pricing=%s filters by that pricing', async (pricing) => {
      expect(await sorted({ pricing })).toEqual(having((line) => line.pricing === pricing))
    })

    test.each([true, 'true', '1', 1])('featured=%s gives only featured tools', async (featured) => {
      expect(await sorted({ featured })).toEqual(having((line) => line.featured))
    })

    test.each([false, 'false', '0', 0])('featured=%s gives only the others', async (featured) => {
      expect(await sorted({ featured })).toEqual(having((line) => !line.featured))
    })

    test('category and tag filter by slug', async () => {
      expect(await sorted({ category: 'code' })).toEqual(having((line) => line.category === 'code'))
      expect(await sorted({ tag: 'api' })).toEqual(having((line) => line.tags.includes('api')))
    })

    test('several filters must all hold', async () => {
      expect(await sorted({ category: 'code', tag: 'api', pricing: 'free', featured: false, q: 'filler' })).toEqual(
        having((line) => line.category === 'code' && line.tags.includes('api') && line.pricing === 'FREE'),
      )
    })

    test.each([{ category: 'no-such' }, { tag: 'no-such' }, { category: 'editors' }, { category: '__proto__' }])(
      'an unknown category or tag slug gives an empty result, not an error: %o',
      async (input) => expect((await search(input)).pagination).toMatchObject({ total: 0, pages: 0 }),
    )

    test('an unknown parameter is ignored over REST', async () => {
      expect((await service.rest('/tools?colour=red&order=name&__proto__x=1')).body).toEqual(await search())
    })
  })

  describe('adult listings', () => {
    const all = sortedSlugs(publishedTools)
    const rest = async (query: string) => (await service.rest(`/tools?limit=100&${query}`)).body.data

    test('are left out of /tools by default, by category and by tag', async () => {
      const found = await slugs({})
      for (const tool of publishedTools.filter(isAdult)) expect(found).not.toContain(tool.slug)
    })

    test.each(['true', '1'])('are included with includeAdult=%s', async (value) => {
      expect(sortedSlugs(await rest(`includeAdult=${value}`))).toEqual(all)
    })

    test.each(['false', '0'])('are left out with includeAdult=%s', async (value) => {
      expect(sortedSlugs(await rest(`includeAdult=${value}`))).toEqual(sortedSlugs(visibleTools))
    })

    test('are left out over MCP, where includeAdult is no input', async () => {
      const { envelope } = await service.tool('search_tools', { limit: 100 })
      expect(sortedSlugs(envelope.data)).toEqual(sortedSlugs(visibleTools))
      expect(await service.tool('search_tools', { limit: 100, includeAdult: true })).toMatchObject({ isError: true })
    })

    test('are included by category=nsfw', async () =>
      expect(await sorted({ category: 'nsfw' })).toEqual(['red-room', 'velvet']))

    test('are included by an adult tag', async () => {
      expect(await sorted({ tag: 'adult-content' })).toEqual(['after-dark', 'boudoir', 'velvet'])
    })

    test('are left out by any other tag', async () => expect(await slugs({ tag: 'api' })).not.toContain('velvet'))

    test('are left out of category=image', async () => {
      expect(await sorted({ category: 'image' })).toEqual(['photo-barn', 'pixel-garden'])
      expect(sortedSlugs(await rest('category=image&includeAdult=true'))).toContain('boudoir')
    })
  })
})

describe('GET /tools answers 400', () => {
  test.each(['CHEAP', 'FREE,PAID', '1', 'null'])('with the allowed values to another pricing: %s', async (pricing) => {
    expect(await errorFor({ pricing })).toBe('pricing must be one of FREE, FREEMIUM, PAID.')
  })

  test.each(['yes', 'TRUE', '2', 'on', 2])('to another boolean: featured=%s', async (featured) => {
    expect(await errorFor({ featured })).toMatch(/^featured must be true, false, 1 or 0/)
  })

  test('to includeAdult=yes', async () => {
    const reply = await service.rest('/tools?includeAdult=yes')
    expect(reply.status).toBe(400)
    expect(reply.body.error).toMatch(/^includeAdult must be/)
  })

  test('to a parameter of any type that is given twice', async () => {
    expect(await errorFor({ q: ['a', 'b'] })).toBe('q must be given once, as one text.')
    expect(await errorFor({ pricing: ['FREE', 'PAID'] })).toBe('pricing must be given once.')
    expect(await errorFor({ featured: [true, false] })).toBe('featured must be given once.')
  })

  test('and names every wrong parameter', async () => {
    const error = await errorFor({ pricing: 'x', featured: 'y', q: 'a'.repeat(501) })
    for (const name of ['pricing', 'featured', 'q ']) expect(error).toContain(name)
  })
})
