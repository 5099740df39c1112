// @module-tag once
// The filters by link type, badge, numbers, and the orders that readers choose; the same over REST and MCP.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onBoth } from '../harness/both-transports.ts'
import type { TestService } from '../harness/service.ts'
import { startDemo } from '../interop/demo.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemo()
})
afterAll(() => service.close())

const found = async (name: string, input: Record<string, unknown>): Promise<any[]> =>
  (await onBoth(service, name, { limit: 100, ...input })).data
const all = (name: string) => found(name, {})
const slugsOf = (listings: { slug: string }[]) => listings.map(({ slug }) => slug)
const isDescending = (values: number[]) => expect(values).toEqual(values.toSorted((a, b) => b - a))

describe('search_directories', () => {
  test.each<[Record<string, unknown>, (directory: any) => boolean]>([
    [{ type: 'dofollow' }, ({ type }) => type === 'DoFollow'],
    [{ type: 'NoFollow' }, ({ type }) => type === 'NoFollow'],
    [{ badge: 'required' }, ({ requiresBadge }) => requiresBadge],
    [{ badge: 'none' }, ({ requiresBadge }) => !requiresBadge],
    [{ minDomainRating: 70 }, ({ domainRating }) => (domainRating ?? -1) >= 70],
    [{ type: 'nofollow,DoFollow' }, ({ type }) => ['DoFollow', 'NoFollow'].includes(type)],
    [{ maxPrice: 30 }, ({ cost, minimumPrice }) => minimumPrice <= 30 && (cost !== 'Paid' || minimumPrice > 0)],
    [
      { type: 'DoFollow', badge: 'none', minDomainRating: 50 },
      (one) => one.type === 'DoFollow' && !one.requiresBadge && one.domainRating >= 50,
    ],
  ])('filters by %j', async (input, holds) => {
    const expected = (await all('search_directories')).filter(holds)
    expect(slugsOf(await found('search_directories', input))).toEqual(slugsOf(expected))
  })

  // The list of MCP tools has no room for them; agents say them in words.
  test.each<[string, (directory: any) => boolean]>([
    ['maxDomainRating=70', ({ domainRating }) => (domainRating ?? 101) <= 70],
    ['minPrice=10', ({ minimumPrice }) => minimumPrice >= 10],
  ])('filters by %s over REST', async (filter, holds) => {
    const expected = (await all('search_directories')).filter(holds)
    const { body } = await service.rest(`/directories?limit=100&${filter}`)
    expect(slugsOf(body.data)).toEqual(slugsOf(expected))
    for (const wrong of ['maxDomainRating=101', 'minPrice=-1'])
      expect((await service.rest(`/directories?${wrong}`)).status).toBe(400)
  })

  test('sorts by each order, with a question too', async () => {
    for (const q of [undefined, 'free directories', 'startup']) {
      const sorted = (sort: string) => found('search_directories', { q, match: undefined, sort })
      const number = (value: number | null) => value ?? -1
      if (q !== 'startup') {
        isDescending((await sorted('domain-rating')).map(({ domainRating }) => number(domainRating)))
        isDescending((await sorted('visits')).map(({ monthlyVisits }) => number(monthlyVisits)))
        isDescending((await sorted('newest')).map(({ createdAt }) => Date.parse(createdAt)))
      }
      expect(slugsOf(await sorted('match'))).toEqual(slugsOf(await found('search_directories', { q })))
    }
    const prices = (await found('search_directories', { sort: 'price' })).map(({ cost, minimumPrice }) =>
      cost === 'Paid' && minimumPrice === 0 ? Infinity : minimumPrice,
    )
    expect(prices).toEqual(prices.toSorted((a, b) => (a === b ? 0 : a - b)))
  })

  test.each([
    { minDomainRating: 'high' },
    { minDomainRating: 101 },
    { cost: 'Free,cheap' },
    { cost: ',' },
    { maxPrice: -1 },
    { badge: 'some' },
    { sort: 'best' },
  ])('refuses %j', async (input) => {
    await onBoth(service, 'search_directories', input, 400)
  })

  test('a filter that is given wins over the fact in the question', async () => {
    const given = await found('search_directories', { q: 'free DR over 90', minDomainRating: 10 })
    expect(given.every(({ domainRating }) => domainRating >= 10)).toBe(true)
  })
})

describe('search_tools', () => {
  test('filters by the least rating', async () => {
    const rated = (await all('search_tools')).map(({ rating }) => rating)
    const least = rated.toSorted()[Math.floor(rated.length / 2)]
    const listings = await found('search_tools', { minRating: least })
    expect(listings.every(({ rating }) => rating >= least)).toBe(true)
    const missing = (await all('search_tools')).filter(({ rating }) => rating >= least)
    expect(slugsOf(listings)).toEqual(expect.arrayContaining(slugsOf(missing)))
    await onBoth(service, 'search_tools', { minRating: 6 }, 400)
  })

  test('sorts by each order', async () => {
    isDescending((await found('search_tools', { sort: 'opens' })).map(({ opens }) => opens))
    isDescending((await found('search_tools', { sort: 'rating' })).map(({ rating }) => rating))
    isDescending(
      (await found('search_tools', { sort: 'newest', q: 'free' })).map(({ createdAt }) => Date.parse(createdAt)),
    )
    expect(slugsOf(await found('search_tools', { sort: 'match' }))).toEqual(slugsOf(await all('search_tools')))
  })
})
