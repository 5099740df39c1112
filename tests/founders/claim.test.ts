// An account owns a listing once it shows its token for the listing's registrable domain. None of these attacks takes a listing over.
// @module-tag slow
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { proofScope } from '../../src/features/founders/claims/rules.ts'
import { formIn } from '../harness/browser.ts'
import { claimNet } from '../harness/claims.ts'
import { forgetOld } from '../harness/forget-old.ts'
import { type Founder, newFounder } from '../harness/founders.ts'
import { until } from '../harness/process.ts'
import { startService } from '../harness/service.ts'
import { use } from '../harness/use.ts'

const net = use(claimNet)
const service = use(() =>
  startService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', SIGN_UPS_PER_DAY: '1000' }, { hostNames: net.hostNames }),
)

const FILE = '/.well-known/catalog-verify.txt'
const entry = (token: string) => `catalog-verify=${token}`
const tag = (token: string) => `<meta name="catalog-verify" content="${token}">`
const page = (head: string, body = '') =>
  `<!doctype html><html><head><title>A</title>${head}</head><body>${body}</body></html>`
const inHead = (html: (token: string) => string) => (token: string) => ({
  pages: { 'victim.example/': page(html(token)) },
})
const inBody = (html: (token: string) => string) => (token: string) => ({
  pages: { 'victim.example/': page('', html(token)) },
})
const file = (body: (token: string) => string) => (token: string) => ({
  pages: { [`victim.example${FILE}`]: body(token) },
})
const redirected =
  (location: (token: string) => string, more: Record<string, (token: string) => string> = {}) =>
  (token: string) => ({
    pages: {
      [`victim.example${FILE}`]: { location: location(token) },
      [`evil.example${FILE}`]: token,
      ...Object.fromEntries(Object.entries(more).map(([where, what]) => [where, what(token)])),
    },
  })
const dns =
  (name: string, text = entry) =>
  (token: string) => ({ texts: { [name]: [text(token)] } })

interface World {
  texts?: Record<string, string[]>
  aliases?: Record<string, string>
  pages?: Record<string, string | { status?: number; location?: string; body?: string }>
}

function arrange(world: World): void {
  for (const [name, texts] of Object.entries(world.texts ?? {})) net.texts.set(name, texts)
  for (const [name, to] of Object.entries(world.aliases ?? {})) net.aliases.set(name, to)
  for (const [where, what] of Object.entries(world.pages ?? {})) net.pages.set(where, what)
}

interface Attack {
  host?: string
  path?: string
  scheme?: 'https'
  world: (token: string, port: string) => World
}

