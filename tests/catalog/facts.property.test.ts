// @module-tag once
// What holds for every question with facts. FACT_QUESTIONS=1000 asks as many; CI asks a few dozen.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pick, randomFrom } from '../../bench/catalog.ts'
import type { Directory, Tool } from '../../src/features/catalog/schema.ts'
import { searchBoth } from '../../src/features/catalog/site/search-both.ts'
import { browseDirectories, browseTools } from '../../src/features/catalog/site/site-search.ts'
import { onBoth } from '../harness/both-transports.ts'
import type { TestService } from '../harness/service.ts'
import { startDemo } from '../interop/demo.ts'

const COUNT = Number(process.env.FACT_QUESTIONS ?? 36)

let service: TestService
beforeAll(async () => {
  service = await startDemo()
})
afterAll(() => service.close())

const TOOL_FACTS: Record<string, (tool: Tool) => boolean> = {
  free: ({ pricing }) => pricing !== 'PAID',
  'without paying': ({ pricing }) => pricing !== 'PAID',
  'with a free plan': ({ pricing }) => pricing === 'FREEMIUM',
  paid: ({ pricing }) => pricing === 'PAID',
  'not free': ({ pricing }) => pricing === 'PAID',
  'not freemium': ({ pricing }) => pricing !== 'FREEMIUM',
}
const DIRECTORY_FACTS: Record<string, (directory: Directory) => boolean> = {
  free: ({ cost }) => cost !== 'Paid',
  paid: ({ cost }) => cost === 'Paid',
  'with a DoFollow link': ({ type }) => type === 'DoFollow',
  nofollow: ({ type }) => type === 'NoFollow',
  'without a badge': ({ requiresBadge }) => !requiresBadge,
  'that require a badge': ({ requiresBadge }) => requiresBadge,
  'DR over 60': ({ domainRating }) => (domainRating ?? 0) >= 60,
  'domain rating below 50': ({ domainRating }) => domainRating !== null && domainRating < 50,
  'under $50': ({ minimumPrice }) => minimumPrice <= 50,
}
const WORDS =
  'writing images video startup launch notes meeting code products community email developers tools directories that the for best with a AI'.split(
    ' ',
  )

const random = randomFrom(29)
const words = () => Array.from({ length: Math.floor(random() * 4) }, () => pick(random, WORDS))
const questions = (facts: object) =>
  Array.from({ length: COUNT }, () => ({ plain: words().join(' ') || 'tools', fact: pick(random, Object.keys(facts)) }))

/** The listings that match fully. */
async function full<T>(path: 'tools' | 'directories', q: string, more = ''): Promise<T[]> {
  const found: T[] = []
  for (let page = 1; ; page++) {
    const { data, pagination } = (
      await service.rest(`/${path}?match=full&limit=100&page=${page}&q=${encodeURIComponent(q)}${more}`)
    ).body
    found.push(...data)
    if (page >= pagination.pages) return found
  }
}

describe('a fact that is added to a question', () => {
  test('adds no tool that lacks it', async () => {
    for (const { plain, fact } of questions(TOOL_FACTS))
      for (const q of [`${plain} ${fact}`, `${fact} ${plain}`]) {
        const before = new Set((await full<Tool>('tools', plain)).map(({ slug }) => slug))
        const added = (await full<Tool>('tools', q)).filter(({ slug }) => !before.has(slug))
        expect(
          added.filter((one) => !TOOL_FACTS[fact]!(one)).map(({ slug }) => slug),
          q,
        ).toEqual([])
      }
  }, 600_000)

  test('adds no directory that lacks it', async () => {
    for (const { plain, fact } of questions(DIRECTORY_FACTS))
      for (const q of [`${plain} ${fact}`, `${fact} ${plain}`]) {
        const before = new Set((await full<Directory>('directories', plain)).map(({ slug }) => slug))
        const added = (await full<Directory>('directories', q)).filter(({ slug }) => !before.has(slug))
        expect(
          added.filter((one) => !DIRECTORY_FACTS[fact]!(one)).map(({ slug }) => slug),
          q,
        ).toEqual([])
      }
  }, 600_000)
})

test('beside a filter of the same name a fact loses no listing that has its words', async () => {
  const CASES = [
    { path: 'tools', facts: Object.keys(TOOL_FACTS), filters: ['pricing=FREE', 'pricing=PAID'] },
    { path: 'directories', facts: ['free', 'paid'], filters: ['cost=Free', 'cost=Paid'] },
    { path: 'directories', facts: ['DR over 60'], filters: ['minDomainRating=55', 'minDomainRating=70'] },
  ] as const
  for (const { path, facts, filters } of CASES)
    for (const { plain } of questions(TOOL_FACTS).slice(0, COUNT / 3)) {
      const [q, filter] = [`${pick(random, facts)} ${plain}`, pick(random, filters)]
      const slugs = async (more: string) =>
        (await full<Tool | Directory>(path, q, `&${filter}${more}`)).map(({ slug }) => slug)
      expect(await slugs(''), `${q} with ${filter}`).toEqual(expect.arrayContaining(await slugs('&facts=off')))
    }
}, 600_000)

test('facts=off gives what the index finds for the words', async () => {
  const { tools, directories } = service.context().catalog.snapshot()
  for (const { plain, fact } of questions({ ...TOOL_FACTS, ...DIRECTORY_FACTS })) {
    const q = `${plain} ${fact}`
    for (const [path, index, none] of [
      ['tools', tools.index, ['adult']] as const,
      ['directories', directories.index, []] as const,
    ]) {
      const { body, headers } = await service.rest(`/${path}?facts=off&q=${encodeURIComponent(q)}`)
      const { items, total } = index.find({ q, none, partial: true, offset: 0, limit: 20 })
      expect([body.data.map(({ slug }: { slug: string }) => slug), body.pagination.total], q).toEqual([
        items.map(({ slug }) => slug),
        total,
      ])
      expect([headers.get('x-catalog-understood'), headers.get('x-catalog-missing')]).toEqual([null, null])
    }
  }
}, 600_000)

test('REST, MCP and the site find the same, in the same order', async () => {
  const ctx = service.context()
  const slugsOf = (listings: { slug: string }[]) => listings.map(({ slug }) => slug)
  for (const { plain, fact } of questions({ ...TOOL_FACTS, ...DIRECTORY_FACTS })) {
    const q = `${fact} ${plain}`
    const tools = await onBoth(service, 'search_tools', { q })
    const directories = await onBoth(service, 'search_directories', { q })
    const onSite = await browseTools(ctx, { q, page: 1, limit: 20 })
    const directoriesOnSite = await browseDirectories(ctx, { q, page: 1, limit: 20 })
    expect([slugsOf(onSite.listings), onSite.total], q).toEqual([slugsOf(tools.data), tools.pagination.total])
    expect([slugsOf(directoriesOnSite.listings), directoriesOnSite.total], q).toEqual([
      slugsOf(directories.data),
      directories.pagination.total,
    ])
    const both = await searchBoth(ctx, { q, limit: 6 })
    expect([slugsOf(both.tools.listings), slugsOf(both.directories.listings)], q).toEqual([
      slugsOf(tools.data).slice(0, 6),
      slugsOf(directories.data).slice(0, 6),
    ])
  }
}, 600_000)
