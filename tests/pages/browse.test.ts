// The lists of the site show what the API answers for the same filter.
// @module-tag slow
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Directory, Tool } from '../../src/features/catalog/schema.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { startService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(async () => {
  for (const file of ['taxonomy', 'tools', 'directories']) await service.load(seeds(file))
})

const seeds = (file: string): object[] =>
  readFileSync(new URL(`../../seeds/demo/${file}.ndjson`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

async function openList(
  path: string,
  kind: 'tools' | 'directories',
): Promise<{ slugs: string[]; count: number; text: string }> {
  const { status, text } = await service.fetch(path, { headers: { accept: BROWSER } })
  expect([path, status]).toEqual([path, 200])
  const results = text.slice(text.indexOf('id="results"'))
  return {
    slugs: [...results.matchAll(new RegExp(`<h3><a href="/${kind}/([^"?]+)`, 'g'))].map(([, slug]) => slug!),
    count: Number(/data-count="([\d,]+)/.exec(results)![1]!.replace(',', '')),
    text,
  }
}

const allFromApi = async (kind: 'tools' | 'directories', query = ''): Promise<any[]> => {
  const found: any[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { body } = await service.rest(`/${kind}?${query}&limit=100&page=${page}`)
    pages = body.pagination.pages
    found.push(...body.data)
  }
  return found
}

describe('the list of tools', () => {
  test.each([
    '',
    'q=writing',
    'q=meeting+notes',
    'q=imge',
    'category=writing',
    'tag=api',
    'pricing=FREE',
    'pricing=freemium',
    'category=image&pricing=paid',
    'q=code&category=code&tag=open-source',
    'category=nsfw',
    'category=nope',
    'page=2',
    'page=99',
    'page=abc',
    'q=!!!',
  ])('shows at /tools?%s what GET /tools answers', async (query) => {
    const { slugs, count, text } = await openList(`/tools?${query}`, 'tools')
    const { data, pagination } = (await service.rest(`/tools?${query}`)).body
    expect(slugs).toEqual(data.map(({ slug }: Tool) => slug))
    expect(count).toBe(pagination.total)
    await expectSound(text)
  })

  test('takes adult=true for includeAdult=true', async () => {
    const { count } = await openList('/tools?adult=true', 'tools')
    expect(count).toBe((await service.rest('/tools?includeAdult=true')).body.pagination.total)
  })

  test('is the same on the page of a category or tag as with that filter', async () => {
    expect((await openList('/categories/writing', 'tools')).slugs).toEqual(
      (await openList('/tools?category=writing', 'tools')).slugs,
    )
    expect((await openList('/tags/api', 'tools')).slugs).toEqual((await openList('/tools?tag=api', 'tools')).slugs)
  })

  test('keeps the filters in the links between pages', async () => {
    const { text } = await openList('/tools?q=a&pricing=FREEMIUM', 'tools')
    expect(text).toContain('href="/tools?q=a&amp;pricing=FREEMIUM&amp;page=2"')
    const { text: second } = await openList('/tools?q=a&pricing=FREEMIUM&page=2', 'tools')
    expect(second).toContain('href="/tools?q=a&amp;pricing=FREEMIUM" rel="prev"')
    expect(text).toContain('name="pricing[]" value="FREEMIUM" checked>')
  })

  test('shows markup in a filter as text', async () => {
    const { text } = await openList(
      `/tools?q=${encodeURIComponent('"><script>alert(1)</script>')}&category=${encodeURIComponent('"><b>')}`,
      'tools',
    )
    await expectSound(text)
    expect(text).not.toMatch(/<script>alert|<b>/)
  })
})

describe('the list of directories', () => {
  test.each([
    '',
    'q=startup',
    'category=communities',
    'cost=Free',
    'cost=paid',
    'q=product&cost=free',
    'page=2',
    'page=99',
  ])('shows at /directories?%s what GET /directories answers', async (query) => {
    const { slugs, count, text } = await openList(`/directories?${query}`, 'directories')
    const { data, pagination } = (await service.rest(`/directories?${query}`)).body
    expect(slugs).toEqual(data.map(({ slug }: Directory) => slug))
    expect(count).toBe(pagination.total)
    await expectSound(text)
  })

  test.each<[string, (directory: Directory) => boolean]>([
    ['badge=required', ({ requiresBadge }) => requiresBadge],
    ['badge=none', ({ requiresBadge }) => !requiresBadge],
    ['type=DoFollow', ({ type }) => type === 'DoFollow'],
    ['type=nofollow', ({ type }) => type === 'NoFollow'],
    ['rating=70', ({ domainRating }) => (domainRating ?? 0) >= 70],
    ['rating=90&cost=free', ({ domainRating, cost }) => (domainRating ?? 0) >= 90 && cost === 'Free'],
    [
      'rating=50&type=dofollow&badge=none&sort=rating',
      ({ domainRating, type, requiresBadge }) => (domainRating ?? 0) >= 50 && type === 'DoFollow' && !requiresBadge,
    ],
  ])('filters by %s', async (query, holds) => {
    const expected = (await allFromApi('directories')).filter(holds)
    const { slugs, count } = await openList(`/directories?${query}`, 'directories')
    expect(expected.length).toBeGreaterThan(0)
    expect(count).toBe(expected.length)
    // The API orders by Domain Rating when there is no q.
    expect(slugs).toEqual(expected.slice(0, 20).map(({ slug }) => slug))
  })

  test('sorts by Domain Rating or by age, with q too', async () => {
    const found = await allFromApi('directories', 'q=startup')
    const byRating = await openList('/directories?q=startup&sort=rating', 'directories')
    const ratings = byRating.slugs.map((slug) => found.find((directory) => directory.slug === slug).domainRating)
    expect(byRating.count).toBe(found.length)
    expect(ratings).toEqual(ratings.toSorted((a, b) => (b ?? -1) - (a ?? -1)))
    const ages = (await openList('/directories?q=startup&sort=newest', 'directories')).slugs.map(
      (slug) => found.find((directory) => directory.slug === slug).createdAt,
    )
    expect(ages).toEqual(ages.toSorted().reverse())
  })
})

test('the site links every one of 700 tags, and offers the most used ones as filters', async () => {
  const many = await startService()
  try {
    const tags = Array.from({ length: 700 }, (_, i) => `a${String(i).padStart(4, '0')}`)
    await many.load([
      ...[...tags, 'zebra'].map((slug) => ({ kind: 'tag', slug, name: slug })),
      // The home page has tags from six on.
      ...['one', 'two'].map((slug) => ({ kind: 'tool', slug, name: slug, tags: ['zebra', ...tags.slice(0, 5)] })),
    ])
    const open = async (path: string) => (await many.fetch(path, { headers: { accept: BROWSER } })).text
    const tagsPage = await open('/tags')
    for (const slug of ['a0000', 'a0699', 'zebra']) expect(tagsPage).toContain(`"/tags/${slug}"`)
    expect(await open('/')).toContain('"/tags/zebra"')
    expect(await open('/tools')).toContain('value="zebra"')
  } finally {
    await many.close()
  }
})
