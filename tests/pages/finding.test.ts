// @module-tag once
// Finding on the site: results while typing, orders, similar directories, the shortlist, collections, and the icon for home screens.
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

const DEAL = { text: 'Half <price>', code: 'HALF' }

const service = useService()
beforeAll(() =>
  service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'category', slug: 'nsfw', name: 'NSFW', adult: true },
    { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' },
    { kind: 'directoryCategory', slug: 'ai', name: 'AI' },
    ...[
      { slug: 'quill', name: 'Quill', rating: 3.5, tagline: 'Writes wombat letters' },
      { slug: 'pen', name: 'Pen <b>', rating: 4.9, tagline: 'Writes "notes" & more' },
      { slug: 'ink', name: 'Ink', rating: 0 },
    ].map((tool) => ({ kind: 'tool', website: `https://${tool.slug}.example.com`, category: 'writing', ...tool })),
    { kind: 'tool', slug: 'red-room', name: 'Wombat Red', category: 'nsfw', website: 'https://red.example.com' },
    ...[
      {
        ...{ slug: 'alpha', name: 'Alpha', cost: 'Paid', minimumPrice: 50, monthlyVisits: 900 },
        ...{ categories: ['saas', 'ai'], submissionLink: 'https://alpha.example.com/enter-here' },
      },
      {
        slug: 'beta',
        name: 'Beta',
        cost: 'Paid',
        minimumPrice: 0,
        monthlyVisits: null,
        categories: ['saas'],
        deal: DEAL,
      },
      { slug: 'gamma', name: 'Gamma wombat', cost: 'Free', monthlyVisits: 20_000, categories: ['ai'] },
      { slug: 'delta', name: 'Delta', cost: 'Paid', minimumPrice: 5, monthlyVisits: 10, categories: ['saas', 'ai'] },
    ].map((one) => ({ kind: 'directory', website: `https://${one.slug}.example.com`, ...one })),
  ]),
)

const open = (path: string) => service.fetch(path, { headers: { accept: BROWSER } })
const linksIn = (html: string, folder: string) => [
  ...new Set([...html.matchAll(new RegExp(`href="/${folder}/([a-z0-9-]+)"`, 'g'))].map(([, slug]) => slug)),
]

describe('results while typing', () => {
  test('are the best of both catalogs, as the page of results has them, and lead to all', async () => {
    const { status, headers, text } = await open('/search/suggestions?q=wombat')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers.get('x-robots-tag')).toBe('noindex')
    expect(headers.get('cache-control')).toBe('public, max-age=60')
    const page = (await open('/search?q=wombat')).text
    for (const folder of ['tools', 'directories']) expect(linksIn(text, folder)).toEqual(linksIn(page, folder))
    expect(text).toContain('href="/search?q=wombat"')
    expect(text).toContain('role="group" aria-label="Directories"')
    expect(text).not.toContain('red-room')
  })

  test('have a budget of their own, so that typing does not cost pages', async () => {
    const left = async (path: string) => Number((await open(path)).headers.get('x-ratelimit-remaining'))
    const before = await left('/tools')
    const suggestions = await left('/search/suggestions?q=wo')
    expect(await left('/search/suggestions?q=wom')).toBe(suggestions - 1)
    expect(await left('/tools')).toBe(before - 1)
  })

  test('escape names, bound the question and say when there is nothing', async () => {
    expect((await open('/search/suggestions?q=pen')).text).toContain('Pen &lt;b&gt;')
    expect((await open('/search/suggestions?q=%3Cscript%3E')).text).not.toContain('<script')
    expect((await open(`/search/suggestions?q=${'x'.repeat(501)}`)).status).toBe(400)
    expect((await open('/search/suggestions?q=nosuchthing')).text).toContain('Nothing found')
  })
})

test('the table of directories shows deals, which answers of the search do not have', async () => {
  for (const path of ['/directories', '/directories?q=beta'])
    expect((await open(path)).text).toMatch(/Deal <\/span><span class="deal-code"><bdi>Half &lt;price&gt;<\/bdi>/)
  for (const listing of (await service.rest('/directories')).body.data) expect(listing).not.toHaveProperty('deal')
})

test('the table of directories has no column in which all are empty, unless it sorts', async () => {
  const headings = async (path: string) =>
    [...(await open(path)).text.matchAll(/<th scope="col"[^>]*><(?:a|span)[^>]*>([^<]+)</g)].map(([, label]) => label)
  expect(await headings('/directories')).toContain('Deal')
  const others = await headings('/directories?q=gamma')
  expect(others).not.toContain('Deal')
  expect(others).toEqual(expect.arrayContaining(['DR', 'Visits a month', 'Cost']))
})