/** What the attacker can do, by name; the listing is http://victim.example/ unless another host, path or scheme is given. */
const ATTACKS: Record<string, Attack> = {
  'a DNS entry on a subdomain': { world: dns('evil.victim.example') },
  'a DNS entry on a neighbour of the listed host': { host: 'app.victim.example', world: dns('evil.victim.example') },
  'a DNS entry below the listed host': { host: 'app.victim.example', world: dns('x.app.victim.example') },
  'a DNS entry under an underscore': { world: dns('_catalog-verify.victim.example') },
  'a DNS entry on the top-level domain': { world: dns('example') },
  'a DNS entry on a public suffix of two labels': { host: 'victim.co.uk', world: dns('co.uk') },
  'a DNS entry on github.io for a page there': { host: 'victim.github.io', world: dns('github.io') },
  'a DNS entry of a neighbour on github.io': { host: 'victim.github.io', world: dns('evil.github.io') },
  'a DNS entry of the parent on a shared host': { host: 'deep.victim.github.io', world: dns('victim.github.io') },
  'a DNS entry on vercel.app for a page there': { host: 'victim.vercel.app', world: dns('vercel.app') },
  'a DNS entry of a look-alike domain (IDN)': { world: dns('xn--vctim-l2a.example') },
  'a DNS entry of another domain that begins with the name': { world: dns('victim.example.evil.example') },
  'a DNS entry that an alias to another host answers': {
    world: (token) => ({ aliases: { 'victim.example': 'evil.example' }, texts: { 'evil.example': [entry(token)] } }),
  },
  'a DNS entry without its name': { world: dns('victim.example', (token) => token) },
  'a DNS entry with another name': { world: dns('victim.example', (token) => `site-verify=${token}`) },
  'a DNS entry with the token among other words': {
    world: dns('victim.example', (token) => `v=spf1 ${entry(token)} -all`),
  },
  'a DNS entry with a part of the token': { world: dns('victim.example', (token) => entry(token.slice(0, 31))) },
  'a DNS entry with the token in capitals': {
    world: dns('victim.example', (token) => entry(token.toUpperCase())),
  },
  'a wildcard DNS entry below the listed domain': { world: dns('*.victim.example') },
  'a wildcard DNS entry below a neighbour of the listed host': {
    host: 'app.victim.example',
    world: dns('*.evil.victim.example'),
  },
  'a wildcard DNS entry of a neighbour on github.io': { host: 'victim.github.io', world: dns('*.evil.github.io') },
  'a wildcard DNS entry below the listed host of a shared one': {
    host: 'victim.github.io',
    world: dns('*.victim.github.io'),
  },
  'a wildcard DNS entry of the parent on a shared host': {
    host: 'deep.victim.github.io',
    world: (token) => ({ texts: { '*.evil.github.io': [entry(token)], 'victim.github.io': [entry(token)] } }),
  },
  'an empty token in DNS': { world: () => ({ texts: { 'victim.example': ['catalog-verify=', ''] } }) },
  'a file on a subdomain': { world: (token) => ({ pages: { [`evil.victim.example${FILE}`]: token } }) },
  'a file on www, when the listed host does not lead there': {
    world: (token) => ({ pages: { [`www.victim.example${FILE}`]: token } }),
  },
  'a file at another path': { world: (token) => ({ pages: { 'victim.example/catalog-verify.txt': token } }) },
  'a file among the uploads of users': {
    world: (token) => ({ pages: { 'victim.example/uploads/.well-known/catalog-verify.txt': token } }),
  },
  'a file below the path of the listing': {
    path: '/~victim/',
    world: (token) => ({ pages: { [`victim.example/~victim${FILE}`]: token } }),
  },
  'a redirect to another domain': { world: (token) => redirected(() => net.url('evil.example', FILE))(token) },
  'a redirect without a scheme': { world: (token, port) => redirected(() => `//evil.example:${port}${FILE}`)(token) },
  'a redirect with the name as a user': {
    world: (token, port) => redirected(() => `http://victim.example@evil.example:${port}${FILE}`)(token),
  },
  'a redirect to a host that ends with the name': {
    world: (token) =>
      redirected(() => net.url('evilvictim.example', FILE), { [`evilvictim.example${FILE}`]: (t) => t })(token),
  },
  'a redirect to a host that begins with the name': {
    world: (token) =>
      redirected(() => net.url('victim.example.evil.test', FILE), { [`victim.example.evil.test${FILE}`]: (t) => t })(
        token,
      ),
  },
  'a redirect to a page on github.io': {
    world: (token) => redirected(() => net.url('evil.github.io', FILE), { [`evil.github.io${FILE}`]: (t) => t })(token),
  },
  'a redirect to a numeric address': {
    world: (token) => redirected(() => net.url('127.0.0.1', FILE), { [`127.0.0.1${FILE}`]: (t) => t })(token),
  },
  'a redirect through another domain and back to an upload': {
    world: (token) => ({
      pages: {
        [`victim.example${FILE}`]: { location: net.url('evil.example', '/bounce') },
        'evil.example/bounce': { location: net.url('victim.example', '/uploads/a.txt') },
        'victim.example/uploads/a.txt': token,
      },
    }),
  },
  'a redirect between pages of a shared host': {
    host: 'victim.github.io',
    world: (token) => ({
      pages: {
        [`victim.github.io${FILE}`]: { location: net.url('evil.github.io', FILE) },
        [`evil.github.io${FILE}`]: token,
      },
    }),
  },
  'a redirect to data': { world: (token) => redirected((t) => `data:text/plain,${t}`)(token) },
  'four redirects': {
    world: (token) => ({
      pages: {
        [`victim.example${FILE}`]: { location: '/1' },
        'victim.example/1': { location: '/2' },
        'victim.example/2': { location: '/3' },
        'victim.example/3': { location: '/4' },
        'victim.example/4': token,
      },
    }),
  },
  'the token on a page that is not found': {
    world: (token) => ({ pages: { [`victim.example${FILE}`]: { status: 404, body: token } } }),
  },
  'the token on a page that failed': {
    world: (token) => ({ pages: { [`victim.example${FILE}`]: { status: 500, body: token } } }),
  },
  'the token in a page instead of a line': { world: file((token) => `<p>${token}</p>`) },
  'the token in a line of a page that shows what visitors wrote': {
    world: file((token) => `<html><pre>\nhello\n${token}\n</pre></html>`),
  },
  'the token in a line of a text that visitors wrote': { world: file((token) => `hello there\n${token}\nbye`) },
  'the token among other words of a line': { world: file((token) => `Search results for ${token}`) },
  'the token in a file of more than 8 KiB': { world: file((token) => `${token}\n${'x'.repeat(9000)}`) },
  'the token after a hundred lines': { world: file((token) => `${'x\n'.repeat(120)}${token}`) },
  'a tag in a comment': { world: inHead((token) => `<!-- ${tag(token)} -->`) },
  'a tag in a conditional comment': { world: inHead((token) => `<!--[if IE]>${tag(token)}<![endif]-->`) },
  'a tag in a script': { world: inHead((token) => `<script>'${tag(token)}'</script>`) },
  'a tag in data of a script': { world: inHead((token) => `<script type="application/json">"${tag(token)}"</script>`) },
  'a tag in a style': { world: inHead((token) => `<style>/* ${tag(token)} */</style>`) },
  'a tag in a template': { world: inHead((token) => `<template>${tag(token)}</template>`) },
  'a tag in a noscript': { world: inHead((token) => `<noscript>${tag(token)}</noscript>`) },
  'a tag in the title': { world: inHead((token) => `<title>${tag(token)}</title>`) },
  'a tag in the body': { world: inBody(tag) },
  'a tag in a comment of a visitor': { world: inBody((token) => `<article><p>Nice!</p>${tag(token)}</article>`) },
  'a tag in a text area': { world: inBody((token) => `<textarea>${tag(token)}</textarea>`) },
  'a tag in a drawing': { world: inBody((token) => `<svg><desc>${tag(token)}</desc></svg>`) },
  'a tag in a frame': { world: inBody((token) => `<iframe srcdoc='${tag(token)}'></iframe>`) },
  'a second head in the body': { world: inBody((token) => `<head>${tag(token)}</head>`) },
  'a tag in an attribute': { world: inHead((token) => `<link title='${tag(token)}'>`) },
  'an escaped tag': { world: inBody((token) => tag(token).replaceAll('<', '&lt;')) },
  'a tag with a property instead of a name': {
    world: inHead((token) => `<meta property="catalog-verify" content="${token}">`),
  },
  'a tag with another name': { world: inHead((token) => `<meta name="catalog-verify-2" content="${token}">`) },
  'a tag with the token among others': {
    world: inHead((token) => `<meta name="catalog-verify" content="other ${token}">`),
  },
  'a tag on another page of the site': {
    world: (token) => ({ pages: { 'victim.example/': page(''), 'victim.example/profiles/evil': page(tag(token)) } }),
  },
  'a tag on the first page of a host that several share by path': {
    path: '/~victim/',
    world: (token) => ({ pages: { 'victim.example/~victim/': page(''), 'victim.example/~evil/': page(tag(token)) } }),
  },
  'a tag on a page that the site redirects to elsewhere': {
    world: (token) => ({
      pages: { 'victim.example/': { location: net.url('evil.example') }, 'evil.example/': page(tag(token)) },
    }),
  },
  'a tag on a page that is not found': {
    world: (token) => ({ pages: { 'victim.example/': { status: 404, body: page(tag(token)) } } }),
  },
  'a file and a tag over http, where https shows another site': {
    scheme: 'https',
    world: (token) => ({
      pages: {
        [`victim.example${FILE}`]: token,
        'victim.example/': page(tag(token)),
        [`https://victim.example${FILE}`]: { status: 404 },
        'https://victim.example/': page(''),
      },
    }),
  },
  'a file and a tag over http, where nothing is there over https': {
    scheme: 'https',
    world: (token) => ({ pages: { [`victim.example${FILE}`]: token, 'victim.example/': page(tag(token)) } }),
  },
  'a redirect from https to http': {
    scheme: 'https',
    world: (token) => ({
      pages: {
        [`https://victim.example${FILE}`]: { location: net.url('victim.example', FILE) },
        [`victim.example${FILE}`]: token,
        'https://victim.example/': { location: net.url('www.victim.example') },
        'www.victim.example/': page(tag(token)),
      },
    }),
  },
  'a redirect from https to http and back to an upload': {
    scheme: 'https',
    world: (token) => ({
      pages: {
        [`https://victim.example${FILE}`]: { location: net.url('victim.example', '/bounce') },
        'victim.example/bounce': { location: net.url('victim.example', '/uploads/a.txt', 'https') },
        'https://victim.example/uploads/a.txt': token,
      },
    }),
  },
  'a redirect from http to https of another host': {
    world: (token) => ({
      pages: {
        [`victim.example${FILE}`]: { location: net.url('evil.example', FILE, 'https') },
        [`https://evil.example${FILE}`]: token,
        'victim.example/': { location: net.url('evil.example', '/', 'https') },
        'https://evil.example/': page(tag(token)),
      },
    }),
  },
  'a file and a tag over https with the certificate of another host': {
    host: 'other.example',
    scheme: 'https',
    world: (token) => ({
      pages: { [`https://other.example${FILE}`]: token, 'https://other.example/': page(tag(token)) },
    }),
  },
}

