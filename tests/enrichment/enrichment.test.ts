// After a submission, the service fetches the website of the listing in the background and fills in what is missing.
// @module-tag slow
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../harness/process.ts'
import { decompressionBomb, ico, type ProductSite, picture, productSite, SVG } from '../harness/product-site.ts'
import { useService } from '../harness/use.ts'

const EMAIL = 'zqxfounder@private.example'
const MEDIA = /^http:\/\/127\.0\.0\.1:\d+\/media\/[0-9a-f]{40}\.(png|webp)$/

let key: string
const sites: ProductSite[] = []
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', ENRICHMENT_RETRY_SECONDS: '1' })
beforeAll(async () => {
  key = (await service.newPartner()).key
  await service.load([{ kind: 'category', slug: 'writing', name: 'Writing' }])
})
afterAll(async () => {
  for (const site of sites) await site.close()
})

async function siteOf(routes: Parameters<typeof productSite>[0]): Promise<ProductSite> {
  const site = await productSite(routes)
  sites.push(site)
  return site
}

let serial = 0
async function submit(website: string, more: object = {}): Promise<{ id: string; slug: string }> {
  const reply = await service.rest('/submit-ai-tool', {
    method: 'POST',
    key,
    body: {
      name: `Acme ${++serial}`,
      website,
      tagline: 'Writes mail',
      description: 'Acme drafts mail. It has an API for teams.',
      category: 'writing',
      pricing: 'FREE',
      founderName: 'Ada',
      founderEmail: EMAIL,
      tags: ['API'],
      ...more,
    },
  })
  expect(reply.status).toBe(201)
  return reply.body.data
}

const rowOf = async (id: string) =>
  (await service.admin('GET', '/enrichments?limit=1000')).body.data.find((row: any) => row.toolId === id)
async function settled(id: string, milliseconds = 25_000) {
  await until(async () => (await rowOf(id)).state !== 'pending', milliseconds)
  await service.settled()
  const row = await rowOf(id)
  return { row, part: (name: string) => row.parts.find((part: any) => part.part === name) }
}
const read = async (slug: string) => (await service.rest(`/tools/${slug}`)).body.data
const typeOf = async (address: string) => (await fetch(address)).headers.get('content-type')

const PAGE = `<link rel="icon" href="/icon.png" sizes="128x128"><meta property="og:image" content="share.jpg">
  <section><h2>Features</h2><h3>Fast</h3><p>In a second.</p><h3>Safe</h3><p>Stays here.</p></section>
  <details><summary>Is it free?</summary>Yes. Write to ${EMAIL}.</details>`

describe('a site that has everything', () => {
  test("gives icon, share image, questions and features, and the listing does not show the founder's e-mail address", async () => {
    const site = await siteOf({
      '/': PAGE,
      '/icon.png': await picture(128, 128),
      '/share.jpg': await picture(2000, 1000),
    })
    const { id, slug } = await submit(`${site.url}/`)
    const { row } = await settled(id)
    expect(row).toMatchObject({ state: 'done', attempts: 1, tool: { slug, website: `${site.url}/` } })
    expect(row.parts.map(({ part, outcome }: any) => `${part} ${outcome}`).sort()).toEqual([
      'faqs found',
      'features found',
      'frame found',
      'icon found',
      'page found',
    ])
    const tool = await read(slug)
    expect(tool).toMatchObject({
      icon: expect.stringMatching(MEDIA),
      frame: expect.stringMatching(MEDIA),
      faqs: [{ question: 'Is it free?', answer: 'Yes. Write to [e-mail].' }],
      features: { Fast: 'In a second.', Safe: 'Stays here.' },
    })
    expect([await typeOf(tool.icon), await typeOf(tool.frame)]).toEqual(['image/png', 'image/webp'])
    const { body } = await service.admin('GET', '/audit?limit=20')
    expect(body.data.find((entry: any) => entry.subject === `tool:${slug}`)).toMatchObject({
      actor: 'enrichment',
      action: 'tool.enrich',
      details: { fields: ['icon', 'frame', 'faqs', 'features'], attempt: 1 },
    })
    expect(JSON.stringify([service.logged, row, tool])).not.toContain(EMAIL)
    // Two retries at the same time fetch nothing and change nothing.
    const before = site.asked.length
    const again = () => service.admin('POST', `/enrichments/${slug}/retry`)
    for (const { body } of await Promise.all([again(), again()])) expect(body.data.state).toBe('pending')
    await settled(id)
    expect([site.asked.length, await read(slug)]).toEqual([before, tool])
  })
})