describe('several values of a filter', () => {
  test('find the listings that have one of them, as boxes and as chips', async () => {
    expect(linksIn((await open('/directories?cost=Free&cost=Paid')).text, 'directories')).toHaveLength(4)
    const { text } = await open('/directories?cost=Paid&type=&sort=price')
    expect(linksIn(text, 'directories')).toEqual(['delta', 'alpha', 'beta'])
    await expectSound(text)
    const tools = (await open('/tools?pricing[]=free&pricing=PAID')).text
    await expectSound(tools)
    expect(linksIn(tools, 'tools')).toHaveLength(3)
    // A chip leads to the results without its value.
    expect(tools).toContain('href="/tools?pricing=FREE"')
    expect((await open('/tools?pricing=free&pricing=cheap')).status).toBe(400)
    expect((await open(`/tools?${'pricing=FREE&'.repeat(500)}`)).status).toBe(200)
  })
})

describe('orders', () => {
  test.each([
    ['/tools?sort=rating', 'tools', ['pen', 'quill', 'ink']],
    ['/directories?sort=visits', 'directories', ['gamma', 'alpha', 'delta', 'beta']],
    // A paid directory that names no price comes last.
    ['/directories?sort=price', 'directories', ['gamma', 'delta', 'alpha', 'beta']],
    ['/directories?sort=price&cost=Paid', 'directories', ['delta', 'alpha', 'beta']],
  ])('%s', async (path, folder, expected) => {
    const { status, text } = await open(path)
    expect(status).toBe(200)
    expect(linksIn(text, folder)).toEqual(expected)
  })

  test('are named in the head of the table, with their direction', async () => {
    const { text } = await open('/directories?sort=price')
    expect(text).toMatch(/aria-sort="ascending"><a[^>]*>Cost/)
    expect((await open('/directories?sort=visits')).text).toMatch(/aria-sort="descending"><a[^>]*>Visits/)
  })

  test('follow a change of the listing', async () => {
    const changed = (rating: number) =>
      service.admin('PUT', '/tools/ink', {
        name: 'Ink',
        website: 'https://ink.example.com',
        category: 'writing',
        rating,
      })
    await changed(5)
    expect(linksIn((await open('/tools?sort=rating')).text, 'tools')).toEqual(['ink', 'pen', 'quill'])
    await changed(0)
  })
})

describe('the page of a listing', () => {
  test('has its address to copy and ways to pass it on', async () => {
    for (const path of ['/tools/quill', '/directories/alpha']) {
      const { text } = await open(path)
      await expectSound(text)
      expect(text).toContain(`<code>${service.origin}${path}</code>`)
      expect(text).toContain(`mailto:?subject=`)
    }
    expect((await open('/tools/red-room?adult=true')).text).not.toContain('mailto:')
  })

  test('of a directory leads to a plan and has its facts to copy', async () => {
    const { text } = await open('/directories/alpha')
    expect(text).toContain('href="/plan"')
    expect(text).toMatch(/data-source>Alpha\nhttps:\/\/alpha.example.com\n900 visits a month\nPaid, from \$50\n/)
  })

  test('of a directory links to its own form only if the operator says so, and the API never has it', async () => {
    expect((await open('/directories/alpha')).text).not.toContain('enter-here')
    await service.admin('PUT', '/site', { submissionForms: true })
    expect((await open('/directories/alpha')).text).toContain('href="https://alpha.example.com/enter-here"')
    expect((await open('/directories/beta')).text).not.toContain('Open its form')
    for (const path of ['/directories', '/directories/alpha'])
      expect(JSON.stringify((await service.rest(path)).body)).not.toContain('enter-here')
    await service.admin('PUT', '/site', {})
    expect((await open('/directories/alpha')).text).not.toContain('enter-here')
  })
})

test('the switch for adult listings is there while there are such listings and the operator wants it', async () => {
  expect((await open('/tools')).text).toContain('Include adult listings')
  await service.admin('PUT', '/site', { adultSwitch: false })
  expect((await open('/tools')).text).not.toContain('Include adult listings')
  await service.admin('PUT', '/site', {})
  await service.admin('PATCH', '/tools/red-room', { published: false })
  expect((await open('/tools')).text).not.toContain('Include adult listings')
  await service.admin('PATCH', '/tools/red-room', { published: true })
})

test('directories that are not found lead to the closest filters and to the categories', async () => {
  const { text } = await open('/directories?cost=Free&maxPrice=10&badge=required')
  expect(text).toContain(
    '<a href="/directories?badge=none&amp;maxPrice=10&amp;cost=Free"><bdi>No badge</bdi><span class="count">1</span></a>',
  )
  expect((await open('/directories?q=zzyzx')).text).toContain('Browse by category')
})

test('a directory leads to those with the most categories in common', async () => {
  const { text } = await open('/directories/alpha')
  expect(text).toContain('Similar directories')
  expect(linksIn(text.slice(text.indexOf('Similar directories')), 'directories')[0]).toBe('delta')
})

