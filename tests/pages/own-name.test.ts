// @module-tag once
// The operator's own name, words, colour and pages: every place that shows a name follows a change at once.
import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { contrastOf } from '../../src/features/site/colours.rules.ts'
import { DEFAULT_ACCENT, PALETTES } from '../../src/features/site/schema.ts'
import { identityTokens } from '../../src/surfaces/pages/accent.ts'
import { AREA_STYLE_TEXT, STYLE_TEXT } from '../../src/surfaces/pages/assets.ts'
import { signedUpAdmin } from '../harness/browser.ts'
import { filledForm } from '../harness/console-forms.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey('standard', 'reader@example.com')).key
})

const open = async (path: string) => (await service.fetch(path, { headers: { accept: BROWSER } })).text
const put = (body: object) => service.admin('PUT', '/site', body)
const mcpServer = async () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const headers = { accept: 'application/json, text/event-stream' }
  const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
  return (await service.fetch('/mcp', { method: 'POST', key, headers, body })).body.result.serverInfo
}

const SITE = {
  name: 'Acme & Friends',
  tagline: 'Tools for acrobats',
  headline: 'Jump higher. Land softer.',
  description: 'What acrobats build with.',
  accentColor: '#7a1fa2',
  contactEmail: 'hello@acme.example',
  links: [{ label: 'Blog', href: 'https://acme.example/blog' }],
  texts: {
    about: '# We\n\nRun by **Acme**. <script>alert(1)</script> [bad](javascript:alert(1))',
    submit: 'Write to us.',
  },
}

