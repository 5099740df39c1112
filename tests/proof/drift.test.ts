// Listings that stay true: their pages are compared with what the product is now, and operators get the text that asks for the change.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { compare, precisionOf, recallOf, scoreOf } from '../../bench/drift.ts'
import { driftPages } from '../../bench/drift-pages.ts'
import { pricingIn } from '../../src/features/proof/links/drift.rules.ts'
import { signedUpAdmin } from '../harness/browser.ts'
import { expectSound } from '../harness/html.ts'
import { until } from '../harness/process.ts'
import { productSite } from '../harness/product-site.ts'
import { loadDirectories, newWork, record, startCheckingService } from '../harness/proof.ts'
import type { TestService } from '../harness/service.ts'
import { use } from '../harness/use.ts'

describe('pages with planted changes', () => {
  const compared = compare(driftPages(76, 5))

  test('at least 95 % of what is found is wrong on the page, and at least 85 % of what is wrong is found', () => {
    const score = scoreOf(compared)
    expect(score.right).toBeGreaterThan(20)
    expect(precisionOf(score)).toBeGreaterThanOrEqual(0.95)
    expect(recallOf(score)).toBeGreaterThanOrEqual(0.85)
  })

  test('a page that says what is true has no drift', () => {
    expect(compared.filter(({ page, found }) => page.planted.length === 0 && found.length > 0)).toEqual([])
  })
})

test.each([
  ['Free', ['FREE', 'FREEMIUM']],
  ['0.00 EUR', ['FREE', 'FREEMIUM']],
  ['Freemium', ['FREEMIUM']],
  ['$0 – $29 / month', ['FREEMIUM']],
  ['Free, then €9', ['FREEMIUM']],
  ['14-day free trial, then $12', ['FREEMIUM', 'PAID']],
  ['From US$ 1,299.00', ['PAID', 'FREEMIUM']],
  ['29 € pro Monat', ['PAID', 'FREEMIUM']],
  ['Paid', ['PAID']],
  ['Free shipping', null],
  ['Ask the maker', null],
])('a price of “%s” agrees with %j', (text, ways) => expect(pricingIn(text)).toEqual(ways))

/** Looks at the listing now; a look of the background worker that is under way is waited for. */
const lookAt = (service: TestService, id: string) =>
  until(async () => (await service.admin('POST', `/submissions/${id}/check`)).body.data.length === 1, 60_000)

describe('a listing that we entered', () => {
  const WEBSITE = 'https://acme-drift.example.com/'
  const listing = (name: string, tagline: string, more = '') =>
    `<!doctype html><title>${name} | Launch List</title><h1>${name}</h1><p class="tagline">${tagline}</p><p>Pricing: Free</p><a href="${WEBSITE}">Visit</a>${more}`
  const site = use(() => productSite({ '/listing': listing('Acme Writer', 'Drafts your mail') }))
  const service = use(startCheckingService)
  let work: Awaited<ReturnType<typeof newWork>>

  const look = () => lookAt(service, work.id)
  const drifted = async () => (await service.admin('GET', '/links?drift=true')).body.data
  const change = (fields: object) => service.admin('PATCH', `/tools/${work.slug}`, fields)

  beforeAll(async () => {
    await loadDirectories(service, 2)
    const partner = await service.newPartner()
    const texts = { name: 'Acme Writer', tagline: 'Drafts your mail', pricing: 'FREE', website: WEBSITE }
    work = await newWork(service, partner, texts)
    await record(service, work.id, 'd-0', `${site.url}/listing`)
    await look()
  })

  test('that says what is true is not listed', async () => {
    const [link] = (await service.admin('GET', `/links?submission=${work.id}`)).body.data
    expect(link).toMatchObject({ link: { state: 'live' }, drift: [], message: null })
    expect(await drifted()).toEqual([])
  })

  test('is listed with the text to send once the product has changed and the listing was looked at', async () => {
    await change({ name: 'Acme Compose', tagline: 'Answers customers while you sleep', pricing: 'PAID' })
    await look()
    const [link, ...others] = await drifted()
    expect(others).toEqual([])
    expect(link.drift).toEqual([
      { field: 'name', found: 'Acme Writer', current: 'Acme Compose' },
      { field: 'tagline', found: 'Drafts your mail', current: 'Answers customers while you sleep' },
      { field: 'pricing', found: 'Free', current: 'paid' },
    ])
    expect(link.message).toContain(`${site.url}/listing`)
    expect(link.message).toContain('- Name: “Acme Compose” instead of “Acme Writer”')
    const administrator = await signedUpAdmin(service)
    for (const path of ['/admin/links?show=drift', `/admin/submissions/${work.id}/checks`]) {
      const page = await administrator.open(path)
      expectSound(page.text)
      expect(page.text).toContain('Text to send')
      expect(page.text).toContain('instead of “Acme Writer”')
    }
  })

  test('asks only for what is still another after a later change of the product', async () => {
    await change({ name: 'Acme Writer' })
    expect((await drifted())[0].drift.map(({ field }: any) => field)).toEqual(['tagline', 'pricing'])
    await change({ name: 'Acme Compose' })
  })

  test('is not listed while the product says the same again', async () => {
    await change({ name: 'Acme Writer', tagline: 'Drafts your mail', pricing: 'FREE' })
    expect(await drifted()).toEqual([])
    const others = (await service.admin('GET', '/links?drift=false')).body.data
    expect(others).toMatchObject([{ submissionId: work.id, drift: [], message: null }])
    await change({ name: 'Acme Compose', tagline: 'Answers customers while you sleep', pricing: 'PAID' })
    expect(await drifted()).toHaveLength(1)
    expect((await service.admin('GET', '/links?drift=false')).body.data).toEqual([])
  })

  test('keeps its drift while its page cannot be read, and loses it when the page is corrected', async () => {
    site.routes['/listing'] = (_request, response) => response.writeHead(503).end()
    await look()
    expect(await drifted()).toHaveLength(1)
    const corrected = listing('Acme Compose', 'Answers customers while you sleep').replace('Free', '$9 a month')
    site.routes['/listing'] = corrected
    await look()
    expect(await drifted()).toEqual([])
  })

  test('loses its drift at a look that cannot read the page, if the product says the same again', async () => {
    const { tagline } = (await service.rest(`/tools/${work.slug}`)).body.data
    await change({ tagline: 'Sells your house at night' })
    await look()
    expect(await drifted()).toHaveLength(1)
    const page = site.routes['/listing']!
    site.routes['/listing'] = (_request, response) => response.writeHead(503).end()
    await change({ tagline })
    await look()
    expect(await drifted()).toEqual([])
    site.routes['/listing'] = page
  })

  test('may lead to an earlier address of the product, of which none is kept that no product could have', async () => {
    const page = String(site.routes['/listing'])
    const move = (website: string) =>
      service.sql(
        `update tools set website = '${website}', website_key = '${new URL(website).host}' where slug = '${work.slug}'`,
      )
    await move('https://acme-moved.example.com/')
    for (const [path, found] of [
      ['old', [`${WEBSITE}old`]],
      ['ü'.repeat(2_000), []],
    ] as const) {
      site.routes['/listing'] = page.replaceAll(WEBSITE, `${WEBSITE}${path}`)
      await look()
      expect((await drifted()).flatMap(({ drift }: any) => drift.map((one: any) => one.found))).toEqual(found)
    }
    await move(WEBSITE)
    site.routes['/listing'] = page
  })

  test('may state a price that no database can store, and the look at it is stored', async () => {
    const price = JSON.stringify({
      '@type': 'Product',
      name: 'Acme Compose',
      offers: { price: '\u00000', priceCurrency: 'USD' },
    })
    const half = `<meta itemprop="price" content="free ${'x'.repeat(74)}\u{1f600}">`
    const hostile = `<script type="application/ld+json">${price}</script>${half}`
    site.routes['/listing'] = listing('Acme Compose', 'Answers customers while you sleep', hostile)
    await look()
    const [link] = (await service.admin('GET', `/links?submission=${work.id}`)).body.data
    expect(link.link.state).toBe('live')
  })

  test('shows texts of a hostile page as texts', async () => {
    const hostile = '&lt;script&gt;alert(1)&lt;/script&gt; Writer'
    site.routes['/listing'] = listing(hostile, 'Answers customers while you sleep').replace('Free', '$9 a month')
    await look()
    const administrator = await signedUpAdmin(service)
    const page = await administrator.open('/admin/links?show=drift')
    expectSound(page.text)
    expect(page.text).not.toContain('<script>alert(1)')
  })
})

