// @module-tag slow
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Directory, Tool } from '../../src/features/catalog/schema.ts'
import { renderPage } from '../../src/surfaces/pages/kit/sending/document.ts'
import { directoryPage } from '../../src/surfaces/pages/site/listing/directory.ts'
import { toolPage } from '../../src/surfaces/pages/site/listing/tool.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import type { Reply } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

/** The address under which a stored picture was served before the service moved to another host. */
const STORED_PICTURE = `https://earlier.example/media/${'a'.repeat(40)}.webp`
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</script><script>alert(2)</script>',
  '<!-- --!> ]]> &amp; &#x3c;',
  'line\u2028separator\u2029end',
  '\u202egnp.exe\u202c \u2066isolated',
  '👩‍👩‍👧‍👦🇵🇹 emoji',
  'W'.repeat(120),
].join(' ')
const CANARIES = ['canary-founder@example.com', 'canary.example/submit']
const hostileMap = { [HOSTILE]: 'https://social.example/"><script>alert(3)</script>' }
const questions = [{ question: HOSTILE, answer: HOSTILE }]

const LISTINGS = [
  { kind: 'category', slug: 'evil', name: HOSTILE.slice(0, 200) },
  { kind: 'tag', slug: 'evil', name: HOSTILE.slice(0, 200) },
  { kind: 'directoryCategory', slug: 'evil', name: HOSTILE.slice(0, 200) },
  {
    kind: 'tool',
    slug: 'hostile',
    name: HOSTILE.slice(0, 200),
    tagline: HOSTILE,
    description: `${HOSTILE}\n\n${HOSTILE}`,
    website: 'https://hostile.example/"onclick="alert(1)',
    category: 'evil',
    tags: ['evil'],
    icon: 'https://hostile.example/"onerror="alert(1).png',
    frame: 'https://hostile.example/frame.png',
    screenshots: ['http://plain.example/unsafe.png', 'https://hostile.example/shot.png', STORED_PICTURE],
    video: 'https://www.youtube.com/watch?v=abc',
    founderName: HOSTILE.slice(0, 200),
    founderEmail: 'canary-founder@example.com',
    location: HOSTILE.slice(0, 200),
    discountCode: '<b>"10"</b>',
    isForSale: true,
    askingPrice: 12_000,
    domainRating: 12.5,
    affiliate: true,
    affiliateLink: 'https://hostile.example/partners',
    socials: hostileMap,
    faqs: questions,
    features: { [HOSTILE]: HOSTILE, ' ': 'a feature without a name' },
  },
  { kind: 'tool', slug: 'bare', name: 'Bare', founderEmail: 'canary-founder@example.com' },
  {
    kind: 'directory',
    slug: 'hostile',
    name: HOSTILE.slice(0, 200),
    website: 'https://hostile.example',
    submissionLink: 'https://canary.example/submit',
    type: HOSTILE.slice(0, 50),
    categories: ['evil'],
    smallDescription: HOSTILE,
    fullDescription: HOSTILE,
    features: [HOSTILE, ''],
    useCases: [HOSTILE],
    faq: questions,
    deal: { text: HOSTILE, code: '<10>' },
    socials: hostileMap,
    submissionExperience: HOSTILE.slice(0, 200),
  },
  { kind: 'directory', slug: 'bare', name: 'Bare', submissionLink: 'https://canary.example/submit' },
]

const FOLDERS = {
  category: 'categories',
  tag: 'tags',
  directoryCategory: 'directory-categories',
  tool: 'tools',
  directory: 'directories',
}

const service = useService()
beforeAll(async () => {
  for (const file of ['taxonomy', 'tools', 'directories']) await service.load(seeds(file))
  // Each listing is stored by its own request, because an import of the separators U+2028 and U+2029 fails at present.
  for (const { kind, slug, ...body } of LISTINGS) {
    const reply = await service.admin('PUT', `/${FOLDERS[kind as keyof typeof FOLDERS]}/${slug}`, body)
    expect([reply.text, reply.status]).toEqual([expect.any(String), 200])
  }
  await service.settled()
})