describe('a site that has little', () => {
  test('gives only /favicon.ico as icon, and the service derives the rest from the listing', async () => {
    const site = await siteOf({ '/app': '<title>x</title>', '/favicon.ico': ico(32, [200, 0, 0, 255]) })
    const { id, slug } = await submit(`${site.url}/app`)
    const { part } = await settled(id)
    expect([part('icon').outcome, part('frame').outcome, part('faqs').outcome]).toEqual(['found', 'missing', 'derived'])
    const tool = await read(slug)
    expect(tool.frame).toBeNull()
    expect(await typeOf(tool.icon)).toBe('image/png')
    expect(tool.features).toEqual({ API: 'It has an API for teams.' })
    expect(tool.faqs[0].question).toBe(`What is ${tool.name}?`)
  })

  test('gives nothing when its page is gone, forbidden or a PDF', async () => {
    const site = await siteOf({
      '/forbidden': (_request, response) => response.writeHead(403).end('no'),
      '/file': (_request, response) => response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF'),
    })
    for (const path of ['/gone', '/forbidden', '/file']) {
      const { id, slug } = await submit(site.url + path)
      const { row, part } = await settled(id)
      expect([row.state, row.attempts, part('page').outcome]).toEqual(['done', 1, 'missing'])
      expect((await read(slug)).faqs).toHaveLength(3)
    }
  })

  test('a file that is no picture is skipped for the next one', async () => {
    const site = await siteOf({
      '/': `<link rel=icon sizes=200x200 href=a.png><link rel=icon sizes=100x100 href=b.png><link rel=icon href=c.png>
        <meta property=og:image content=bomb.png><meta name=twitter:image content=cut.png>`,
      '/a.png': SVG,
      '/b.png': Buffer.from('<html>'),
      '/c.png': await picture(32, 32),
      '/bomb.png': await decompressionBomb(),
      '/cut.png': (await picture(900, 900)).subarray(0, 700),
    })
    const { id, slug } = await submit(site.url)
    const { row, part } = await settled(id)
    expect([row.state, part('icon').outcome]).toEqual(['done', 'found'])
    expect(part('frame')).toEqual({ part: 'frame', outcome: 'missing', note: "The site's picture is damaged." })
    expect((await read(slug)).frame).toBeNull()
  })
})

describe('a field that the partner sent', () => {
  test('is mirrored if a picture, otherwise kept', async () => {
    const site = await siteOf({ '/': PAGE, '/logo.png': await picture(300, 300), '/1.png': await picture(20, 20) })
    const faq = [{ question: 'Mine?', answer: 'Mine.' }]
    const features = { Mine: 'Mine' }
    const given = { icon: `${site.url}/logo.png`, frame: `${site.url}/1.png`, screenshots: [`${site.url}/1.png`] }
    const { id, slug } = await submit(site.url, { faq, features, ...given })
    const { row, part } = await settled(id)
    expect(row.state).toBe('done')
    expect(['icon', 'frame', 'screenshots.0'].map((name) => part(name).outcome)).toEqual(Array(3).fill('mirrored'))
    const tool = await read(slug)
    expect(tool).toMatchObject({ faqs: faq, features, icon: expect.stringMatching(MEDIA) })
    expect(tool.screenshots).toEqual([tool.frame])
    expect(site.asked).not.toContain('/')
  })

  test('stays empty when faq or features was sent empty, also when an administrator retries', async () => {
    const site = await siteOf({ '/faqs': PAGE, '/features': PAGE })
    for (const [given, field, other] of [
      [{ faq: [] }, 'faqs', 'features'],
      [{ features: {} }, 'features', 'faqs'],
    ] as const) {
      const { id, slug } = await submit(`${site.url}/${field}`, given)
      await settled(id)
      await service.admin('POST', `/enrichments/${id}/retry`)
      const { part } = await settled(id)
      expect(part(field)).toBeUndefined()
      const tool = await read(slug)
      expect(Object.keys(tool[field])).toEqual([])
      expect(Object.keys(tool[other])).not.toEqual([])
    }
  })

  test('is dropped or replaced if no picture or a 404, and kept on a 403', async () => {
    const site = await siteOf({
      '/': PAGE,
      '/icon.png': await picture(50, 50),
      '/page.png': Buffer.from('<!doctype html><script>alert(1)</script>'),
      '/logo.svg': SVG,
      '/good.png': await picture(30, 30),
      '/guarded.png': (_request, response) => response.writeHead(403).end(),
    })
    const { id, slug } = await submit(site.url, {
      icon: `${site.url}/logo.svg`,
      frame: `${site.url}/page.png`,
      screenshots: ['/page.png', '/guarded.png', '/good.png', '/gone.png'].map((path) => site.url + path),
    })
    const { row, part } = await settled(id)
    expect(row.state).toBe('done')
    expect(part('icon')).toMatchObject({
      outcome: 'replaced',
      note: expect.stringMatching(/is no PNG.*The picture of the site is shown instead\.$/),
    })
    expect(part('frame').outcome).toBe('dropped')
    expect([0, 1, 2, 3].map((i) => part(`screenshots.${i}`).outcome)).toEqual([
      'dropped',
      'kept',
      'mirrored',
      'dropped',
    ])
    const tool = await read(slug)
    expect(tool.frame).toBeNull()
    expect(tool.screenshots).toEqual([`${site.url}/guarded.png`, expect.stringMatching(MEDIA)])
  })

  test('or that an administrator changed during the fetch is kept', async () => {
    let answer = () => {}
    const site = await siteOf({
      '/': (_request, response) => {
        answer = () => response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
      },
      '/icon.png': await picture(50, 50),
    })
    const { id, slug } = await submit(site.url)
    await until(() => site.asked.length > 0, 5_000)
    const changed = {
      name: 'Changed',
      website: site.url,
      icon: 'https://admin.example/i.png',
      features: { By: 'admin' },
    }
    expect((await service.admin('PUT', `/tools/${slug}`, changed)).status).toBe(200)
    answer()
    await settled(id)
    expect(await read(slug)).toMatchObject({
      name: 'Changed',
      icon: 'https://admin.example/i.png',
      features: { By: 'admin' },
      faqs: [{ question: 'Is it free?' }],
    })
  })
})