let attacker: Founder
let form: Record<string, string>
let serial = 0

beforeAll(async () => {
  attacker = await newFounder(service)
  form = formIn((await attacker.open('/dashboard')).text, '/sign-out')!
})
beforeEach(() => net.clear())

/** Lists a product, and returns its slug. */
async function listed(host = 'victim.example', path = '/', scheme?: 'https'): Promise<string> {
  const slug = `claimed-${++serial}`
  await service.load([{ kind: 'tool', slug, name: slug, website: net.url(host, path, scheme), published: true }])
  return slug
}

async function begun(founder: Founder, slug: string): Promise<string> {
  const token = founder === attacker ? form : formIn((await founder.open('/dashboard')).text, '/sign-out')!
  await founder.post(`/tools/${slug}/claim`, token)
  const { text } = await founder.open(`/tools/${slug}/claim`)
  return /catalog-verify=([0-9a-f]{32})/.exec(text)![1]!
}

async function look(founder: Founder, slug: string) {
  const token = founder === attacker ? form : formIn((await founder.open('/dashboard')).text, '/sign-out')!
  return founder.post(`/tools/${slug}/claim/check`, token)
}

const ownersOf = async (slug: string) => (await service.admin('GET', `/owners?tool=${slug}`)).body.data

test('there are at least 40 attacks', () => expect(Object.keys(ATTACKS).length).toBeGreaterThanOrEqual(40))

