// @module-tag once
// Every public page answers, has the right head, needs no JavaScript and stays small.
import { get } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { KEY_BUDGETS, PARTNER_BUDGETS, PLAN_PRICES, VISITOR_BUDGETS } from '../../src/features/keys/budgets.rules.ts'
import { POLICY_VERSION } from '../../src/features/keys/rules.ts'
import { restOperations } from '../../src/features.ts'
import { PRELOADED_FONTS, SCRIPT, STYLESHEET } from '../../src/surfaces/pages/assets.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { type Reply, startService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const LISTINGS = [
  { kind: 'category', slug: 'writing', name: 'Writing', description: 'Words & more.', icon: '✍️' },
  { kind: 'category', slug: 'nsfw', name: 'NSFW', adult: true },
  { kind: 'tag', slug: 'api', name: 'API' },
  { kind: 'tag', slug: 'spicy', name: 'Spicy', adult: true },
  { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' },
  ...Array.from({ length: 25 }, (_, i) => ({
    kind: 'tool',
    slug: `tool-${i}`,
    name: `Tool ${i}`,
    tagline: `Does thing ${i}`,
    category: 'writing',
    tags: i % 2 ? ['api'] : [],
    website: 'https://tool.example',
    video: ['https://youtu.be/abcdefghijk', 'https://vimeo.com/12345', 'https://video.example/1'][i % 3],
    features: { One: 'First' },
    faqs: [{ question: 'Why?', answer: 'Because.' }],
    socials: { x: 'https://x.com/tool' },
    screenshots: ['https://tool.example/1.png'],
    discountCode: 'TEN',
    opens: i,
  })),
  { kind: 'tool', slug: 'adult-tool', name: 'Forbidden', category: 'nsfw', website: 'https://adult.example' },
  { kind: 'tool', slug: 'tagged-tool', name: 'Forbidden too', category: 'writing', tags: ['spicy'] },
  {
    kind: 'directory',
    slug: 'launch',
    name: 'Launch',
    categories: ['saas'],
    deal: { text: 'Half price', code: 'HALF' },
    useCases: ['Finding first users'],
    faq: [{ question: 'How long?', answer: 'A day.' }],
  },
]

/** Each page with its canonical address for search engines, or null if it has none. */
const PAGES: Record<string, string | null> = {
  '/': '/',
  '/search': null,
  '/search?q=thing': null,
  '/tools': '/tools',
  '/tools?page=2': '/tools?page=2',
  '/tools?page=9': null,
  '/tools?q=thing': null,
  '/tools?category=writing': '/categories/writing',
  '/tools?tag=api': '/tags/api',
  '/tools?category=writing&tag=api': null,
  '/tools?pricing=free': null,
  '/tools?q=&category=&tag=&pricing=': '/tools',
  '/tools?category=nope': null,
  '/tools/tool-0': '/tools/tool-0',
  '/categories': '/categories',
  '/categories/writing': '/categories/writing',
  '/categories/writing?page=2': '/categories/writing?page=2',
  '/tags': '/tags',
  '/tags/api': '/tags/api',
  '/directories': '/directories',
  '/directories?category=saas': '/directories?category=saas',
  '/directories?cost=free&sort=rating': null,
  '/directories?rating=90': null,
  '/directories/launch': '/directories/launch',
  '/developers': '/developers',
  '/docs': '/docs',
  '/docs/search_tools': '/docs/search_tools',
  '/docs/errors': '/docs/errors',
  '/policy': '/policy',
  '/submit': '/submit',
  '/submit/help': '/submit/help',
  '/pricing': '/pricing',
}

const service = useService()
beforeAll(() => service.load(LISTINGS))

const open = (path: string): Promise<Reply> => service.fetch(path, { headers: { accept: BROWSER } })

