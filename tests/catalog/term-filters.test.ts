// The filters category and tag take slugs or names, in any case, and several of them.
import { beforeAll, describe, expect, test } from 'vitest'
import { onBoth } from '../harness/both-transports.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(async () => {
  const tool = (slug: string, category: string, tags: string[]) => ({
    kind: 'tool',
    slug,
    name: slug,
    website: `https://${slug}.example.com`,
    pricing: 'FREE',
    category,
    tags,
  })
  const directory = (slug: string, categories: string[]) => ({
    kind: 'directory',
    slug,
    name: slug,
    website: `https://${slug}.example.com`,
    cost: 'Free',
    categories,
  })
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'category', slug: 'image', name: 'Images, Photos' },
    { kind: 'category', slug: 'nsfw', name: 'For Adults', adult: true },
    { kind: 'tag', slug: 'c', name: 'C++' },
    { kind: 'tag', slug: 'c-2', name: 'C' },
    { kind: 'tag', slug: 'ecriture', name: 'Écriture 写作' },
    { kind: 'tag', slug: 'spicy', name: 'Spicy', adult: true },
    { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' },
    { kind: 'directoryCategory', slug: 'dev', name: 'Developer Tools' },
    tool('plus', 'writing', ['c']),
    tool('plain', 'image', ['c-2']),
    tool('both', 'writing', ['c', 'c-2', 'ecriture']),
    tool('adult', 'nsfw', []),
    tool('hot', 'image', ['spicy']),
    directory('one', ['saas']),
    directory('two', ['dev']),
    directory('three', ['saas', 'dev']),
  ])
})

const found = async (operation: string, input: Record<string, unknown>) =>
  (await onBoth(service, operation, input)).data.map(({ slug }: { slug: string }) => slug).sort()

describe.each(['search_tools', 'get_top_tools'])('category of %s', (operation) => {
  test.each([
    ['writing', ['both', 'plus']],
    ['WRITING', ['both', 'plus']],
    [' Writing ', ['both', 'plus']],
    ['IMAGE', ['plain']],
    ['images, photos', ['plain']],
    ['writing, Images, Photos', ['both', 'plus']],
    ['writing,image', ['both', 'plain', 'plus']],
    ['Writing , unheard-of', ['both', 'plus']],
    ['unheard-of', []],
    ['unheard-of,neither', []],
    ['nsfw', ['adult']],
    ['for adults', ['adult']],
    ['image, For Adults', ['adult', 'hot', 'plain']],
  ])('%j', async (category, slugs) => expect(await found(operation, { category })).toEqual(slugs))
})

describe('tag of search_tools', () => {
  test.each([
    ['c', ['both', 'plus']],
    ['C', ['both', 'plain']],
    ['c++', ['both', 'plus']],
    ['éCRITURE 写作', ['both']],
    ['c++,c-2', ['both', 'plain', 'plus']],
    ['Spicy', ['hot']],
    ['ecriture, SPICY', ['both', 'hot']],
    ['nothing', []],
    ['x,'.repeat(1200), []],
  ])('%s', async (tag, slugs) => expect(await found('search_tools', { tag })).toEqual(slugs))

  test('with other filters and words', async () => {
    expect(await found('search_tools', { q: 'plus', tag: 'c,C', category: 'Writing' })).toEqual(['plus'])
  })
})

test.each([
  ['SAAS', ['one', 'three']],
  ['developer tools', ['three', 'two']],
  ['saas,Developer Tools', ['one', 'three', 'two']],
  ['none', []],
])('category of search_directories: %j', async (category, slugs) => {
  expect(await found('search_directories', { category })).toEqual(slugs)
})

test('a name that an operator changes is found at once, and its old one no more', async () => {
  await service.admin('PUT', '/tags/ecriture', { name: 'Prose' })
  expect(await found('search_tools', { tag: 'PROSE' })).toEqual(['both'])
  expect(await found('search_tools', { tag: 'Écriture 写作' })).toEqual([])
  await service.admin('PUT', '/tags/zebra', { name: 'Anchovy' })
  await service.admin('PUT', '/tags/aardvark', { name: 'zoo' })
  const names = (await service.rest('/tags')).body.data.map(({ name }: { name: string }) => name)
  expect(names).toEqual(['Anchovy', 'C', 'C++', 'Prose', 'Spicy', 'zoo'])
  expect((await service.rest('/tags?q=anchovy')).body.data).toMatchObject([{ slug: 'zebra' }])
  await service.admin('DELETE', '/tags/zebra')
  expect((await service.rest('/tags?q=anchovy')).body.data).toEqual([])
})

test('the operator list and the site take names too', async () => {
  const listed = async (path: string) =>
    (await service.admin('GET', path)).body.data.map(({ slug }: any) => slug).sort()
  expect(await listed('/tools?tag=C%2B%2B,spicy')).toEqual(['both', 'hot', 'plus'])
  expect(await listed('/tools?category=For%20Adults')).toEqual(['adult'])
  expect(await listed('/directories?category=saas')).toEqual(['one', 'three'])
  const page = (await service.fetch('/tools?category=WRITING')).text
  expect(page).toContain('/tools/both')
  expect(page).not.toContain('/tools/plain"')
  expect((await service.fetch('/directories?category=developer%20tools')).text).toContain('/directories/two')
})
