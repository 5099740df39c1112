// @module-tag once
// Choosing between tools: comparison, order, the search in one catalog, and feeds of what is new.
import { beforeAll, describe, expect, test } from 'vitest'
import { BROWSER, expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

const tool = (slug: string, more: object = {}) => ({
  kind: 'tool',
  slug,
  name: `Tool ${slug}`,
  tagline: `Makes ${slug} & <more>`,
  category: 'writing',
  ...more,
})

const service = useService()
beforeAll(() =>
  service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'category', slug: 'nsfw', name: 'NSFW', adult: true },
    tool('one', { rating: 4, opens: 10, createdAt: '2026-01-01T00:00:00.000Z' }),
    tool('two', {
      ...{ rating: 5, opens: 30, createdAt: '2026-02-01T00:00:00.000Z', pricing: 'PAID' },
      ...{ features: { 'Live <notes>': 'In 20 languages', Export: '' }, website: 'https://two.example.com' },
    }),
    tool('three', { opens: 20, createdAt: '2026-03-01T00:00:00.000Z' }),
    tool('red', { category: 'nsfw' }),
    { kind: 'directory', slug: 'peak', name: 'Peak makes', smallDescription: 'Launch here' },
  ]),
)

const open = async (path: string) => {
  const reply = await service.fetch(path, { headers: { accept: BROWSER } })
  await expectSound(reply.text)
  return reply
}
const slugs = (text: string) =>
  [...text.slice(text.indexOf('id="results"')).matchAll(/<h3><a href="\/tools\/([a-z]+)"/g)].map(([, slug]) => slug)

describe('/compare', () => {
  test('shows tools side by side and marks what differs and what is best', async () => {
    const { status, text } = await open('/compare?tools=one,two')
    expect(status).toBe(200)
    expect(text).toMatch(/<tr class="differs"><th scope="row">Pricing/)
    expect(text).toMatch(/<tr class="same"><th scope="row">Category/)
    expect(text).toMatch(/<th scope="row">In one line.*?<td><bdi>Makes one &amp; &lt;more&gt;<\/bdi>/)
    expect(text).toMatch(/<mark><bdi>5 of 5<\/bdi>/)
    expect(text).toContain('<meta name="robots" content="noindex">')
  })

  test('has a title that reads, a row for each feature, and ways to visit, leave out, add and share', async () => {
    const { text } = await open('/compare?tools=one,two')
    expect(text).toContain('<h1><bdi>Tool\u00a0one and Tool\u00a0two compared</bdi></h1>')
    expect(text).toMatch(/<th scope="row"><bdi>Live &lt;notes&gt;<\/bdi>.*?<td>.*?–.*?<td><bdi>In 20 languages/)
    // Only a feature that a tool simply has is ticked.
    expect(text).toMatch(/<th scope="row"><bdi>Export<\/bdi>.*?<td><bdi class="yes">Yes<\/bdi>/)
    expect(text.split('class="yes"').length).toBe(2)
    expect(text).toContain('href="/tools/two/visit"')
    expect(text).toContain('aria-label="Leave out Tool two"')
    expect(text).toContain('href="/compare?tools=one,two,three"')
    expect(text).toContain(`<code>${service.origin}/compare?tools=one,two</code>`)
    const { text: added } = await open('/compare?tools[]=one&tools[]=two&tools[]=three')
    expect(added).toContain('Tool one, Tool two and Tool three compared')
  })

  test('takes what a form sends, at most four, and leaves out what is not listed or for adults', async () => {
    const { text } = await open('/compare?tools%5B%5D=one&tools%5B%5D=red&tools%5B%5D=nothing')
    expect(text).toContain('Tool one')
    expect(text).not.toContain('Tool red')
    expect(text).toContain('was left out')
    expect((await open('/compare')).text).toContain('Nothing to compare yet')
    expect((await open(`/compare?tools=${'x,'.repeat(5000)}`)).status).toBe(200)
  })

  test('is offered in lists and on the page of a tool', async () => {
    expect((await open('/tools')).text).toContain('name="tools[]" value="one"')
    expect((await open('/tools/one')).text).toMatch(/href="\/compare\?tools=one,\w+,\w+"/)
  })
})

