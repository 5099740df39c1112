// Whether listings are still there: the walk over their websites, and what API, search, pages and operators see of it.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { DIRECTORY_ORDERS, TOOL_ORDERS } from '../../src/features/catalog/schema.ts'
import { claimDueWebsite, healthChecker, lookAtClaimed } from '../../src/features/health/looks/look-at-claimed.ts'
import { planFirstLooks } from '../../src/features/health/worker.ts'
import type { Context } from '../../src/kernel/context.ts'
import { NoSuchHost } from '../../src/kernel/interfaces/outbound.ts'
import { extend } from '../../src/kernel/values/objects.ts'
import { signedUpAdmin } from '../harness/browser.ts'
import { filledForm } from '../harness/console-forms.ts'
import { expectSound } from '../harness/html.ts'
import { until } from '../harness/process.ts'
import { productSite } from '../harness/product-site.ts'
import { startService } from '../harness/service.ts'
import { use, useService } from '../harness/use.ts'

const service = useService()
const DAY = 24 * 3600_000

/** What each website answers: a status, a page, another address, or null when there is no such host. */
const websites: Record<string, number | string | null> = {
  'alive.example': '<h1>Alive</h1>',
  'gone.example': null,
  'missing.example': 404,
  'parked.example': '<h1>parked.example is for sale</h1>',
  'blocked.example': 403,
  'broken.example': 500,
  'moved.example': 'https://elsewhere.example/',
  'elsewhere.example': '<h1>Elsewhere</h1>',
  'script.example': '<div id="root"></div><script src="/a.js"></script>',
  'forbidden.example': '<h1>Not for programs</h1>',
  'below.example': '<h1>The root is there</h1>',
}
const asked: { url: string; agent?: string }[] = []

const answer = (url: string, status: number, body = '', headers: Record<string, string> = {}) => ({
  ...{ url, status, body: Buffer.from(body), truncated: false },
  headers: { 'content-type': 'text/html', ...headers },
})

function outboundFetch(url: string, { headers = {} }: { headers?: Record<string, string> }) {
  const { host, pathname } = new URL(url)
  asked.push({ url, agent: headers['user-agent'] })
  const known = websites[host]
  if (known === null || known === undefined) throw new NoSuchHost('The host name could not be found.')
  if (pathname === '/robots.txt')
    return host === 'forbidden.example' ? answer(url, 200, 'User-agent: Catalog-Health\nDisallow: /') : answer(url, 404)
  if (pathname === '/product') return answer(url, 404)
  if (typeof known === 'number') return answer(url, known, '<p>no</p>')
  return known.startsWith('https:') ? answer(url, 302, '', { location: known }) : answer(url, 200, known)
}

// The looks of these tests are in the past.
let clock = Date.now() - 40 * DAY
const simulated = () =>
  extend(service.context(), {
    caller: healthChecker,
    now: () => new Date(clock),
    outbound: { fetch: async (url: string, request: object) => outboundFetch(url, request) },
  }) as Context

/** Looks without the second that a host has between two requests, which tests/proof checks. */
const quick = () => {
  const ctx = simulated()
  const lastAsked = new Map<string, number>()
  lastAsked.set = () => lastAsked
  const fetch = async (...asked: Parameters<Context['outbound']['fetch']>) => {
    await service.sql('delete from link_hosts')
    return ctx.outbound.fetch(...asked)
  }
  return extend(ctx, { links: { ...ctx.links, lastAsked }, outbound: { ...ctx.outbound, fetch } })
}

/** Looks at everything that is due. */
async function walk(): Promise<number> {
  await planFirstLooks(simulated(), () => false)
  let looks = 0
  for (;;) {
    await service.sql('delete from link_hosts')
    const claimed = await claimDueWebsite(quick())
    if (!claimed) return looks
    await lookAtClaimed(quick(), claimed)
    looks++
  }
}

/** So many days pass, and every day what is due is looked at. */
async function pass(days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    clock += DAY
    await walk()
  }
}

const orders = (names: readonly string[]) => ['', ...names.map((name) => `?sort=${name}`)]

const health = async (path: string) => (await service.rest(`${path}/health`)).body.data
const stateOf = async (slug: string) => (await health(`/tools/${slug}`)).state