test.each(Object.keys(ATTACKS))('%s takes nothing over', async (name) => {
  const { host, path, scheme, world } = ATTACKS[name]!
  const slug = await listed(host, path, scheme)
  arrange(world(await begun(attacker, slug), new URL(net.url('x')).port))
  expect((await look(attacker, slug)).status).toBe(400)
  expect(await ownersOf(slug)).toEqual([])
})

describe('the token proves a claim', () => {
  const ways: Record<string, Omit<Attack, 'path'>> = {
    'in DNS on the host': { host: 'app.victim.example', world: dns('app.victim.example') },
    'in DNS on the registrable domain': { host: 'app.victim.example', world: dns('victim.example') },
    'in DNS by a wildcard of the registrable domain': { host: 'app.victim.example', world: dns('*.victim.example') },
    'in DNS on the whole host of a shared one': { host: 'victim.github.io', world: dns('victim.github.io') },
    'in a file': { world: file((token) => `${token}\n`) },
    'in a file with the tokens of others': {
      world: file((token) => `${'0'.repeat(32)}\r\ncatalog-verify=${token}\r\n`),
    },
    'in a file after a redirect to another host of the domain': {
      world: (token) => ({
        pages: {
          [`victim.example${FILE}`]: { location: net.url('www.victim.example', FILE) },
          [`www.victim.example${FILE}`]: token,
        },
      }),
    },
    'in a tag of the page': { world: inHead(tag) },
    'in a file over https': {
      scheme: 'https',
      world: (token) => ({ pages: { [`https://victim.example${FILE}`]: token } }),
    },
    'in a tag of the page after a redirect from http to https of another host of the domain': {
      world: (token) => ({
        pages: {
          'victim.example/': { location: net.url('www.victim.example', '/', 'https') },
          'https://www.victim.example/': page(tag(token)),
        },
      }),
    },
  }
  test.each(Object.keys(ways))('%s', async (name) => {
    const { host, scheme, world } = ways[name]!
    const slug = await listed(host, '/', scheme)
    arrange(world(await begun(attacker, slug), ''))
    expect((await look(attacker, slug)).status).toBe(200)
    expect(await ownersOf(slug)).toMatchObject([{ tool: { slug }, user: { email: attacker.email }, failedAt: null }])
    expect((await attacker.open('/dashboard/products')).text).toContain(slug)
  })
})