describe('the public site', () => {
  test.each(Object.entries(PAGES))('serves %s as a valid page with the right head', async (path, canonical) => {
    const { status, text, headers } = await open(path)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('public, max-age=60')
    await expectSound(text)
    expect(text.match(/<h1/g)).toHaveLength(1)
    expect(/<title>(.+)<\/title>/.exec(text)![1]).toContain('Catalog Service')
    expect(text).toMatch(/<meta name="description" content="[^"]{10,}">/)
    const url = canonical === null ? null : service.origin + canonical
    expect(/<link rel="canonical" href="([^"]+)">/.exec(text)?.[1] ?? null).toBe(url)
    expect(/<meta property="og:url" content="([^"]+)">/.exec(text)?.[1] ?? null).toBe(url)
    expect(text.includes('<meta name="robots" content="noindex">')).toBe(url === null)
    for (const place of ['/tools', '/directories', '/developers', '/sign-in']) expect(text).toContain(`href="${place}"`)
    expect(text).toContain('<a class="skip" href="#content">')
    // Only the pictures of listings come from other hosts.
    expect(text.match(/<(?:link|script)[^>]*(?:href|src)="https?:[^"]*"/g) ?? []).toSatisfy((tags: string[]) =>
      tags.every((tag) => tag.includes('rel="canonical"')),
    )
  })

  test('leads to a key, to submitting and to prices from the menu of narrow screens too', async () => {
    const [, menu = ''] = /<details class="head-menu">(.*?)<\/details>/s.exec((await open('/')).text) ?? []
    for (const place of ['/sign-up', '/submit', '/pricing', '/sign-in']) expect(menu).toContain(`href="${place}"`)
  })

  test('allows pages one script of our own, and frames of the two video hosts', async () => {
    const policy = (await open('/')).headers.get('content-security-policy')!
    const parts = new Map(policy.split('; ').map((part) => [part.split(' ')[0], part.split(' ').slice(1).join(' ')]))
    expect(parts.get('script-src')).toBe("'self'")
    expect(parts.get('style-src')).toBe("'self'")
    expect(parts.get('font-src')).toBe("'self'")
    expect(parts.get('connect-src')).toBe("'self'")
    expect(parts.get('form-action')).toBe("'self'")
    expect(parts.get('frame-src')).toBe('https://www.youtube-nocookie.com https://player.vimeo.com')
    expect(policy).not.toMatch(/unsafe|\*/)
  })

  test('has only plain GET forms with a button, and plain links', async () => {
    for (const path of ['/', '/tools', '/directories', '/categories/writing']) {
      const { text } = await open(path)
      const forms = [...text.matchAll(/<form[^>]*>.*?<\/form>/gs)].map(([form]) => form)
      expect(forms.length).toBeGreaterThan(0)
      for (const form of forms) {
        expect(form).toMatch(/action="\/(tools|directories|search|compare)" method="get"/)
        expect(form).toContain('<button type="submit"')
      }
      expect(text).not.toMatch(/<a(?![^>]*\shref=)[^>]*>/)
      // A button that needs JavaScript is hidden without it.
      for (const [button] of text.matchAll(/<button type="button"[^>]*>/g)) expect(button).toContain(' hidden')
    }
  })

  test('shows a video as a link that becomes a player on a click, from hosts that set no cookie', async () => {
    expect((await open('/tools/tool-0')).text).toContain(
      'href="https://youtu.be/abcdefghijk" rel="nofollow noopener" data-embed="https://www.youtube-nocookie.com/embed/abcdefghijk?autoplay=1"',
    )
    expect((await open('/tools/tool-1')).text).toContain('data-embed="https://player.vimeo.com/video/12345?dnt=1"')
    const other = (await open('/tools/tool-2')).text
    expect(other).toContain('href="https://video.example/1"')
    expect(other).not.toContain('data-embed')
    expect(other).not.toContain('<iframe')
  })

  test('shows a picture of its own until the video is played: a stored screenshot, or the tile', async () => {
    const posterOf = async (slug: string) =>
      /<a class="poster[^>]*>(.*?)<\/a>/s.exec((await open(`/tools/${slug}`)).text)![1]!
    expect(await posterOf('tool-0')).toMatch(
      /^<span class="tile big hue-\d p-\d(?: strong)?" aria-hidden="true">T<\/span><span class="button">/,
    )
    const shot = `/media/${'a'.repeat(40)}.webp`
    const { data } = (await service.admin('GET', '/tools/tool-1')).body
    const screenshots = ['https://tool.example/1.png', service.origin + shot]
    expect(
      (await service.admin('PUT', '/tools/tool-1', { ...data, category: 'writing', tags: ['api'], screenshots }))
        .status,
    ).toBe(200)
    await service.settled()
    expect(await posterOf('tool-1')).toMatch(new RegExp(`^<img class="picture" src="${shot}" alt=""`))
  })

  test('shows similar tools after a tool: the most opened of its category first, without itself and adult ones', async () => {
    const { text } = await open('/tools/tool-1')
    const similar = text.slice(text.indexOf('Similar tools'))
    const slugs = [...similar.matchAll(/href="\/tools\/([^"/]+)"/g)].map(([, slug]) => slug)
    expect(slugs).toEqual(['tool-23', 'tool-21', 'tool-19', 'tool-17', 'tool-15', 'tool-13'])
  })

  test('shows the deal, use cases and questions of a directory', async () => {
    const { text } = await open('/directories/launch')
    for (const part of ['Half price', '<code>HALF</code>', 'Finding first users', 'How long?', 'A day.'])
      expect(text).toContain(part)
  })

  test('shows a text that is too long for the figures of a directory among its facts, whole', async () => {
    const [type, submissionExperience] = ['DoFollow after thirty days of waiting', 'A form of four pages, and a call']
    await service.load([{ kind: 'directory', slug: 'wordy', name: 'Wordy', type, submissionExperience }])
    const { text } = await open('/directories/wordy')
    expect(text).toContain(`<dt>Link</dt><dd><bdi>${type}</bdi></dd>`)
    expect(text).toContain(`<dt>Submitting</dt><dd><bdi>${submissionExperience}</bdi></dd>`)
    expect(text).not.toContain('…</bdi>')
  })

  test('lists adult listings only when the visitor asks for them', async () => {
    for (const path of ['/', '/tools', '/tools?page=2', '/categories/writing?page=2', '/tools/tool-0']) {
      const { text } = await open(path)
      expect(text).not.toContain('Forbidden')
    }
    for (const path of ['/', '/categories', '/tags', '/tools']) {
      const { text } = await open(path)
      expect(text).not.toMatch(/NSFW|Spicy/)
    }
    for (const path of [
      '/categories/nsfw',
      '/tags/spicy',
      '/tools?category=nsfw',
      '/tools?tag=spicy',
      '/tools?q=forbidden&adult=true',
    ]) {
      const { text } = await open(path)
      expect(text).toMatch(/href="\/tools\/(adult|tagged)-tool\?adult=true"/)
      expect(text).toContain('<meta name="robots" content="noindex">')
      expect(text).toContain('<meta name="rating" content="adult">')
      await expectSound(text)
    }
  })

  test('tells developers the limits that the service applies, and no price while nothing is sold', async () => {
    const { text } = await open('/developers')
    const figures = [...text.matchAll(/<td(?: class="best")?>(\d+)<\/td>/g)].map(([, cell]) => Number(cell))
    const { rest, mcp } = KEY_BUDGETS
    expect(figures).toEqual([rest.standard, rest.premium, mcp.standard, mcp.premium])
    expect(text).toContain(
      `A partner key has the calls of Premium, and on top of them ${PARTNER_BUDGETS.submit} submissions and ${PARTNER_BUDGETS.support} support questions`,
    )
    // Without a payment service nothing is sold, so no page names a price.
    expect(text).toContain('On request')
    expect(text).not.toContain(`$${PLAN_PRICES.premium}`)
    expect(text).toContain(`${VISITOR_BUDGETS[0]!.calls} times a minute`)
    for (const address of ['/api/v1/tools/top?', '/api/v1', '/mcp']) expect(text).toContain(service.origin + address)
  })

  test('has an entry in the API reference for every operation and every parameter', async () => {
    const overview = (await open('/docs')).text
    for (const { name, summary, parameters } of restOperations) {
      expect(overview).toContain(`id="${name}"`)
      expect(overview).toContain(`<a href="/docs/${name}">${summary}</a>`)
      const { text } = await open(`/docs/${name}`)
      for (const parameter of Object.keys(parameters.properties)) expect(text).toContain(`<code>${parameter}</code>`)
    }
  })

  test('names the version of the policy', async () => {
    expect((await open('/policy')).text).toContain(`Version ${POLICY_VERSION}`)
  })
})