const tool = (slug: string, more: object = {}) => ({
  ...{ kind: 'tool', slug, name: `The ${slug} writer`, tagline: 'Writes texts', website: `https://${slug}.example` },
  ...{ category: 'writing', opens: 100, ...more },
})

beforeAll(async () => {
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    ...['alive', 'missing', 'parked', 'blocked', 'broken', 'moved', 'script', 'forbidden'].map((slug) => tool(slug)),
    tool('gone', { opens: 5_000, rating: 5 }),
    tool('below', { website: 'https://below.example/product' }),
    { kind: 'directory', slug: 'gone-list', name: 'Gone list', website: 'https://gone.example', domainRating: 99 },
    { kind: 'directory', slug: 'alive-list', name: 'Alive list', website: 'https://alive.example', domainRating: 10 },
  ])
})

describe('the walk', () => {
  test('before the first look the state is unknown, and the looks are spread over a week', async () => {
    expect(await health('/tools/gone')).toEqual({
      ...{ slug: 'gone', state: 'unknown', since: null, checkedAt: null, successor: null, alternatives: [] },
    })
    await planFirstLooks(simulated(), () => false)
    const rows = await service.sql('select next_at from listing_health')
    const times = rows.map(({ next_at }) => new Date(next_at).getTime() - clock)
    expect(rows).toHaveLength(12)
    expect(Math.max(...times)).toBeLessThan(7 * DAY)
    expect(new Set(times).size).toBe(12)
  })

  test('after a week everything was looked at once, under the name of the service, and robots.txt was asked first', async () => {
    await pass(7)
    const rows = await service.sql('select state, checked_at from listing_health')
    expect(rows.every(({ checked_at }) => checked_at !== null)).toBe(true)
    expect(new Set(asked.map(({ agent }) => agent))).toEqual(new Set(['Catalog-Health/1.0']))
    expect(asked.filter(({ url }) => url.startsWith('https://forbidden.example')).map(({ url }) => url)).toEqual([
      'https://forbidden.example/robots.txt',
    ])
    expect(asked.filter(({ url }) => url === 'https://alive.example')).toHaveLength(2)
  })

  test('a single look decides all states but gone and parked', async () => {
    const found = await Promise.all(
      ['alive', 'blocked', 'broken', 'moved', 'script', 'forbidden', 'below'].map(async (slug) => [
        slug,
        await stateOf(slug),
      ]),
    )
    expect(Object.fromEntries(found)).toEqual({
      ...{ alive: 'alive', blocked: 'blocked', broken: 'unreachable', moved: 'moved', script: 'alive' },
      ...{ forbidden: 'blocked', below: 'alive' },
    })
    for (const slug of ['gone', 'missing', 'parked']) expect([slug, await stateOf(slug)]).toEqual([slug, 'unknown'])
  })

  test('gone and parked are said after three looks in a row over a week', async () => {
    await pass(8)
    expect(await stateOf('gone')).toBe('gone')
    expect(await stateOf('missing')).toBe('gone')
    expect(await stateOf('parked')).toBe('parked')
    expect((await health('/directories/gone-list')).state).toBe('gone')
  })

  test('a look that was killed is repeated when its claim ends', async () => {
    await service.sql(`update listing_health set next_at = '${new Date(clock).toISOString()}' where kind = 'directory'`)
    expect(await claimDueWebsite(simulated())).toMatchObject({ kind: 'directory' })
    await service.sql('delete from link_hosts')
    const [other] = [await claimDueWebsite(simulated())]
    expect(other).toMatchObject({ kind: 'directory' })
    expect(await claimDueWebsite(simulated())).toBeUndefined()
    clock += 10 * 60_000
    expect(await walk()).toBe(2)
  })
})

