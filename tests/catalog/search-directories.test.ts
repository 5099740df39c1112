// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { onBoth } from '../harness/both-transports.ts'
import { CANARY, FIXTURE, publishedDirectories, slugsOf, sortedSlugs } from '../harness/fixture.ts'
import { limitCases, pageCases } from '../harness/paging-cases.ts'
import { DIRECTORY_EXTRAS } from '../harness/shapes.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(FIXTURE))

const search = (input: Record<string, unknown> = {}) => onBoth(service, 'search_directories', input)
const slugs = async (input: Record<string, unknown>) => slugsOf((await search({ limit: 100, ...input })).data)
const having = (matches: (line: (typeof publishedDirectories)[number]) => boolean) =>
  sortedSlugs(publishedDirectories.filter(matches))

describe('GET /directories', () => {
  test('gives an array of Directory objects without the extra fields, and pagination', async () => {
    const { data, pagination } = await search()
    expect(sortedSlugs(data)).toEqual(sortedSlugs(publishedDirectories))
    expect(pagination).toEqual({ page: 1, limit: 20, total: publishedDirectories.length, pages: 1 })
    for (const field of Object.keys(DIRECTORY_EXTRAS)) expect(data[0]).not.toHaveProperty(field)
  })

  test('never returns the field submissionLink', async () => {
    expect(JSON.stringify(await search({ limit: 100 }))).not.toContain(CANARY)
  })

  describe('paging', () => {
    test.each(limitCases(20, 100))('accepts a limit that is %s', async (_case, limit, applied) => {
      const { data, pagination } = await search({ limit })
      expect(pagination.limit).toBe(applied)
      expect(data).toHaveLength(Math.min(applied, publishedDirectories.length))
    })

    test.each(pageCases)('takes page 1 for anything lower: %s', async (_case, page, applied) => {
      expect((await search({ page, limit: 5 })).pagination.page).toBe(applied)
    })

    test.each([7, 1e30])('gives empty data and the true total for a page past the end: %d', async (page) => {
      const { data, pagination } = await search({ page, limit: 5 })
      expect(data).toEqual([])
      expect(pagination).toMatchObject({ total: publishedDirectories.length, pages: 3 })
    })

    test('has a total order, so that pages never overlap', async () => {
      const joined: string[] = []
      for (let page = 1; page <= 8; page++) joined.push(...slugsOf((await search({ page, limit: 2 })).data))
      expect(joined).toEqual(await slugs({}))
    })
  })

  describe('order', () => {
    test('without q is by Domain Rating descending (null last), then name, then id', async () => {
      const { data } = await search({ limit: 100 })
      const found = slugsOf(data)
      expect(found.slice(0, 3)).toEqual(['peak', 'long-read', 'launch-list'])
      expect(found.slice(3, 5)).toEqual(['tie-ant', 'tie-emu'])
      expect(found.slice(5, 8).sort()).toEqual(['tie-same-1', 'tie-same-2', 'tie-same-3'])
      const ids = data.slice(5, 8).map((directory: any) => directory.id)
      expect(ids).toEqual([...ids].sort())
      expect(found[8]).toBe('tie-zebra')
      expect(found.slice(-3)).toEqual(['zero', 'no-rating-a', 'no-rating-b'])
    })

    test('with q is by a match in the name, then in the small description, then in the full description', async () => {
      expect(await slugs({ q: 'kiwi' })).toEqual(['kiwi-hunt', 'fruit-list', 'long-read'])
    })
  })

  describe('q', () => {
    test.each([
      ['name', 'peak', ['peak']],
      ['smallDescription', 'daily', ['launch-list']],
      ['fullDescription', 'somewhere', ['long-read']],
      ['category names without accents', 'ecologie', ['tie-emu']],
    ])('is matched against the %s', async (_field, q, found) => expect(await slugs({ q })).toEqual(found))

    test('is never matched against submission links', async () => expect(await slugs({ q: CANARY })).toEqual([]))
  })

  describe('filters', () => {
    test.each(['Free', 'FREE', 'free'])('cost is accepted in any case: %s', async (cost) => {
      expect((await slugs({ cost })).sort()).toEqual(having((line) => line.cost === 'Free'))
    })

    test.each(['Paid', 'Freemium'])('cost=%s filters by that cost', async (cost) => {
      expect((await slugs({ cost })).sort()).toEqual(having((line) => line.cost === cost))
    })

    test.each([true, '1'])('featured=%s gives only featured directories', async (featured) => {
      expect((await slugs({ featured })).sort()).toEqual(having((line) => line.featured))
    })

    test.each([false, '0'])('featured=%s gives only the others', async (featured) => {
      expect((await slugs({ featured })).sort()).toEqual(having((line) => !line.featured))
    })

    test('category is a directory-category slug', async () => {
      expect((await slugs({ category: 'saas' })).sort()).toEqual(having((line) => line.categories.includes('saas')))
    })

    test.each(['no-such', 'writing', 'saa'])('an unknown category is an empty result: %s', async (category) => {
      expect((await search({ category })).pagination).toMatchObject({ total: 0, pages: 0 })
    })

    test('an unknown parameter is ignored over REST', async () => {
      expect((await service.rest('/directories?pricing=x&includeAdult=x')).body).toEqual(await search())
    })
  })
})

describe('GET /directories answers 400', () => {
  test.each(['Cheap', 'Free,Paid', 0])('with the allowed values to another cost: %s', async (cost) => {
    const { error } = await onBoth(service, 'search_directories', { cost }, 400)
    expect(error).toBe('cost must be one of Free, Paid, Freemium.')
  })

  test('to another value of a boolean', async () => {
    expect((await onBoth(service, 'search_directories', { featured: 'yes' }, 400)).error).toContain('featured')
  })
})