describe('a token', () => {
  test('of another account proves nothing', async () => {
    const slug = await listed()
    const owner = await newFounder(service)
    arrange(dns('victim.example')(await begun(owner, slug)))
    await begun(attacker, slug)
    expect((await look(attacker, slug)).status).toBe(400)
  })

  test('of another listing proves nothing', async () => {
    const [own, others] = [await listed('victim.example'), await listed('victim.example', '/other')]
    arrange(dns('victim.example')(await begun(attacker, own)))
    await begun(attacker, others)
    expect((await look(attacker, others)).status).toBe(400)
  })

  test('proves nothing after an operator has removed the owner', async () => {
    const slug = await listed()
    arrange(dns('victim.example')(await begun(attacker, slug)))
    await look(attacker, slug)
    const [owner] = await ownersOf(slug)
    expect((await service.admin('DELETE', `/owners/${owner.id}`)).status).toBe(200)
    expect((await look(attacker, slug)).status).toBe(409)
    await begun(attacker, slug)
    expect((await look(attacker, slug)).status).toBe(400)
    expect(await ownersOf(slug)).toEqual([])
  })
})

describe('owners', () => {
  test('a second claim never removes the first, and neither sees the other', async () => {
    const slug = await listed()
    const [first, second] = [await newFounder(service), await newFounder(service)]
    const tokens = [await begun(first, slug), await begun(second, slug)]
    net.texts.set('victim.example', tokens.map(entry))
    for (const founder of [first, second]) expect((await look(founder, slug)).status).toBe(200)
    expect(await ownersOf(slug)).toHaveLength(2)
    expect((await first.open(`/tools/${slug}/claim`)).text).not.toContain(second.email)
  })

  test('are at most five, even if six prove it at the same time', async () => {
    const slug = await listed()
    const founders = []
    for (let i = 0; i < 6; i++) founders.push(await newFounder(service))
    const tokens = []
    for (const founder of founders) tokens.push(await begun(founder, slug))
    net.texts.set('victim.example', tokens.map(entry))
    const replies = await Promise.all(founders.map((founder) => look(founder, slug)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 400])
    expect(await ownersOf(slug)).toHaveLength(5)
  })

  test('are checked on the website that the listing has now: a proof for the old one ends', async () => {
    const slug = await listed()
    arrange(dns('victim.example')(await begun(attacker, slug)))
    await look(attacker, slug)
    await service.load([{ kind: 'tool', slug, name: slug, website: net.url('new.example'), published: true }])
    await overdue(slug)
    await until(async () => (await ownersOf(slug))[0]?.failedAt !== null)
    expect(await ownersOf(slug)).toHaveLength(1)
  })

  test('who show the token no more are removed after a second failure a week later', async () => {
    const slug = await listed()
    const founder = await newFounder(service)
    arrange(dns('victim.example')(await begun(founder, slug)))
    await look(founder, slug)
    net.clear()
    await overdue(slug)
    await until(async () => (await ownersOf(slug))[0]?.failedAt !== null)
    await overdue(slug, `failed_at = now() - interval '6 days',`)
    await until(async () => new Date((await ownersOf(slug))[0].checkedAt).getTime() > Date.now() - 60_000)
    expect(await ownersOf(slug)).toHaveLength(1)
    await overdue(slug, `failed_at = now() - interval '7 days 1 minute',`)
    await until(async () => (await ownersOf(slug)).length === 0)
  })

  test('of a domain that changed hands end a week after its new holder has proven it, who stays', async () => {
    const slug = await listed()
    const [before, after] = [await newFounder(service), await newFounder(service)]
    arrange(dns('victim.example')(await begun(before, slug)))
    expect((await look(before, slug)).status).toBe(200)
    arrange(dns('victim.example')(await begun(after, slug)))
    expect((await look(after, slug)).status).toBe(200)
    const owners = async () => (await ownersOf(slug)).map(({ user, failedAt }: any) => [user.email, failedAt !== null])
    await overdue(slug)
    await until(async () => (await owners()).length === 2 && (await owners()).some(([, failed]: any) => failed))
    expect(await owners()).toEqual(
      expect.arrayContaining([
        [before.email, true],
        [after.email, false],
      ]),
    )
    await service.sql(
      `update claims set failed_at = failed_at - interval '7 days 1 minute' where failed_at is not null`,
    )
    await overdue(slug)
    await until(async () => (await owners()).length === 1)
    await until(async () => (await nextCheckOf(slug)) > 29)
    expect(await owners()).toEqual([[after.email, false]])
    expect((await look(before, slug)).status).toBe(409)
  })

  test('who show the token again stay', async () => {
    const slug = await listed()
    arrange(dns('victim.example')(await begun(attacker, slug)))
    await look(attacker, slug)
    await overdue(slug, `failed_at = now() - interval '8 days',`)
    await until(async () => (await ownersOf(slug))[0]?.failedAt === null)
  })
})