describe('a site that is down, broken, huge or redirects in circles', () => {
  // Both tests spend their time waiting, so they run at the same time.
  test.concurrent('is tried four times while features and FAQ come from the submission, and again when an administrator retries', {
    tags: ['long'],
  }, async () => {
    const gone = await productSite({})
    await gone.close()
    const broken = await siteOf({
      '/500': (_request, response) => response.writeHead(500).end(),
      '/loop': (_request, response) => response.writeHead(302, { location: '/loop' }).end(),
      '/huge': async (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' })
        for (let i = 0; i < 50 && !response.destroyed; i++)
          if (!response.write(Buffer.alloc(1024 * 1024, '<p>x')))
            await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
        response.end()
      },
    })
    const kept = `${broken.url}/500`
    const tools = [
      await submit(gone.url, { icon: kept, screenshots: [kept] }),
      await submit(`${broken.url}/500`),
      await submit(`${broken.url}/loop`),
      await submit(`${broken.url}/huge`),
    ]
    const notes = []
    for (const { id, slug } of tools) {
      const { row, part } = await settled(id)
      expect([row.state, row.attempts, part('page').outcome]).toEqual(['failed', 4, 'unreachable'])
      notes.push(part('page').note)
      expect([part('faqs').outcome, part('features').outcome]).toEqual(['derived', 'derived'])
      const tool = await read(slug)
      expect(tool).toMatchObject({ frame: null, features: { API: 'It has an API for teams.' } })
      expect(tool.faqs[0]).toEqual({
        question: `What is ${tool.name}?`,
        answer: 'Writes mail. Acme drafts mail. It has an API for teams.',
      })
    }
    expect(notes).toEqual([
      'The website could not be fetched. The connection was refused.',
      'The website answered 500.',
      'The website could not be fetched. The answer redirects too often.',
      'The website is larger than 2 MiB.',
    ])
    expect(await read(tools[0]!.slug)).toMatchObject({ icon: kept, screenshots: [kept] })
    const failed = (await service.admin('GET', '/enrichments?state=failed')).body.data
    expect(failed.map((row: any) => row.toolId)).toEqual(tools.map(({ id }) => id).reverse())
    expect((await service.admin('GET', '/enrichments?state=nonsense')).status).toBe(400)

    broken.routes['/500'] = PAGE
    const { body } = await service.admin('POST', `/enrichments/${tools[1]!.id}/retry`)
    expect(body.data).toMatchObject({ state: 'pending', attempts: 0, parts: [] })
    expect((await settled(tools[1]!.id)).part('faqs').outcome).toBe('found')
    expect((await read(tools[1]!.slug)).features).toEqual({ Fast: 'In a second.', Safe: 'Stays here.' })
    expect((await service.admin('POST', '/enrichments/nobody/retry')).status).toBe(404)
  })

  test.concurrent('does not delay the 201 when it is slow, and is tried again', { tags: ['long'] }, async () => {
    let isGivenUp = false
    const slow = (_request: unknown, response: any) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      const timer = setInterval(() => response.write('.'), 200)
      response.on('close', () => {
        isGivenUp = true
        clearInterval(timer)
      })
    }
    const site = await siteOf({ '/': slow })
    const { id, slug } = await submit(site.url)
    expect(isGivenUp).toBe(false)
    await until(async () => (await read(slug)) !== undefined, 1_000)
    expect(await read(slug)).toMatchObject({ icon: null, faqs: [] })
    await until(async () => (await rowOf(id)).parts.length > 0, 15_000)
    const row = await rowOf(id)
    expect([row.state, row.attempts]).toEqual(['pending', 1])
    expect(row.parts[0].note).toBe('The website could not be fetched. No complete answer within 10 seconds.')
    await service.settled()
    expect((await read(slug)).features).toEqual({ API: 'It has an API for teams.' })
    site.routes['/'] = PAGE
    expect((await settled(id)).row).toMatchObject({ state: 'done', attempts: 2 })
    // The content of the site replaces what was derived while the site did not answer.
    expect(await read(slug)).toMatchObject({
      faqs: [{ question: 'Is it free?' }],
      features: { Fast: 'In a second.', Safe: 'Stays here.' },
    })
  })
})
