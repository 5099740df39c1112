// The lists of the site: what a filter shows is what the API answers.
// @module-tag slow
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Directory, Tool } from '../../src/features/catalog/schema.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  for (const file of ['taxonomy', 'tools', 'directories']) await service.load(seeds(file))
})
afterAll(() => service.close())

const seeds = (file: string): object[] =>
  readFileSync(new URL(`../../seeds/demo/${file}.ndjson`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

async function shown(
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

const all = async (kind: 'tools' | 'directories', query = ''): Promise<any[]> => {
  const found: any[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { body } = await service.rest(`/${kind}?${query}&limit=100&page=${page}`)
    pages = body.pagination.pages
    found.push(...body.data)
  }
  return found
}

describe('tools', () => {
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
  ])('/tools?%s shows what GET /tools answers', async (query) => {
    const { slugs, count, text } = await shown(`/tools?${query}`, 'tools')
    const { data, pagination } = (await service.rest(`/tools?${query}`)).body
    expect(slugs).toEqual(data.map(({ slug }: Tool) => slug))
    expect(count).toBe(pagination.total)
    await expectSound(text)
  })

  test('adult=true is includeAdult=true', async () => {
    const { count } = await shown('/tools?adult=true', 'tools')
    expect(count).toBe((await service.rest('/tools?includeAdult=true')).body.pagination.total)
  })

  test('the pages of a category and a tag show what /tools shows for them', async () => {
    expect((await shown('/categories/writing', 'tools')).slugs).toEqual(
      (await shown('/tools?category=writing', 'tools')).slugs,
    )
    expect((await shown('/tags/api', 'tools')).slugs).toEqual((await shown('/tools?tag=api', 'tools')).slugs)
  })

  test('links between pages keep the filters', async () => {
    const { text } = await shown('/tools?q=a&pricing=FREEMIUM', 'tools')
    expect(text).toContain('href="/tools?q=a&amp;pricing=FREEMIUM&amp;page=2"')
    const { text: second } = await shown('/tools?q=a&pricing=FREEMIUM&page=2', 'tools')
    expect(second).toContain('href="/tools?q=a&amp;pricing=FREEMIUM" rel="prev"')
    expect(text).toContain('<option value="FREEMIUM" selected>')
  })

  test('hostile words are shown as words', async () => {
    const { text } = await shown(
      `/tools?q=${encodeURIComponent('"><script>alert(1)</script>')}&category=${encodeURIComponent('"><b>')}`,
      'tools',
    )
    await expectSound(text)
    expect(text).not.toMatch(/<script>alert|<b>/)
  })
})

describe('directories', () => {
  test.each([
    '',
    'q=startup',
    'category=communities',
    'cost=Free',
    'cost=paid',
    'q=product&cost=free',
    'page=2',
    'page=99',
  ])('/directories?%s shows what GET /directories answers', async (query) => {
    const { slugs, count, text } = await shown(`/directories?${query}`, 'directories')
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
  ])('%s', async (query, holds) => {
    const expected = (await all('directories')).filter(holds)
    const { slugs, count } = await shown(`/directories?${query}`, 'directories')
    expect(expected.length).toBeGreaterThan(0)
    expect(count).toBe(expected.length)
    // Without words, the API's own order is by Domain Rating.
    expect(slugs).toEqual(expected.slice(0, 20).map(({ slug }) => slug))
  })

  test('sorted by Domain Rating or by age, with words too', async () => {
    const found = await all('directories', 'q=startup')
    const byRating = await shown('/directories?q=startup&sort=rating', 'directories')
    const ratings = byRating.slugs.map((slug) => found.find((directory) => directory.slug === slug).domainRating)
    expect(byRating.count).toBe(found.length)
    expect(ratings).toEqual(ratings.toSorted((a, b) => (b ?? -1) - (a ?? -1)))
    const ages = (await shown('/directories?q=startup&sort=newest', 'directories')).slugs.map(
      (slug) => found.find((directory) => directory.slug === slug).createdAt,
    )
    expect(ages).toEqual(ages.toSorted().reverse())
  })
})

test('every tag is on the site, however many there are, and the most used are the ones to choose from', async () => {
  const many = await startService()
  try {
    const tags = Array.from({ length: 700 }, (_, i) => `a${String(i).padStart(4, '0')}`)
    await many.load([
      ...[...tags, 'zebra'].map((slug) => ({ kind: 'tag', slug, name: slug })),
      ...['one', 'two'].map((slug) => ({ kind: 'tool', slug, name: slug, tags: ['zebra', 'a0001'] })),
    ])
    const open = async (path: string) => (await many.fetch(path, { headers: { accept: BROWSER } })).text
    const all = await open('/tags')
    for (const slug of ['a0000', 'a0699', 'zebra']) expect(all).toContain(`"/tags/${slug}"`)
    expect(await open('/')).toContain('"/tags/zebra"')
    expect(await open('/tools')).toContain('value="zebra"')
  } finally {
    await many.close()
  }
})