describe('the ETag of a page', () => {
  test('belongs to one encoding', async () => {
    const [plain, gzip] = [await requestRaw('/tools', 'identity'), await requestRaw('/tools', 'gzip')]
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(gzip.headers.vary).toBe('Accept, Accept-Encoding')
    expect(gzip.headers.etag).not.toBe(plain.headers.etag)
    expect(gzip.bytes).toBeLessThan(plain.bytes / 2)
    expect((await requestRaw('/tools', 'gzip', gzip.headers.etag)).status).toBe(304)
    expect((await requestRaw('/tools', 'identity', gzip.headers.etag)).status).toBe(200)
    expect((await requestRaw('/tools', 'gzip;q=0')).headers['content-encoding']).toBeUndefined()
  })
})

describe('errors of the public site', () => {
  test('are pages with links back to the site', async () => {
    for (const [path, status] of [
      ['/tools?pricing=cheap', 400],
      ['/directories?cost=cheap', 400],
      ['/directories?rating=45', 400],
      ['/directories?sort=luck', 400],
      ['/categories/nope', 404],
      ['/tags/nope', 404],
      ['/nowhere', 404],
      ['/sitemaps/2.xml', 404],
      ['/sitemaps/x', 404],
    ] as const) {
      const page = await open(path)
      expect([path, page.status]).toEqual([path, status])
      expect(page.headers.get('content-security-policy')).toBeTruthy()
      await expectSound(page.text)
      expect(page.text).toContain('href="/"')
      if (status === 404) expect(page.text).toContain('role="search"')
    }
  })
})