const seeds = (file: string): object[] =>
  readFileSync(new URL(`../../seeds/demo/${file}.ndjson`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const open = (path: string): Promise<Reply> => service.fetch(path, { headers: { accept: BROWSER } })

async function everyUrl(): Promise<string[]> {
  const urls: string[] = []
  for (const path of ['/tools?includeAdult=true&', '/directories?'])
    for (let page = 1, pages = 1; page <= pages; page++) {
      const { body } = await service.rest(`${path}limit=100&page=${page}`)
      pages = body.pagination.pages
      for (const { url } of body.data) urls.push(url.slice(service.origin.length))
    }
  return urls
}

test('the page of a listing with endless lists shows as much as visitors read', async () => {
  const features = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`Feature ${i}`, 'words '.repeat(500)]))
  const faqs = Array.from({ length: 3 }, (_, i) => ({ question: `Question ${i}?`, answer: 'Yes.' }))
  const put = await service.admin('PUT', '/tools/endless', { name: 'Endless', features, faqs })
  expect(put.status, put.text).toBeLessThan(300)
  const page = (await open('/tools/endless')).text
  expect(page.match(/<dt /g)).toHaveLength(16)
  expect(page).toContain('The API has 44 more.')
  expect(page).toContain('Question 2?')
  const { data } = (await service.admin('GET', '/tools?q=endless')).body
  expect(Object.keys(data[0].features)).toHaveLength(60)
})