describe('the words of the directory', () => {
  const WEBSITE = 'https://own-words.example.com/'
  const OWN = 'An assistant for teams that get more requests than they can answer'
  const page = (text: string) =>
    `<!doctype html><title>Own Words</title><meta name="description" content="${text}"><h1>Own Words</h1><p>${text}</p><a href="${WEBSITE}">Visit</a>`
  const site = use(() => productSite({ '/listing': page(OWN) }))
  const service = use(startCheckingService)

  test('in place of the tagline are no drift, whatever the tagline is later; other words are', async () => {
    await loadDirectories(service, 1)
    const work = await newWork(service, await service.newPartner(), { name: 'Own Words', website: WEBSITE })
    const look = () => lookAt(service, work.id)
    const drifted = async () => (await service.admin('GET', '/links?drift=true')).body.data
    await record(service, work.id, 'd-0', `${site.url}/listing`)
    await look()
    await service.admin('PATCH', `/tools/${work.slug}`, { tagline: 'Answers customers while you sleep' })
    await look()
    expect(await drifted()).toEqual([])
    site.routes['/listing'] = page('A plug-in that nobody has ever asked for before')
    await look()
    expect((await drifted())[0].drift).toMatchObject([{ field: 'tagline' }])
  })

  test('are not what the product said of itself before, as far as its history knows', async () => {
    const [before, website] = ['Sorts the mail of the whole company', 'https://former-words.example.com/']
    site.routes['/former'] = page(before).replaceAll(WEBSITE, website)
    const product = { name: 'Own Words', tagline: before, website }
    const work = await newWork(service, await service.newPartner(), product)
    const other = await service.newPartner()
    await newWork(service, other, product)
    const query = `website=${encodeURIComponent(website)}`
    const body = { tagline: 'Answers customers while you sleep' }
    await service.rest(`/ai-tools?${query}`, { method: 'PATCH', key: other.key, body })
    const [proposal] = (await service.admin('GET', `/proposals?tool=${work.slug}`)).body.data
    await service.admin('POST', `/proposals/${proposal.id}`, { decision: 'accept' })
    await record(service, work.id, 'd-0', `${site.url}/former`)
    await lookAt(service, work.id)
    const [link] = (await service.admin('GET', `/links?submission=${work.id}`)).body.data
    expect(link.drift).toEqual([{ field: 'tagline', found: before, current: body.tagline }])
  })
})
