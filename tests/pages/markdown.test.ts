// Every public page is Markdown for programs that ask for it, at the same address and with the same content.
// @module-tag once
import { marked } from 'marked'
import { beforeAll, describe, expect, test } from 'vitest'
import { prefersMarkdown } from '../../src/surfaces/pages/kit/sending/page-as-markdown.ts'
import { useService } from '../harness/use.ts'

/** Everything that has a meaning in Markdown, at the beginning of a text and inside. */
const HOSTILE =
  '# Big *bold* _thin_ `code` [link](javascript:alert(1)) ![x](https://evil.example/x.png) <script>alert(1)</script> <https://evil.example> | cell | ~~gone~~ &lt;b&gt; \\'

const service = useService()
beforeAll(async () => {
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing', description: HOSTILE },
    { kind: 'tag', slug: 'api', name: `API ${HOSTILE}` },
    {
      ...{ kind: 'tool', slug: 'one', name: `One ${HOSTILE}`, category: 'writing', tags: ['api'] },
      ...{ tagline: `- item ${HOSTILE}`, description: `1. first ${HOSTILE}\n\n> quoted\n\n===\n\nplain` },
      ...{ website: 'https://one.example/(a)', features: { [`Fast ${HOSTILE}`]: HOSTILE } },
      faqs: [{ question: `Why? ${HOSTILE}`, answer: HOSTILE }],
    },
    { kind: 'tool', slug: 'two', name: 'Two', category: 'writing', website: 'https://two.example' },
    { kind: 'directoryCategory', slug: 'startups', name: 'Startups' },
    { kind: 'directory', slug: 'launch', name: `Launch ${HOSTILE}`, categories: ['startups'], domainRating: 70 },
  ])
  await service.admin('PUT', '/site', { texts: { about: 'Words of the operator.' } })
  await service.admin('PUT', '/collections/first', {
    name: HOSTILE.slice(0, 60),
    text: 'Words',
    tools: ['one', 'two'],
    directories: ['launch'],
  })
})

const PAGES = [
  '/',
  '/tools',
  '/tools?q=one',
  '/tools/one',
  '/tools/one/alternatives',
  '/directories',
  '/directories/launch',
  '/search?q=one',
  '/categories',
  '/categories/writing',
  '/tags',
  '/tags/api',
  '/plan',
  '/compare?tools=one,two',
  '/developers',
  '/docs',
  '/docs/search_tools',
  '/policy',
  '/pricing',
  '/submit',
  '/developers/webhooks',
  '/about',
  '/collections',
  '/collections/first',
]
const asMarkdown = (path: string) => service.fetch(path, { headers: { accept: 'text/markdown' } })

test.each(PAGES)('%s is Markdown and HTML at one address', async (path) => {
  const markdown = await asMarkdown(path)
  expect([markdown.status, markdown.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
  const page = await service.fetch(path, { headers: { accept: 'text/html' } })
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  for (const { headers } of [markdown, page]) expect(headers.get('vary')).toBe('Accept, Accept-Encoding')
  expect(markdown.headers.get('etag')).not.toBe(page.headers.get('etag'))
  expect(markdown.text).toMatch(/^# \S/m)
})

test.each(PAGES)('no text of a listing has a meaning in the Markdown of %s', async (path) => {
  const { text } = await asMarkdown(path)
  const tokens: { type: string; href?: string; depth?: number; text?: string }[] = []
  marked.walkTokens(marked.lexer(text), (token) => void tokens.push(token as never))
  expect(tokens.filter(({ type }) => type === 'html' || type === 'del')).toEqual([])
  for (const { href } of tokens.filter(({ type }) => type === 'link' || type === 'image'))
    expect(href).toMatch(/^(?:https?|mailto):/)
  expect(tokens.filter(({ type, href }) => type === 'image' && href?.includes('evil.example'))).toEqual([])
  expect(tokens.filter(({ type, text }) => type === 'heading' && text?.startsWith('Big'))).toEqual([])
  expect(tokens.filter(({ type, text }) => type === 'codespan' && text === 'code')).toEqual([])
})

test('a listing says in Markdown what its page says', async () => {
  const { text } = await asMarkdown('/tools/two')
  expect(text).toContain('# Two\n')
  expect(text).toContain(`- **Category**: [Writing](${service.origin}/categories/writing)\n`)
  expect(text).toContain('- **Pricing**: Free\n')
  expect(text).not.toContain('Skip to content')
})

describe('the Link header', () => {
  test.each(['/', '/tools/one', '/directories/launch'])(
    'of %s names the API and the page as Markdown',
    async (path) => {
      const { headers } = await service.fetch(path)
      const links = [...headers.get('link')!.matchAll(/<([^>]*)>; rel="([^"]*)"/g)].map(([, href, rel]) => [rel, href])
      expect(links).toEqual([
        ['service-desc', '/api/v1/openapi.json'],
        ['service-doc', '/docs'],
        ['api-catalog', '/.well-known/api-catalog'],
        ['alternate', path],
      ])
      for (const [, href] of links) expect([href, (await service.fetch(href!)).status]).toEqual([href, 200])
    },
  )
})

test.each([
  ['text/markdown', true],
  ['text/markdown, text/html;q=0.9, */*;q=0.8', true],
  ['text/html, text/markdown', true],
  ['text/html, text/markdown;q=0.5', false],
  ['text/markdown;q=0', false],
  ['*/*', false],
  ['text/html,application/xhtml+xml,*/*;q=0.8', false],
  [undefined, false],
])('a request that accepts %s gets Markdown: %s', (accept, expected) => {
  expect(prefersMarkdown(accept)).toBe(expected)
})