test('a 429 of the public site is a page that says how long to wait', async () => {
  const strict = await startService({ RATE_LIMIT_SCALE: '1' })
  try {
    for (let i = 0; i < 60; i++) await strict.fetch('/policy')
    const page = await strict.fetch('/tools', { headers: { accept: BROWSER } })
    expect(page.status).toBe(429)
    expect(page.text).toMatch(/You can go on in \d+ seconds?/)
    await expectSound(page.text)
    expect((await strict.fetch(SCRIPT)).status).toBe(200)
  } finally {
    await strict.close()
  }
})

test('a first visit needs at most 40 KB without fonts and pictures, and 120 KB with its fonts', async () => {
  const page = await requestRaw('/tools/tool-1', 'gzip, deflate, br')
  const [style, script] = [
    await requestRaw(STYLESHEET, 'gzip, deflate, br'),
    await requestRaw(SCRIPT, 'gzip, deflate, br'),
  ]
  expect([style.headers['content-encoding'], script.headers['content-encoding']]).toEqual(['br', 'br'])
  const withoutFonts = page.bytes + style.bytes + script.bytes
  expect(withoutFonts).toBeLessThan(40_000)
  const fonts = await Promise.all(PRELOADED_FONTS.map((path) => requestRaw(path, 'gzip, deflate, br')))
  for (const { headers } of fonts) expect(headers['content-type']).toBe('font/woff2')
  expect(withoutFonts + fonts.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(120_000)
  expect(script.headers['cache-control']).toContain('immutable')
  expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
})

interface RawReply {
  status: number
  headers: Record<string, string | undefined>
  bytes: number
}

// fetch decompresses the body and does not say how many bytes arrived.
const requestRaw = (path: string, encoding: string, tag?: string): Promise<RawReply> =>
  new Promise((resolve, reject) => {
    const headers = { accept: BROWSER, 'accept-encoding': encoding, ...(tag ? { 'if-none-match': tag } : {}) }
    get(service.origin + path, { headers }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => (bytes += chunk.length))
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers as never, bytes }))
    }).on('error', reject)
  })