describe('the alternatives to a tool', () => {
  test('are the other tools of its category, at an address that search engines find', async () => {
    const { status, text } = await open('/tools/one/alternatives')
    expect(status).toBe(200)
    expect(text).toContain('Alternatives to <bdi>Tool one</bdi>')
    expect([...text.matchAll(/<h3><a href="\/tools\/([a-z]+)"/g)].map(([, slug]) => slug)).toEqual(['two', 'three'])
    expect(text).toContain(`<link rel="canonical" href="${service.origin}/tools/one/alternatives">`)
    expect((await open('/tools/one')).text).toContain('href="/tools/one/alternatives"')
    expect((await service.fetch('/sitemap.xml')).text).toContain(`<loc>${service.origin}/tools/one/alternatives</loc>`)
  })

  test('do not exist for a tool for adults or one that is not listed', async () => {
    for (const slug of ['red', 'nothing']) expect((await open(`/tools/${slug}/alternatives`)).status).toBe(404)
    expect((await service.fetch('/sitemap.xml')).text).not.toContain('/tools/red')
  })

  test('are not in the sitemap when all others of the category are for adults or have ended', async () => {
    await service.load([
      { kind: 'category', slug: 'drawing', name: 'Drawing' },
      { kind: 'tag', slug: 'spicy', name: 'Spicy', adult: true },
      tool('alone', { category: 'drawing' }),
      tool('spiced', { category: 'drawing', tags: ['spicy'] }),
    ])
    expect((await open('/tools/alone/alternatives')).text).toContain('No alternatives yet')
    const { text } = await service.fetch('/sitemap.xml')
    expect([text.includes('/tools/alone<'), text.includes('/tools/alone/alternatives')]).toEqual([true, false])
    for (const slug of ['alone', 'spiced']) await service.admin('DELETE', `/tools/${slug}`)
  })
})

test('tools are sorted by opens or by age, and each filter can be taken away', async () => {
  expect(slugs((await open('/tools')).text)).toEqual(['three', 'two', 'one'])
  expect(slugs((await open('/tools?sort=opens')).text)).toEqual(['two', 'three', 'one'])
  expect(slugs((await open('/tools?q=makes&sort=newest')).text)).toEqual(['three', 'two', 'one'])
  const { text } = await open('/tools?q=makes&category=writing')
  expect(text).toContain('<a class="on" href="/tools?q=makes">')
  expect((await open('/tools?sort=luck')).status).toBe(400)
})

test('the search looks in one catalog when a visitor asks for it', async () => {
  expect((await open('/search?q=makes')).text).toContain('data-count="3 tools and 1 directory found"')
  expect((await open('/search?q=makes&in=directories')).text).toContain('data-count="0 tools and 1 directory found"')
})

test('feeds list what is new, and nothing for adults', async () => {
  const { status, headers, text } = await service.fetch('/feeds/tools.xml')
  expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8'])
  expect([...text.matchAll(/<id>[^<]*\/tools\/(\w+)<\/id>/g)].map(([, slug]) => slug)).toEqual(['three', 'two', 'one'])
  expect(text).toContain('Makes three &amp; &lt;more&gt;')
  expect((await service.fetch('/feeds/categories/writing.xml')).text).toContain('New AI tools: Writing')
  expect((await service.fetch('/feeds/directories.xml')).text).toContain('Peak makes')
  for (const path of ['/feeds/categories/nsfw.xml', '/feeds/categories/nope.xml', '/feeds/categories/x'])
    expect((await service.fetch(path)).status).toBe(404)
  expect((await open('/tools')).text).toContain('type="application/atom+xml" href="/feeds/tools.xml"')
})
