// Listings that name no logo or main picture get those of their websites, in the background, once, and only with the setting.
// @module-tag slow
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { userNamed } from '../harness/browser.ts'
import { filledForm } from '../harness/console-forms.ts'
import { newFounder, storeOwner } from '../harness/founders.ts'
import { type ProductSite, picture, productSite } from '../harness/product-site.ts'
import { startService, type TestService } from '../harness/service.ts'

const MEDIA = /^http:\/\/[^/]+\/media\/[0-9a-f]{40}\.(png|webp)$/
const SETTINGS = { OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', MIRROR_PICTURES: 'on', ENRICHMENT_RETRY_SECONDS: '1' }

let service: TestService
let site: ProductSite
beforeAll(async () => {
  site = await productSite({
    '/': `<title>Acme</title><link rel="icon" href="/small.png" sizes="16x16"><link rel="manifest" href="/app.webmanifest">
      <meta property="og:image" content="/shared.png">`,
    '/app.webmanifest': JSON.stringify({
      icons: [
        { src: '/hostile.svg', sizes: '900x900', type: 'image/svg+xml' },
        { src: '/large.png', sizes: '192x192' },
        { src: 7 },
        null,
      ],
    }),
    '/small.png': await picture(16, 16, '#ff0000'),
    '/large.png': await picture(192, 192, '#00aa00'),
    '/shared.png': await picture(600, 300),
    '/touch': '<link rel="apple-touch-icon" href="/large.png"><link rel="manifest" href="/never.webmanifest">',
    '/bare': '<title>Bare</title>',
  })
  service = await startService({ ...SETTINGS, SITE_PICTURES: 'on' })
})
afterAll(async () => {
  await service.close()
  await site.close()
})

const tool = (slug: string, path: string, more = {}) => ({
  kind: 'tool',
  slug,
  name: slug,
  website: `${site.url}${path}`,
  ...more,
})
const read = async (slug: string) => (await service.rest(`/tools/${slug}`)).body.data
const workOf = async (slug: string) =>
  (await service.admin('GET', '/pictures')).body.data.find((row: { slug: string }) => row.slug === slug)
const settled = (slug: string) =>
  vi.waitFor(async () => expect((await workOf(slug))?.state).toMatch(/^(done|failed)$/), {
    timeout: 30_000,
    interval: 100,
  })

test('the largest icon, also of the manifest, and the picture for links are copied', async () => {
  await service.load([tool('acme', '/')])
  await settled('acme')
  const { icon, frame } = await read('acme')
  expect([icon, frame]).toEqual([expect.stringMatching(MEDIA), expect.stringMatching(MEDIA)])
  expect(await workOf('acme')).toMatchObject({
    state: 'done',
    parts: [
      { part: 'icon', outcome: 'copied' },
      { part: 'frame', outcome: 'copied' },
    ],
  })
  expect(site.asked).not.toContain('/hostile.svg')
  expect(site.asked).not.toContain('/small.png')
})

test('the same import again keeps them and asks nothing', async () => {
  const before = await read('acme')
  const asked = site.asked.length
  await service.load([tool('acme', '/')])
  await service.load([tool('other', '/', { icon: `${site.url}/small.png`, frame: `${site.url}/shared.png` })])
  await settled('other')
  expect(await read('acme')).toEqual(before)
  expect(site.asked.slice(asked)).toEqual(['/small.png'])
})

test('a large touch icon is enough; a website without pictures is asked once, and is no failure', async () => {
  await service.load([tool('touch', '/touch'), tool('bare', '/bare')])
  await settled('touch')
  await settled('bare')
  expect((await read('touch')).icon).toMatch(MEDIA)
  expect(site.asked).not.toContain('/never.webmanifest')
  expect((await read('bare')).icon).toBe(null)
  expect(await workOf('bare')).toMatchObject({ state: 'done', parts: [{ outcome: 'missing' }, { outcome: 'missing' }] })
  const asked = site.asked.length
  await service.load([tool('bare', '/bare', { tagline: 'Changed' })])
  await service.load([tool('later', '/touch')])
  await settled('later')
  expect(site.asked.slice(asked)).not.toContain('/bare')
})

test('a picture that the row names is never replaced, and a website that is gone is not asked', async () => {
  const asked = site.asked.length
  await service.load([tool('named', '/?named', { icon: `${site.url}/no-such.png`, frame: `${site.url}/shared.png` })])
  await settled('named')
  expect((await read('named')).icon).toBe(`${site.url}/no-such.png`)
  expect(site.asked.slice(asked)).not.toContain('/?named')
})

describe('a picture that was taken away', () => {
  /** Every listing that was changed before is looked at by then. */
  const looked = async (slug: string) => {
    await service.load([tool(slug, '/bare')])
    await settled(slug)
  }
  const copied = (slug: string) =>
    vi.waitFor(async () => expect((await read(slug)).screenshots).toEqual([expect.stringMatching(MEDIA)]), {
      timeout: 30_000,
      interval: 100,
    })

  test('by an administrator does not come back, also when the listing gets other pictures', async () => {
    const put = async (fields: object) => {
      const { name, frame } = await read('acme')
      const reply = await service.admin('PUT', '/tools/acme', { name, frame, website: `${site.url}/`, ...fields })
      expect(reply.status).toBe(200)
    }
    const asked = site.asked.length
    await put({})
    await looked('after-put')
    expect((await read('acme')).icon).toBe(null)
    await put({ screenshots: [`${site.url}/small.png`] })
    await copied('acme')
    await service.admin('POST', '/pictures/retry')
    await looked('after-retry')
    expect((await read('acme')).icon).toBe(null)
    expect(site.asked.slice(asked)).not.toContain('/')
    // Another website was never asked.
    await put({ website: `${site.url}/touch` })
    await vi.waitFor(async () => expect((await read('acme')).icon).toMatch(MEDIA), { timeout: 30_000, interval: 100 })
  })

  test('by an owner does not come back either', async () => {
    site.routes['/owned'] =
      '<link rel="apple-touch-icon" href="/large.png"><meta property="og:image" content="/shared.png">'
    await service.load([
      { kind: 'category', slug: 'writing', name: 'Writing' },
      tool('owned', '/owned', { tagline: 'Notes', description: 'Takes notes.', category: 'writing' }),
    ])
    await vi.waitFor(async () => expect((await read('owned')).icon).toMatch(MEDIA), { timeout: 30_000, interval: 100 })
    const owner = await newFounder(service)
    await storeOwner(service, (await userNamed(service, owner.email)).id, 'owned')
    await service.sql(`update claims set website = '${site.url}/owned'`)
    const form = '/dashboard/products/owned/edit'
    const change = async (fields: Record<string, string>) => {
      const reply = await owner.post(form, {
        ...filledForm((await owner.open(form)).text, form),
        ...fields,
        do: 'save',
      })
      expect(reply.status).toBe(303)
    }
    const asked = site.asked.length
    await change({ icon: '' })
    await change({ screenshots: `${site.url}/shared.png` })
    await copied('owned')
    await looked('after-owner')
    expect((await read('owned')).icon).toBe(null)
    expect(site.asked.slice(asked)).not.toContain('/owned')
  })
})

test('SITE_PICTURES=off asks no website', async () => {
  const without = await startService(SETTINGS)
  const asked = site.asked.length
  await without.load([tool('acme', '/'), tool('named', '/', { icon: `${site.url}/large.png` })])
  await vi.waitFor(
    async () => expect((await without.admin('GET', '/pictures/progress')).body.data).toMatchObject({ done: 1 }),
    { timeout: 30_000, interval: 100 },
  )
  expect(site.asked.slice(asked)).not.toContain('/')
  expect((await without.rest('/tools/acme')).body.data.icon).toBe(null)
  await without.close()
})