/** Makes the check of an owner due. */
async function overdue(slug: string, more = ''): Promise<void> {
  await service.sql(
    `update claims set ${more} checked_at = '2026-01-01', next_at = now() - interval '1 second' where tool_id = (select id from tools where slug = '${slug}')`,
  )
  await service.wake()
}

test('an owner whose token was not asked for stays: a site that fails, and a DNS server that does not answer', async () => {
  const [byDns, byPage] = [await listed('asked.example'), await listed('failing.example')]
  arrange(dns('asked.example')(await begun(attacker, byDns)))
  arrange({ pages: { 'failing.example/': page(tag(await begun(attacker, byPage))) } })
  for (const slug of [byDns, byPage]) expect((await look(attacker, slug)).status).toBe(200)
  net.clear()
  net.failing.add('asked.example')
  net.pages.set('failing.example/', { status: 503 })
  for (const slug of [byDns, byPage]) {
    await overdue(slug, `failed_at = now() - interval '8 days',`)
    await until(async () => new Date((await ownersOf(slug))[0].checkedAt).getTime() > Date.now() - 60_000)
    await until(async () => (await nextCheckOf(slug)) > 0.5)
    expect(await ownersOf(slug)).toHaveLength(1)
    expect(await nextCheckOf(slug)).toBeLessThan(1.5)
  }
  net.failing.clear()
  net.pages.set('failing.example/', page(''))
  for (const slug of [byDns, byPage]) {
    await overdue(slug, `failed_at = now() - interval '8 days',`)
    await until(async () => (await ownersOf(slug)).length === 0)
  }
})

test('an owner whose site could not be asked for 60 days is told, and loses the listing a week later', async () => {
  const slug = await listed('erring.example')
  const founder = await newFounder(service)
  arrange({ pages: { 'erring.example/': page(tag(await begun(founder, slug))) } })
  expect((await look(founder, slug)).status).toBe(200)
  net.pages.set('erring.example/', { status: 503 })
  const asked = async () => new Date((await ownersOf(slug))[0].checkedAt).getTime() > Date.now() - 60_000
  await overdue(slug)
  await until(asked)
  await until(async () => (await nextCheckOf(slug)) > 0.5)
  await overdue(slug, `unasked_at = now() - interval '59 days',`)
  await until(asked)
  expect((await ownersOf(slug))[0].failedAt).toBe(null)
  await overdue(slug, `unasked_at = now() - interval '60 days 1 minute',`)
  await until(async () => (await ownersOf(slug))[0].failedAt !== null)
  expect((await founder.open(`/dashboard/products/${slug}`)).text).toContain('Proof not found')
  await overdue(slug, `failed_at = now() - interval '7 days 1 minute',`)
  await until(async () => (await ownersOf(slug)).length === 0)
})