describe('the site', () => {
  test('has defaults, and version 0, until an operator changes it', async () => {
    const { data } = (await service.admin('GET', '/site')).body
    expect(data).toMatchObject({ name: 'Catalog Service', logo: null, links: [], version: 0 })
    expect((await service.fetch('/about', { headers: { accept: BROWSER } })).status).toBe(404)
    expect((await mcpServer()).title).toBe('Catalog Service')
  })

  test('shows its own name everywhere after a change', async () => {
    expect((await put(SITE)).body.data).toMatchObject({ ...SITE, texts: { privacy: '' }, version: 1 })
    for (const path of ['/', '/tools', '/policy', '/sign-in', '/nowhere']) {
      const text = await open(path)
      await expectSound(text)
      expect(text).toMatch(/<title>[^<]*Acme &amp; Friends/)
      expect(text).toContain('/assets/accent/7a1fa2.')
      expect(text).toContain('href="https://acme.example/blog"')
    }
    const home = await open('/')
    expect(home).toContain('Jump higher. <em>Land softer.</em>')
    expect(await open('/llms.txt')).toContain('# Acme & Friends')
    expect((await service.rest('/', { key })).body.data).toMatchObject({
      name: SITE.name,
      description: SITE.description,
    })
    expect((await service.fetch('/api/v1/openapi.json')).body.info.title).toBe(SITE.name)
    const { description, name: title } = SITE
    expect(await mcpServer()).toMatchObject({ name: 'catalog-service', title, description, websiteUrl: service.origin })
    expect((await service.fetch('/mcp/server-card')).body.title).toBe(SITE.name)
    expect((await service.fetch('/.well-known/oauth-protected-resource')).body.resource_name).toBe(SITE.name)
  })

  test('shows its pages in Markdown without anything that a browser could run', async () => {
    const about = await open('/about')
    await expectSound(about)
    expect(about).toContain('<strong>Acme</strong>')
    expect(about).toContain('<h2>We</h2>')
    expect(about).not.toMatch(/<script>alert|javascript:/)
    expect(await open('/contact')).toContain('mailto:hello@acme.example')
    expect(await open('/submit')).toContain('Write to us.')
    expect((await service.fetch('/sitemap.xml')).text).toContain('/about</loc>')
  })

  test('writes a change to the audit log with the names of the fields', async () => {
    const [entry] = (await service.admin('GET', '/audit?action=site')).body.data
    expect(entry).toMatchObject({ action: 'site.change', subject: 'site' })
    expect(entry.details.changed).toContain('name')
  })

  test('keeps its own colour readable in light and dark', async () => {
    const [path] = /\/assets\/accent\/7a1fa2\.[\w-]+\.css/.exec(await open('/'))!
    const css = (await service.fetch(path)).text
    const [, light, dark] = /:root\{--brand:light-dark\((#\w{6}),(#\w{6})\)/.exec(css)!
    expect(light).toBe('#7a1fa2')
    expect(contrastOf(dark!, '#0c1310')).toBeGreaterThanOrEqual(4.5)
    expect((await service.fetch('/assets/accent/nothing.css')).status).toBe(404)
  })
})

describe('an accent colour', () => {
  const brandOf = async (hex: string) => {
    const [path] = new RegExp(`/assets/accent/${hex.slice(1)}\\.[\\w-]+\\.css`).exec(await open('/'))!
    const [, light, dark] = /:root\{--brand:light-dark\((#\w{6}),(#\w{6})\)/.exec((await service.fetch(path)).text)!
    return [light!, dark!] as const
  }

  test.each(['#ffee00', '#ffffff', '#000000', '#f5f6f1', '#808080', '#00ff00'])(
    '%s is taken, and pages use the nearest shades of it that can be read',
    async (accentColor) => {
      const { status, body } = await put({ ...SITE, accentColor })
      expect([status, body.data?.accentColor]).toEqual([200, accentColor])
      const [light, dark] = await brandOf(accentColor)
      expect(contrastOf(light, '#f5f6f1')).toBeGreaterThanOrEqual(4.5)
      expect(contrastOf(dark, '#1f302a')).toBeGreaterThanOrEqual(4.5)
      // White text is on buttons of the light shade, dark text on those of the other.
      expect(contrastOf(light, '#ffffff')).toBeGreaterThanOrEqual(4.5)
      expect(contrastOf(dark, '#0c1310')).toBeGreaterThanOrEqual(4.5)
    },
  )
})

describe('the identity', () => {
  const TEXT_ON = [
    ['on-spruce', 'spruce'],
    ['on-spruce', 'spruce-2'],
    ['on-spruce-2', 'spruce'],
    ['on-spruce-2', 'spruce-2'],
    ['marker', 'spruce'],
    ['on-code', 'code'],
    ['on-marker', 'marker'],
    ['on-marker', 'marker-hover'],
    ['on-marker-soft', 'marker-soft'],
  ] as const
  const hues = Array.from({ length: 36 }, (_, i) => (i * 0x1c71c7) % 0x1000000)
  const accents = [...Object.values(PALETTES), '#ffffff', '#000000', '#ffee00', '#00ff00', '#ff00ff', '#808080']
  const all = [...accents, ...hues.map((hue) => `#${hue.toString(16).padStart(6, '0')}`)]

  test('has no name in the stylesheet that nothing uses', () => {
    const names = new Set([...STYLE_TEXT.matchAll(/[{;](--[\w-]+):/g)].map(([, name]) => name!))
    expect(names.size).toBeGreaterThan(80)
    expect([...names].filter((name) => !new RegExp(`var\\(${name}[,)]`).test(STYLE_TEXT + AREA_STYLE_TEXT))).toEqual([])
  })

  test('of the default accent is the one of the stylesheet', () => {
    for (const { name, value } of identityTokens(DEFAULT_ACCENT)) expect(STYLE_TEXT).toContain(`--${name}:${value}`)
  })

  test.each(all)('of %s has the hue of the accent, and every text in it can be read', (accent) => {
    const tokens = new Map(identityTokens(accent).map(({ name, value }) => [name, value.match(/#[0-9a-f]{6}/g)!]))
    for (const [text, ground] of TEXT_ON)
      for (const scheme of [0, 1]) {
        const [above, below] = [text, ground].map((name) => tokens.get(name)!.at(scheme) ?? tokens.get(name)![0]!)
        expect(contrastOf(above!, below!), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5)
      }
  })

  test('is in the stylesheet, the icon and the share images of the site', async () => {
    const { text: before } = await service.fetch('/icon.svg')
    await put({ ...SITE, accentColor: PALETTES.Ocean })
    const [path] = /\/assets\/accent\/\w{6}\.[\w-]+\.css/.exec(await open('/'))!
    const css = (await service.fetch(path)).text
    for (const { name, value } of identityTokens(PALETTES.Ocean)) expect(css).toContain(`--${name}:${value};`)
    const { text: after } = await service.fetch('/icon.svg')
    expect(after).toContain(PALETTES.Ocean)
    expect(after).not.toContain('#d6f25c')
    expect(before).not.toBe(after)
  })
})

describe('head, home page and social card', () => {
  const cardIn = (page: string): string => /<meta property="og:image" content="([^"]+)">/.exec(page)![1]!

  test('have the links, sections and words that the operator gave', async () => {
    const navigation = [
      { label: 'All tools', href: '/tools' },
      { label: 'Shop', href: 'https://shop.acme.example/' },
    ]
    const { body } = await put({
      ...SITE,
      navigation,
      home: ['developers', 'categories'],
      socialCard: { title: 'Jump' },
    })
    expect(body.data).toMatchObject({ navigation, socialCard: { title: 'Jump', text: '', picture: null } })
    const page = await open('/')
    await expectSound(page)
    expect(page).toContain('<a href="https://shop.acme.example/">Shop</a>')
    expect(page).not.toContain('>Launch plan</a>')
    expect(page.indexOf('class="spruce devs"')).toBeLessThan(page.indexOf('Browse by job'))
    expect(page).not.toContain('Where should I launch?')
  })

  test('the social card is drawn anew when its words change, and may be a stored picture', async () => {
    const first = cardIn(await open('/tools'))
    const drawn = await service.fetch(first.slice(service.origin.length))
    expect([drawn.status, drawn.headers.get('content-type')]).toEqual([200, 'image/png'])
    await put({ ...SITE, socialCard: { title: 'Jump higher' } })
    expect(cardIn(await open('/tools'))).not.toBe(first)
    const picture = `${service.origin}/media/${'c'.repeat(40)}.webp`
    await put({ ...SITE, socialCard: { picture } })
    expect(cardIn(await open('/'))).toBe(picture)
  })

  test('an administrator chooses a palette with one button, without JavaScript, and sees what is wrong in a preview', async () => {
    const browser = await signedUpAdmin(service)
    const typed = { name: 'Acme', tagline: 'T', headline: 'H', description: 'D', currency: 'USD', navigation: 'A | /a' }
    const send = (more: object) =>
      browser.submit('/admin/site', '/admin/site', { ...typed, accentColor: '#123456', 'home-tags': '1', ...more })
    const palette = await send({ palette: PALETTES.Plum })
    await expectSound(palette.text)
    expect(palette.text).toContain(`value="${PALETTES.Plum}" `)
    expect(palette.text).toContain(`/assets/accent/${PALETTES.Plum.slice(1)}.`)
    for (const [id, value] of [
      ['accentColor', 'plum'],
      ['navigation', 'A | javascript:alert(1)'],
    ] as const) {
      const wrong = await send({ [id]: value, preview: 'true' })
      expect([wrong.status, wrong.text.includes(`id="field-${id}-error"`)]).toEqual([400, true])
      expect(wrong.text.includes('This is no colour yet')).toBe(id === 'accentColor')
    }
    expect((await send({ 'home-plan': '1', 'home-tags': '2' })).status).toBe(303)
    const { data } = (await service.admin('GET', '/site')).body
    expect(data).toMatchObject({ home: ['plan', 'tags'], navigation: [{ label: 'A', href: '/a' }] })
    await put({})
  })
})

describe('400', () => {
  test.each([
    ['name', { name: '  ' }],
    ['accentColor', { accentColor: 'red' }],
    ['logo', { logo: 'https://elsewhere.example/logo.png' }],
    ['links.0.href', { links: [{ label: 'X', href: 'javascript:alert(1)' }] }],
    ['contactEmail', { contactEmail: 'nobody' }],
    ['navigation.0.href', { navigation: [{ label: 'X', href: '//elsewhere.example' }] }],
    ['navigation.0.href', { navigation: [{ label: 'X', href: 'javascript:alert(1)' }] }],
    ['home.0', { home: ['nothing'] }],
    ['home.1', { home: ['tags', 'tags'] }],
    ['socialCard.picture', { socialCard: { picture: 'https://elsewhere.example/x.png' } }],
    ['texts.about', { texts: { about: 'x'.repeat(20_001) } }],
  ])('a wrong value of %s', async (field, body) => {
    const reply = await put(body)
    expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(field)])
  })
})

test('an administrator previews a change in the console and saves it', async () => {
  const browser = await signedUpAdmin(service)
  const fields = { ...SITE, links: 'Blog | https://acme.example/blog', about: 'About us', name: 'Previewed' }
  const typed = Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string')) as Record<
    string,
    string
  >
  const preview = await browser.submit('/admin/site', '/admin/site', { ...typed, preview: 'true' })
  await expectSound(preview.text)
  expect(preview.text).toContain('This is a preview')
  for (const part of ['light', 'dark', 'mail', 'picture with a link'])
    expect(preview.text).toContain(`aria-label="Preview, ${part}"`)
  expect(preview.text).toContain('Set a new password for Previewed')
  const [, share] = /<img class="picture" src="([^"]+)"/.exec(preview.text)!
  expect(share).toBe('/admin/site/share.png?name=Previewed&amp;tagline=Tools+for+acrobats&amp;colour=%237a1fa2')
  const drawn = await browser.open(share!.replaceAll('&amp;', '&'))
  expect([drawn.status, drawn.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect((await service.fetch('/admin/site/share.png')).status).toBe(303)
  expect((await service.admin('GET', '/site')).body.data.name).not.toBe('Previewed')
  expect((await browser.submit('/admin/site', '/admin/site', typed)).status).toBe(303)
  expect((await service.admin('GET', '/site')).body.data).toMatchObject({ name: 'Previewed', links: SITE.links })
  const refused = await browser.submit('/admin/site', '/admin/site', { ...typed, accentColor: 'yellow' })
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('Accent colour')
  await expectSound(refused.text)
})

test('the form keeps all that was typed, with logos of 12 MiB, and names a wrong seller and a wrong file where they are', async () => {
  const browser = await signedUpAdmin(service)
  const fields = {
    ...filledForm((await browser.open('/admin/site')).text, '/admin/site'),
    ...{ tagline: 'Typed just now', 'sellers.0.name': 'Launch', 'sellers.0.href': 'launch.example.com' },
  }
  const send = async (files: Record<string, Buffer>) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    for (const [name, bytes] of Object.entries(files)) form.append(`${name}.file`, new Blob([bytes]), 'logo.png')
    const response = await fetch(`${service.origin}/admin/site`, {
      ...{ method: 'POST', body: form, redirect: 'manual' },
      headers: { cookie: browser.cookieHeader(), origin: service.origin, 'sec-fetch-site': 'same-origin' },
    })
    const text = await response.text()
    await expectSound(text)
    expect([response.status, text.includes('value="Typed just now"')]).toEqual([400, true])
    return text
  }
  // Noise, which PNG cannot make smaller.
  const raw = { width: 1450, height: 1450, channels: 3 } as const
  const large = await sharp(randomBytes(1450 * 1450 * 3), { raw })
    .png()
    .toBuffer()
  expect(large.length).toBeGreaterThan(6 * 1024 * 1024)
  const wrongSeller = await send({ logo: large, 'sellers.0.logo': large })
  expect(wrongSeller).toContain('id="field-sellers-0-href-error"')
  expect(wrongSeller).toContain('Address of seller 1 must be a complete')
  for (const name of ['logo', 'sellers.0.logo'])
    expect(wrongSeller).toMatch(new RegExp(`type="hidden" name="${name}" value="[^"]*/media/`))
  const wrongFile = await send({ logo: large, 'sellers.0.logo': Buffer.from('no picture') })
  expect(wrongFile).toMatch(/id="field-sellers-0-logo-error"[^>]*>logo\.png/)
  expect(wrongFile).toMatch(/type="hidden" name="logo" value="[^"]*\/media\//)
})

describe('a stored site that this service cannot show as it is', () => {
  const LOGO = `media/${'a'.repeat(40)}.webp`
  const warnings = () => service.logged.filter(({ message }) => String(message).includes('the stored site'))
  /** Changes the row as a restore, a move or a hand does. */
  const rewrite = async (fields: object) => {
    await service.sql(`update site set fields = fields || '${JSON.stringify(fields)}'::jsonb`)
    await service.context().site.apply({ topic: 'site' })
  }

  test('keeps the logo, and everything else, when the service moves to another address', async () => {
    await put({ ...SITE, logo: `${service.origin}/${LOGO}` })
    const { data } = (await service.admin('GET', '/site')).body
    await rewrite({ logo: `https://earlier.example:8443/${LOGO}` })
    expect((await service.admin('GET', '/site')).body.data).toEqual(data)
    const home = await open('/')
    expect(home).toMatch(/<title>[^<]*Acme &amp; Friends/)
    expect(home).toContain(`<img src="/${LOGO}"`)
    expect(home).toContain('/assets/accent/7a1fa2.')
    expect(warnings()).toEqual([])
    // What GET /site says can be sent back, and so can a form that was open meanwhile.
    for (const logo of [data.logo, `https://earlier.example:8443/${LOGO}`])
      expect((await put({ ...SITE, logo })).body.data.logo).toBe(data.logo)
  })

  test('shows the default of the values that break a rule, keeps the others, and logs it once', async () => {
    await put({ ...SITE, logo: `${service.origin}/${LOGO}` })
    const broken = { accentColor: 'red', links: 'none', logo: 'https://elsewhere.example/x.png', texts: { about: 7 } }
    await rewrite(broken)
    const { data } = (await service.admin('GET', '/site')).body
    expect(data).toMatchObject({ name: SITE.name, accentColor: '#0a6a51', links: [], logo: null, texts: { about: '' } })
    const home = await open('/')
    expect(home).toMatch(/<title>[^<]*Acme &amp; Friends/)
    expect(home).toContain('Jump higher. <em>Land softer.</em>')
    await rewrite(broken)
    expect(warnings()).toHaveLength(1)
    expect(warnings()[0]).toMatchObject({ level: 'warn', problem: expect.stringMatching(/accentColor.*logo/s) })
    // Saving what is shown mends the row.
    expect((await put((({ version: _, ...fields }) => fields)(data))).body.data.version).toBe(data.version + 1)
    await put(SITE)
  })
})

test('Markdown that is nested however deeply does not stop the page', async () => {
  for (const mark of ['> ', '- ', '1. ', '* > ', '[', '![', '**', '_a', '> - ', '   - ', '<b>', '`', '| a ', '#']) {
    const deep = mark.repeat(Math.floor(19_000 / mark.length))
    for (const about of [`${deep} text`, `Before.\n\n${deep}\n\nAfter.`]) {
      expect([mark, (await put({ texts: { about } })).status]).toEqual([mark, 200])
      const { status } = await service.fetch('/about', { headers: { accept: BROWSER } })
      expect([mark, status]).toEqual([mark, 200])
    }
  }
})

test('only the accent colour of the site is compressed, whoever asks for whichever colour', async () => {
  await put({ accentColor: '#7a1fa2' })
  const own = /\/assets\/accent\/7a1fa2\.[\w-]+\.css/.exec(await open('/'))![0]
  const ask = (path: string) => service.fetch(path, { headers: { 'accept-encoding': 'gzip' } })
  expect((await ask(own)).headers.get('content-encoding')).toBe('gzip')
  for (let i = 0; i < 50; i++) {
    const other = own.replace('7a1fa2', (0x100000 + i * 7919).toString(16))
    const { status, headers } = await ask(other)
    expect([status, headers.get('content-encoding')]).toEqual([200, null])
  }
  expect((await ask(own)).headers.get('content-encoding')).toBe('gzip')
})

describe('/.well-known/security.txt', () => {
  const read = () => service.fetch('/.well-known/security.txt')

  test('names the contact of the site and when to read it again, and is a 404 without a contact', async () => {
    await put({ contactEmail: 'security@acme.example' })
    const { status, headers, text } = await read()
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(text).toMatch(
      new RegExp(
        `^Contact: mailto:security@acme\\.example\nContact: ${service.origin}/contact\nExpires: \\d{4}-\\d\\d-\\d\\dT00:00:00\\.000Z\nPreferred-Languages: en\nCanonical: ${service.origin}/\\.well-known/security\\.txt\n$`,
      ),
    )
    const expires = Date.parse(/Expires: (\S+)/.exec(text)![1]!)
    expect(expires - Date.now()).toBeGreaterThan(170 * 86_400_000)
    expect(expires - Date.now()).toBeLessThan(365 * 86_400_000)
    await put({ contactEmail: '', texts: {} })
    expect((await read()).status).toBe(404)
  })
})