describe('the shortlist', () => {
  test('shows what its address names, leads to the comparison, and says what is no longer there', async () => {
    const { status, text } = await open('/shortlist?tools=pen,quill,gone,red-room&directories=alpha')
    expect(status).toBe(200)
    await expectSound(text, ['red-room'])
    expect(linksIn(text, 'tools')).toEqual(['pen', 'quill'])
    expect(linksIn(text, 'directories')).toEqual(['alpha'])
    expect(text).toContain('href="/compare?tools=pen,quill"')
    expect(text).toContain(`${service.origin}/shortlist?tools=pen,quill&amp;directories=alpha`)
    expect(text).toContain('2 listings are no longer there')
    expect(text).toContain('<meta name="robots" content="noindex">')
  })

  test('works as a form without a script, and takes hostile addresses', async () => {
    expect((await open('/tools')).text).toContain('formaction="/shortlist"')
    expect(linksIn((await open('/shortlist?tools[]=pen&tools[]=ink')).text, 'tools')).toEqual(['pen', 'ink'])
    for (const query of ['', '?tools=', '?tools=../x', '?tools[a]=1', `?tools=${'a,'.repeat(3000)}`])
      expect((await open(`/shortlist${query}`)).text).toContain('Nothing on it yet')
  })
})

describe('collections', () => {
  const COLLECTION = {
    name: 'First <steps>',
    text: 'Begin **here**.\n\n<script>alert(1)</script>',
    tools: ['quill', 'gone', 'red-room', 'pen'],
    directories: ['beta'],
  }

  test('are shown with their text and listings, in the operator’s order', async () => {
    const { status, body } = await service.admin('PUT', '/collections/first-steps', COLLECTION)
    expect([status, body.data.version, body.data.published]).toEqual([200, 1, true])
    const { text } = await open('/collections/first-steps')
    await expectSound(text, ['red-room', 'alert(1)'])
    expect(text).toContain('<strong>here</strong>')
    expect(linksIn(text, 'tools')).toEqual(['quill', 'pen'])
    expect(linksIn(text, 'directories')).toEqual(['beta'])
    const list = (await open('/collections')).text
    await expectSound(list)
    expect(list).toContain('First &lt;steps&gt;')
    expect(list).toMatch(/<div class="logos">(<span class="tile [^>]*>\w<\/span>){3}<\/div>/)
    expect((await open('/')).text).toContain('href="/collections/first-steps"')
    expect((await service.fetch('/sitemap.xml')).text).toContain('/collections/first-steps')
  })

  test('that are hidden or deleted are gone for visitors at once', async () => {
    await service.admin('PUT', '/collections/first-steps', { ...COLLECTION, published: false })
    expect((await open('/collections/first-steps')).status).toBe(404)
    expect((await open('/')).text).not.toContain('/collections/first-steps')
    expect((await service.admin('GET', '/collections')).body.data).toHaveLength(1)
    const rows = await audited(service, async () => {
      expect((await service.admin('DELETE', '/collections/first-steps')).status).toBe(200)
    })
    expect(rows).toHaveLength(1)
    expect((await service.admin('GET', '/collections/first-steps')).status).toBe(404)
    expect((await open('/sitemap.xml')).text).not.toContain('/collections')
  })

  test.each([
    ['/collections/Not_A_Slug', { name: 'x' }],
    ['/collections/x', { name: ' ' }],
    ['/collections/x', { name: 'x', tools: ['../x'] }],
    ['/collections/x', { name: 'x', tools: Array.from({ length: 101 }, (_, i) => `t${i}`) }],
    ['/collections/x', { name: 'x', text: 'x'.repeat(20_001) }],
  ])('refuse %s with what a visitor could not read', async (path, body) => {
    expect((await service.admin('PUT', path, body)).status).toBe(400)
  })
})

describe('the home screen of a phone', () => {
  test('gets the name, colour and icon of the site', async () => {
    await service.admin('PUT', '/site', { name: 'Acme "Tools"', accentColor: '#7a1fa2' })
    const manifest = await service.fetch('/site.webmanifest')
    expect(manifest.headers.get('content-type')).toBe('application/manifest+json; charset=utf-8')
    expect(manifest.body).toMatchObject({ name: 'Acme "Tools"', theme_color: '#7a1fa2', start_url: '/' })
    const [icon] = manifest.body.icons
    const picture = Buffer.from(await (await fetch(service.origin + icon.src)).arrayBuffer())
    const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.height, icon.sizes]).toEqual([180, 180, '180x180'])
    // The drawer in the middle of the lower half, and the white ground.
    const at = (x: number, y: number) => [
      ...data.subarray((y * 180 + x) * info.channels, (y * 180 + x) * info.channels + 3),
    ]
    expect(at(40, 125)).toEqual([0x7a, 0x1f, 0xa2])
    expect(at(1, 1)).toEqual([255, 255, 255])
    const { text, headers } = await open('/')
    expect(text).toContain('<link rel="manifest" href="/site.webmanifest">')
    expect(text).toContain('<link rel="apple-touch-icon" href="/apple-touch-icon.png">')
    expect(text).toContain('<link rel="icon" href="/icon.svg">')
    const mark = await service.fetch('/icon.svg')
    expect(mark.headers.get('content-type')).toBe('image/svg+xml')
    expect(mark.text).toContain('fill="#7a1fa2"')
    expect(headers.get('content-security-policy')).toContain("manifest-src 'self'")
  })
})