describe('what callers see', () => {
  test('what is gone has alternatives that are alive, what is alive has none', async () => {
    expect(await health('/tools/gone')).toEqual({
      ...{ slug: 'gone', state: 'gone', since: expect.any(String), checkedAt: expect.any(String), successor: null },
      alternatives: expect.arrayContaining([{ slug: 'alive', name: 'The alive writer' }]),
    })
    const { alternatives } = await health('/tools/gone')
    expect(alternatives.map(({ slug }: any) => slug).toSorted()).toEqual(['alive', 'below', 'script'])
    expect((await health('/tools/alive')).alternatives).toEqual([])
    expect((await service.rest('/tools/nowhere/health')).status).toBe(404)
  })

  test('what is gone or parked comes last in every order', async () => {
    const last = new Set(['gone', 'missing', 'parked'])
    const questions = ['?q=writer', '?q=gone+writer+texts', '?q=writer&sort=opens', '?q=writer&facts=off', '/top']
    for (const query of [...orders(TOOL_ORDERS), ...questions, '?category=writing']) {
      const { body } = await service.rest(`/tools${query}`)
      const slugs: string[] = body.data.map(({ slug }: any) => slug)
      expect([query, new Set(slugs.slice(-3))]).toEqual([query, last])
      expect(slugs).toHaveLength(10)
    }
    for (const query of [...orders(DIRECTORY_ORDERS), '?q=list', '?q=list&sort=price']) {
      const { body } = await service.rest(`/directories${query}`)
      const slugs = body.data.map(({ slug }: any) => slug)
      expect([query, slugs]).toEqual([query, ['alive-list', 'gone-list']])
    }
    const found = await service.tool('search_tools', { q: 'writer' })
    expect(new Set(found.envelope.data.slice(-3).map(({ slug }: any) => slug))).toEqual(last)
  })

  test('it comes last on the site, too, also in what operators have put together', async () => {
    const collection = { name: 'Chosen', tools: ['gone', 'alive', 'script'], directories: ['gone-list', 'alive-list'] }
    await service.admin('PUT', '/collections/chosen', collection)
    const isBefore = (text: string, one: string, other: string) =>
      text.includes(one) && text.indexOf(one) < text.indexOf(other)
    for (const path of [
      '/tools',
      '/tools?sort=opens',
      '/tools?q=writer',
      '/categories/writing',
      '/collections/chosen',
    ]) {
      const { text } = await service.fetch(path)
      expect([path, isBefore(text, 'href="/tools/script"', 'href="/tools/gone"')]).toEqual([path, true])
    }
    for (const path of ['/directories', '/directories?sort=visits', '/collections/chosen']) {
      const { text } = await service.fetch(path)
      const isLast = isBefore(text, 'href="/directories/alive-list"', 'href="/directories/gone-list"')
      expect([path, isLast]).toEqual([path, true])
    }
    expect((await service.fetch('/collections/chosen')).text).toContain('compare?tools=alive')
    expect((await service.fetch('/collections/chosen')).text).not.toMatch(/compare\?tools=[^"]*gone/)
  })

  test('who asks for its whole name still finds it', async () => {
    const { body } = await service.rest('/tools?q=The+gone+writer')
    expect(body.data.map(({ slug }: any) => slug)).toContain('gone')
  })

  test('the home page, suggestions, similar tools and the plan leave it out', async () => {
    const page = async (path: string) => (await service.fetch(path)).text
    for (const path of ['/', '/search/suggestions?q=writer', '/tools/alive', '/plan?category=writing']) {
      const text = await page(path)
      expect([path, text.includes('/tools/gone"'), text.includes('/directories/gone-list"')]).toEqual([
        path,
        false,
        false,
      ])
    }
    expect(await page('/')).toContain('/tools/alive"')
  })

  test('its page says so, with the date and what to use instead', async () => {
    const { text } = await service.fetch('/tools/gone')
    expect(text).toContain('is gone.')
    expect(text).toMatch(/found on <time datetime/)
    expect(text).toContain('href="/tools/alive"')
    expect((await service.fetch('/tools/alive')).text).not.toContain('is gone.')
  })

  test('get_tool says it in a line of its text, and its object stays as it was', async () => {
    const ask = async (slug: string) => (await service.tool('get_tool', { slug })).result.result
    for (let times = 0; times < 2; times++) {
      const gone = await ask('gone')
      const [line, json] = gone.content[0].text.split('\n')
      expect(line).toBe('This product is gone: its website no longer exists. Suggest another one.')
      expect(JSON.parse(json)).toEqual(gone.structuredContent)
      expect(gone.structuredContent.data.slug).toBe('gone')
      const alive = await ask('alive')
      expect(JSON.parse(alive.content[0].text)).toEqual(alive.structuredContent)
    }
  })
})

describe('what operators do', () => {
  const list = async (query: string) =>
    (await service.admin('GET', `/health?${query}`)).body.data
      .map(({ kind, slug }: any) => `${kind}:${slug}`)
      .toSorted()

  test('they find what is gone, and what is new', async () => {
    const { body } = await service.admin('GET', '/tools?health=gone')
    expect(body.data.map(({ slug }: any) => slug).toSorted()).toEqual(['gone', 'missing'])
    expect(await list('open=true')).toEqual([
      ...['directory:gone-list', 'tool:gone', 'tool:missing', 'tool:moved', 'tool:parked'],
    ])
    await service.sql(`update listing_health set since = now() - interval '1 hour' where state <> 'parked'`)
    expect(await list('open=true&kind=tool&new=true')).toEqual(['tool:gone', 'tool:missing', 'tool:moved'])
  })

  test('they name a successor, which callers and readers see', async () => {
    const reply = await service.admin('PATCH', '/tools/gone/health', { successor: 'alive' })
    expect([reply.status, reply.body.data.successor]).toEqual([200, { slug: 'alive', name: 'The alive writer' }])
    expect((await health('/tools/gone')).successor).toEqual({ slug: 'alive', name: 'The alive writer' })
    const successorLink = /href="\/tools\/alive"[^>]*><span>Use <bdi>The alive writer<\/bdi> instead/
    expect((await service.fetch('/tools/gone')).text).toMatch(successorLink)
    for (const successor of ['gone', 'nowhere'])
      expect((await service.admin('PATCH', '/tools/gone/health', { successor })).status).toBe(400)
    expect((await service.admin('PATCH', '/tools/gone/health', {})).status).toBe(400)
    expect((await service.admin('PATCH', '/tools/nowhere/health', { decision: 'keep' })).status).toBe(404)
  })

  test('what they keep is not listed again', async () => {
    expect((await service.admin('PATCH', '/tools/missing/health', { decision: 'keep' })).status).toBe(200)
    expect(await list('open=true')).toEqual(['directory:gone-list', 'tool:moved', 'tool:parked'])
  })

  test('they decide about many at once, and are told about those that cannot be changed', async () => {
    const decide = (change: object) => service.admin('POST', '/health/decide', { kind: 'tool', ...change })
    const named = await decide({ slugs: ['parked', 'nowhere'], successor: 'script' })
    expect([named.status, named.body.data]).toMatchObject([
      200,
      [
        { slug: 'parked', error: null },
        { slug: 'nowhere', error: expect.stringContaining('not found') },
      ],
    ])
    expect((await health('/tools/parked')).successor).toMatchObject({ slug: 'script' })
    expect((await decide({ slugs: ['alive'], decision: 'new-address' })).body.data[0].error).toContain('has not moved')
    await decide({ slugs: ['below', 'forbidden'], decision: 'hide' })
    expect((await service.rest('/tools/below')).status).toBe(404)
    for (const body of [{ slugs: [] }, { slugs: ['alive'] }, { slugs: Array(101).fill('alive'), decision: 'keep' }])
      expect((await decide(body)).status).toBe(400)
    for (const slug of ['below', 'forbidden']) await service.admin('PATCH', `/tools/${slug}`, { published: true })
  })

  test('they do the same in the console, for one or for those they choose', async () => {
    await service.sql('update listing_health set decided_at = null')
    const admin = await signedUpAdmin(service)
    const page = await admin.open('/admin/health?show=new&kind=tool')
    expectSound(page.text)
    expect(page.text).toContain('leads to')
    expect((await admin.open('/admin/health?show=alive')).text).not.toContain('Name the successor')
    const form = filledForm(page.text, '/admin/health')
    const decide = (fields: Record<string, string>) => admin.post('/admin/health', { ...form, ...fields })
    const reply = await decide({ one: 'keep tool:missing' })
    expect(reply.headers.get('location')).toBe('/admin/health?show=new&kind=tool')
    expect(await list('open=true&kind=tool')).toEqual(['tool:gone', 'tool:moved', 'tool:parked'])
    await decide({ 'pick-tool:gone': 'true', 'pick-directory:gone-list': 'true', do: 'keep' })
    expect(await list('open=true')).toEqual(['tool:moved', 'tool:parked'])
    await decide({ 'pick-tool:parked': 'true', do: 'successor', successor: 'alive' })
    expect((await health('/tools/parked')).successor).toMatchObject({ slug: 'alive' })
    await decide({ do: 'keep' })
    expect((await admin.open('/admin/health')).text).toContain('Choose at least one listing.')
  })

  test('the menu and the first page of the console say how many wait', async () => {
    expect((await service.admin('GET', '/overview/waiting')).body.data.health).toBe(1)
    const admin = await signedUpAdmin(service)
    expect((await admin.open('/admin')).text).toContain('Gone, parked or moved since yesterday')
  })

  test('they take over a new address, and the looks begin anew', async () => {
    expect((await service.admin('PATCH', '/tools/alive/health', { decision: 'new-address' })).status).toBe(400)
    const reply = await service.admin('PATCH', '/tools/moved/health', { decision: 'new-address' })
    expect([reply.status, reply.body.error, reply.body.data]).toMatchObject([
      200,
      undefined,
      { website: 'https://elsewhere.example/', state: 'unknown' },
    ])
    expect((await service.admin('GET', '/tools/moved')).body.data).toMatchObject({
      tagline: 'Writes texts',
      opens: 100,
    })
    clock = Date.now()
    await pass(1)
    expect(await stateOf('moved')).toBe('alive')
  })
})

test('a listing that is written with another website is no longer gone, one that is written again still is', async () => {
  const write = (website: string) =>
    service.admin('PUT', '/tools/gone', {
      name: 'The gone writer',
      tagline: 'Writes texts',
      website,
      category: 'writing',
    })
  await write('https://gone.example')
  expect(await service.sql(`select ended from tools where slug = 'gone'`)).toEqual([{ ended: 'gone' }])
  await write('https://script.example')
  expect(await service.sql(`select ended from tools where slug = 'gone'`)).toEqual([{ ended: null }])
  const { body } = await service.rest('/tools?q=writer')
  expect(body.data.slice(-2).map(({ slug }: any) => slug)).not.toContain('gone')
})

test('one look that finds it alive ends it', async () => {
  websites['parked.example'] = '<h1>Back again</h1>'
  await pass(8)
  expect(await stateOf('parked')).toBe('alive')
  expect(await service.sql(`select ended from tools where slug = 'parked'`)).toEqual([{ ended: null }])
})

test('two workers that share the walk look at every website once', async () => {
  await service.sql('delete from robots_files')
  await service.sql(`update listing_health set next_at = '${new Date(clock).toISOString()}'`)
  asked.length = 0
  const seen: string[] = []
  const worker = async () => {
    for (let waits = 0; waits < 50; ) {
      const claimed = await claimDueWebsite(simulated())
      if (claimed) {
        seen.push(claimed.listingId)
        await lookAtClaimed(simulated(), claimed)
      } else {
        // The host of what is still due has to wait.
        waits++
        await service.sql('delete from link_hosts')
        service.context().links.lastAsked.clear()
      }
    }
  }
  await Promise.all([worker(), worker()])
  expect(new Set(seen).size).toBe(seen.length)
  expect(await service.sql(`select 1 from listing_health where next_at <= '${new Date(clock).toISOString()}'`)).toEqual(
    [],
  )
})

describe('with a worker', () => {
  const site = use(() => productSite({ '/': '<h1>A product</h1>' }))
  const working = use(() => startService({ HEALTH_CHECKS: 'on', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' }))

  test('a website that is due is looked at by itself', async () => {
    await working.load([{ kind: 'tool', slug: 'real', name: 'Real', website: site.url }])
    await planFirstLooks(working.context(), () => false)
    await working.sql(`update listing_health set next_at = now()`)
    await working.wake()
    await until(async () => (await working.rest('/tools/real/health')).body.data.state === 'alive', 20_000)
    expect(site.asked).toEqual(['/robots.txt', '/'])
  })
})