describe('the pages of listings', () => {
  // Two hundred pages are validated, which takes long on a busy machine.
  test('are valid and without private fields for every listing, and so is the home page', {
    timeout: 120_000,
  }, async () => {
    const urls = await everyUrl()
    expect(urls.length).toBeGreaterThan(200)
    for (const path of ['/', ...urls]) {
      const reply = await open(path.startsWith('/tools/') ? `${path}?adult=true` : path)
      expect([path, reply.status, reply.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
      await expectSound(reply.text, CANARIES)
    }
  })

  test('show of a tool what is known and leave out what is not', async () => {
    const { text } = await open('/tools/hostile')
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    const title = /<title>(.*)<\/title>/.exec(text)![1]!.replace(/&\w+;|&#\d+;/g, '&')
    expect(title.length).toBeLessThanOrEqual(70)
    expect(title).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
    expect(text).toContain('<a class="button" href="/tools/hostile/visit" rel="nofollow noopener">')
    expect(text).toContain('Yes, asking price $12,000')
    expect(text).toContain('<code>&lt;b&gt;&quot;10&quot;&lt;/b&gt;</code>')
    // Only pictures that the service stores are shown.
    expect(text).toContain(`src="${new URL(STORED_PICTURE).pathname}"`)
    expect(text).not.toMatch(/src="(https?:)?\/\/|plain\.example|hostile\.example\/(shot|frame)/)
    expect((await open('/tools/hostile')).headers.get('content-security-policy')).toMatch(/img-src 'self';/)
    expect(text).toContain(`<link rel="canonical" href="${service.origin}/tools/hostile">`)
    const bare = await open('/tools/bare')
    expect(bare.text).not.toContain('Visit website')
    expect(bare.text).not.toMatch(/Founder|Location|Features|Screenshots|null|undefined/)
  })

  test("link a directory's own site, never the submission form", async () => {
    const { text } = await open('/directories/hostile')
    expect(text).toContain('<a class="button" href="https://hostile.example" rel="nofollow noopener">')
    expect(text).toContain('<code>&lt;10&gt;</code>')
  })

  test('show nothing of an adult listing before the visitor opts in, and ask search engines to leave it out', async () => {
    const { body } = await service.rest('/tools?category=nsfw&limit=1')
    const { slug, name } = body.data[0]
    const [question, page] = [await open(`/tools/${slug}`), await open(`/tools/${slug}?adult=true`)]
    for (const { status, text } of [question, page]) {
      expect(status).toBe(200)
      expect(text).toContain('<meta name="robots" content="noindex">')
      expect(text).toContain('<meta name="rating" content="adult">')
    }
    expect(question.text).not.toContain(name)
    expect(question.text).toContain(`href="/tools/${slug}?adult=true"`)
    expect(page.text).toContain(`<h1 dir="auto">${name}</h1>`)
    await expectSound(question.text, CANARIES)
    expect((await open('/tools/grammarly')).text).not.toMatch(/noindex|name="rating"/)
  })

  test('are counted on the home page, which links the top tools that are not adult, new ones and the strongest directories', async () => {
    const { text } = await open('/')
    const [top, strongest] = [await service.rest('/tools/top?limit=11'), await service.rest('/directories?limit=6')]
    const linked = (kind: string) =>
      [...text.matchAll(new RegExp(`href="/${kind}/([^"]+)"`, 'g'))].map(([, slug]) => slug)
    const topSlugs: string[] = top.body.data.map((tool: Tool) => tool.slug)
    const newest: Tool[] = (await service.rest('/tools?limit=6&sort=newest')).body.data
    const weekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString()
    const fresh = newest.filter(({ slug, createdAt }) => String(createdAt) > weekAgo && !topSlugs.includes(slug))
    expect(linked('tools').filter((slug) => topSlugs.includes(slug!))).toEqual(topSlugs)
    expect(linked('tools').filter((slug) => !topSlugs.includes(slug!))).toEqual(fresh.map(({ slug }) => slug))
    expect(linked('directories')).toEqual(strongest.body.data.map((directory: Directory) => directory.slug))
    const { total } = (await service.rest('/tools?limit=1')).body.pagination
    expect(text).toContain(`${total} tools and ${strongest.body.pagination.total} directories`)
    const categories: { slug: string }[] = (await service.rest('/categories')).body.data
    // A category counts what its page lists, which is without adult tools.
    const counted: { slug: string; count: number }[] = []
    for (const { slug } of categories.filter(({ slug }) => slug !== 'nsfw')) {
      const [, count] = /data-count="(\d+) tools? found"/.exec((await open(`/categories/${slug}`)).text) ?? []
      counted.push({ slug, count: Number(count) })
    }
    expect(linked('categories')).toEqual(counted.toSorted((a, b) => b.count - a.count).map(({ slug }) => slug))
    for (const address of ['/api/v1', '/mcp', '/api/v1/openapi.json']) expect(text).toContain(service.origin + address)
  })

  test('have only http and https links and only stored pictures, whatever was stored', async () => {
    const bad = 'javascript:alert(1)//'
    for (const website of [
      bad,
      ' JavaScript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      '//x.example',
      '/x',
      'https://user:pass@x.example/',
    ]) {
      const tool = {
        ...(await service.rest('/tools/hostile')).body.data,
        website,
        icon: website,
        frame: 'http://x.example/1.png',
      }
      const made = { ...tool, screenshots: [website], video: website, affiliateLink: website, socials: { x: website } }
      const text = renderPage(toolPage(made, { adult: false, currency: 'USD' })).toString()
      await expectSound(text, CANARIES)
      expect(text).not.toMatch(/<img|Elsewhere|Visit website/)
      const directory = {
        ...(await service.rest('/directories/hostile')).body.data,
        website,
        icon: website,
        frame: website,
      }
      const page = renderPage(directoryPage({ ...directory, socials: { x: website } })).toString()
      await expectSound(page, CANARIES)
      expect(page).not.toMatch(/<img|Elsewhere|Visit website/)
    }
  })
})

test('the page of an error is valid too', async () => {
  for (const path of ['/tools/nope', '/directories/nope', '/tools/nope/visit', '/tools/%3Cscript%3E']) {
    const { text, status } = await open(path)
    expect(status).toBe(404)
    await expectSound(text, CANARIES)
  }
})