test('an owner whose site answers again before 60 days are over stays, and the days begin anew', async () => {
  const slug = await listed('again.example')
  const shown = page(tag(await begun(attacker, slug)))
  arrange({ pages: { 'again.example/': shown } })
  await look(attacker, slug)
  await overdue(slug, `unasked_at = now() - interval '59 days',`)
  await until(async () => (await nextCheckOf(slug)) > 29)
  const [row] = await service.sql(
    `select unasked_at from claims where tool_id = (select id from tools where slug = '${slug}')`,
  )
  expect(row.unasked_at).toBe(null)
})

/** Days until the owner is checked again. */
const nextCheckOf = async (slug: string): Promise<number> => {
  const [row] = await service.sql(
    `select extract(epoch from next_at - now())::float8 / 86400 as days from claims where tool_id = (select id from tools where slug = '${slug}')`,
  )
  return row.days
}

test('an owner of a listing that gets another domain is looked for there at once, and stays if the token is there', async () => {
  const founder = await newFounder(service)
  const [kept, lost] = [await listed('kept.example'), await listed('lost.example')]
  const tokens = [await begun(founder, kept), await begun(founder, lost)]
  net.texts.set('kept.example', [entry(tokens[0]!)]).set('lost.example', [entry(tokens[1]!)])
  for (const slug of [kept, lost]) expect((await look(founder, slug)).status).toBe(200)
  net.texts.set('kept-new.example', [entry(tokens[0]!)])
  for (const [slug, host] of [
    [kept, 'kept-new.example'],
    [lost, 'lost-new.example'],
  ] as const)
    await service.load([{ kind: 'tool', slug, name: slug, website: net.url(host), published: true }])
  await until(async () => (await ownersOf(lost))[0]?.failedAt !== null)
  expect((await founder.open(`/dashboard/products/${lost}`)).text).toContain('Prove it again')
  await until(async () => (await founder.open(`/dashboard/products/${kept}`)).text.includes('Your changes'))
  expect((await ownersOf(kept))[0].failedAt).toBe(null)
  net.texts.set('lost-new.example', [entry(tokens[1]!)])
  expect((await look(founder, lost)).status).toBe(200)
  expect((await founder.open(`/dashboard/products/${lost}`)).text).toContain('Your changes')
})

test('the address of a look that was loaded again leads to the claim', async () => {
  const slug = await listed()
  const reply = await attacker.open(`/tools/${slug}/claim/check`)
  expect([reply.status, reply.headers.get('location')]).toEqual([303, `/tools/${slug}/claim`])
})

test('a claim that is not proven is in the list of operators, and is deleted after 30 days', async () => {
  const slug = await listed()
  await begun(attacker, slug)
  const unproven = async () => (await service.admin('GET', `/owners?state=unproven&tool=${slug}`)).body.data
  expect(await unproven()).toMatchObject([{ user: { email: attacker.email }, method: null, provenAt: null }])
  expect(await ownersOf(slug)).toEqual([])
  const owner = await newFounder(service)
  arrange(dns('victim.example')(await begun(owner, slug)))
  await look(owner, slug)
  await service.sql(`update claims set created_at = now() - interval '29 days'`)
  await forgetOld(service)
  expect(await unproven()).toHaveLength(1)
  await service.sql(`update claims set created_at = now() - interval '31 days'`)
  await forgetOld(service)
  expect(await unproven()).toEqual([])
  expect(await ownersOf(slug)).toMatchObject([{ user: { email: owner.email } }])
})

test('a hidden listing cannot be claimed', async () => {
  const slug = await listed()
  await service.admin('PATCH', `/tools/${slug}`, { published: false })
  expect((await attacker.open(`/tools/${slug}/claim`)).status).toBe(404)
})

test('names in other letters are other domains', () => {
  const domains = [
    'https://victim.example',
    'https://vіctim.example',
    'https://VICTIM.example.',
    'https://victim.еxample',
  ]
  expect(new Set(domains.map((address) => proofScope(address)!.domain)).size).toBe(3)
})
