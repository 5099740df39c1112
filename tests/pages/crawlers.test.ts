// What crawlers and other programs are told about the site.
// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { restOperations } from '../../src/features.ts'
import { sitemap, sitemapPart } from '../../src/surfaces/pages/site/programs/sitemap.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() =>
  service.load([
    { kind: 'category', slug: 'writing', name: 'Writing [x](y)', description: 'Words' },
    { kind: 'category', slug: 'nsfw', name: 'NSFW', adult: true },
    { kind: 'tag', slug: 'api', name: 'API' },
    { kind: 'tag', slug: 'spicy', name: 'Spicy', adult: true },
    { kind: 'tool', slug: 'one', name: 'One', category: 'writing' },
    { kind: 'tool', slug: 'two', name: 'Two' },
    { kind: 'tool', slug: 'adult', name: 'Adult', category: 'nsfw' },
    { kind: 'tool', slug: 'draft', name: 'Draft', published: false },
    { kind: 'directory', slug: 'launch', name: 'Launch' },
  ]),
)

const locations = (xml: string): string[] =>
  [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address!.slice(service.origin.length))

test('robots.txt names the sitemap and excludes what is not for crawlers', async () => {
  const { status, headers, text } = await service.fetch('/robots.txt')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(text).toContain(`Sitemap: ${service.origin}/sitemap.xml`)
  for (const path of ['/api/', '/mcp', '/dashboard', '/admin', '/tools/*/visit'])
    expect(text).toContain(`Disallow: ${path}\n`)
})

describe('Content-Signal of robots.txt', () => {
  test('allows searching and reading, not training, unless the operator says otherwise', async () => {
    const { text } = await service.fetch('/robots.txt')
    expect(text).toContain('User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\nAllow: /\n')
  })

  test.each([
    ['search=yes,ai-train=no', 'search=yes, ai-train=no'],
    ['off', ''],
  ])('CONTENT_SIGNAL=%s', (value, line) => {
    expect(readConfig({ CONTENT_SIGNAL: value }).CONTENT_SIGNAL).toBe(line)
  })

  test.each(['yes', 'search=maybe', 'search=yes, search=no', 'search=yes\nDisallow: /'])(
    '%j stops the start',
    (value) => {
      expect(() => readConfig({ CONTENT_SIGNAL: value })).toThrow('CONTENT_SIGNAL must be off or a list')
    },
  )
})

describe('the sitemap', () => {
  test('lists every page but adult ones and drafts, with the time of the last change', async () => {
    const { status, headers, text } = await service.fetch('/sitemap.xml')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8'])
    const paths = locations(text)
    expect(paths).toEqual([
      ...['/', '/tools', '/directories', '/plan', '/categories', '/tags', '/developers', '/developers/webhooks'],
      ...['/docs', '/policy', '/submit', '/submit/help', '/pricing'],
      '/docs/errors',
      ...['discover', ...restOperations.map(({ name }) => name)].map((name) => `/docs/${name}`),
      ...['/categories/writing', '/tags/api'],
      ...['/tools/one', '/tools/two'].toSorted((a, b) => paths.indexOf(a) - paths.indexOf(b)),
      '/directories/launch',
    ])
    expect(text.match(/<lastmod>\d{4}-\d\d-\d\dT[\d:.]+Z<\/lastmod>/g)).toHaveLength(3)
    for (const path of paths) expect([path, (await service.fetch(path)).status]).toEqual([path, 200])
  })

  test('is an index of parts when it is too long for one, and the parts together are complete', async () => {
    const paths = locations((await service.fetch('/sitemap.xml')).text)
    const entries = (kind: string, slugs: string[]) => ({
      index: {
        count: () => 1,
        find: ({ offset, limit }: { offset: number; limit: number }) => ({
          total: slugs.length,
          items: slugs.slice(offset, offset + limit).map((slug) => ({ slug, json: Buffer.from('{}'), kind })),
        }),
      },
    })
    const under = (folder: string) =>
      paths.flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []))
    const snapshot = {
      taxonomy: {
        categories: new Map([
          ['writing', { slug: 'writing', adult: false }],
          ['nsfw', { slug: 'nsfw', adult: true }],
        ]),
        tags: new Map([['api', { slug: 'api', adult: false }]]),
      },
      tools: entries('tool', under('/tools')),
      directories: entries('directory', under('/directories')),
    } as never
    const content = { snapshot, pages: paths.filter((path) => /^\/([^/]*|(developers|docs|submit)\/.*)$/.test(path)) }
    for (const size of [1, 2, 5, 12, 100]) {
      const index = await sitemap(content, service.origin, size)
      const parts = Math.ceil(paths.length / size)
      expect(index.includes('<sitemapindex')).toBe(parts > 1)
      if (parts > 1) expect(locations(index)).toEqual(Array.from({ length: parts }, (_, i) => `/sitemaps/${i + 1}.xml`))
      const together = await Promise.all(
        Array.from({ length: parts }, async (_, i) =>
          locations(await sitemapPart(content, service.origin, i + 1, size)),
        ),
      )
      expect(together.flat()).toEqual(paths)
      expect(together.every((part) => part.length <= size)).toBe(true)
      await expect(sitemapPart(content, service.origin, parts + 1, size)).rejects.toThrow('not found')
    }
  })
})

test('llms.txt says what the site has and where agents can ask, and a name cannot forge a link', async () => {
  const { status, headers, text } = await service.fetch('/llms.txt')
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(text).toMatch(/^# Catalog Service\n\n> /)
  expect(text).toContain('2 AI tools and 1 submission directories')
  for (const address of ['/mcp', '/api/v1/openapi.json', '/docs', '/developers', '/policy', '/categories/writing'])
    expect(text).toContain(`(${service.origin}${address})`)
  expect(text).toContain('search_tools, get_top_tools')
  expect(text).not.toMatch(/nsfw|\]\(y\)/i)
})
