// The facts of directories are looked at with their websites: what their pages say otherwise than the catalog becomes a proposal with the
// quote that it relies on, and never a change.
import { load } from 'cheerio'
import { beforeAll, describe, expect, test } from 'vitest'
import { readDirectoryPage, robotsLine } from '../../src/features/health/looks/facts.rules.ts'
import { claimDueWebsite, healthChecker, lookAtClaimed } from '../../src/features/health/looks/look-at-claimed.ts'
import { planFirstLooks } from '../../src/features/health/worker.ts'
import type { Context } from '../../src/kernel/context.ts'
import { extend } from '../../src/kernel/values/objects.ts'
import { signedUpAdmin } from '../harness/browser.ts'
import { expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

const pageOf = (body: string) => readDirectoryPage(load(body), 'https://list.example/submit')

describe('a sentence of a page', () => {
  test.each([
    ['Submit your tool for free.', 'Free', 0],
    ['Submission fee: $49', 'Paid', 49],
    ['Get listed for US$ 1,299.50.', 'Paid', 1299.5],
    ['Free listing takes three weeks; skip the line for $29.', 'Freemium', 0],
    ['Listing is no longer free.', 'Paid', undefined],
    ['Featured listing $99', undefined, undefined],
    ['Sponsor our newsletter from $200', undefined, undefined],
    ['Your product’s pricing: Free', undefined, undefined],
    ['Is your tool free?', undefined, undefined],
  ])('“%s” says %s and %s', (text, cost, price) => {
    const { cost: stated, minimumPrice } = pageOf(`<p>${text}</p>`)
    expect([stated?.value, minimumPrice?.value]).toEqual([cost, price])
    if (stated) expect(text).toContain(stated.quote)
  })

  test.each([
    ['A badge on your website is required.', true],
    ['You must add our badge to your homepage.', true],
    ['Add our badge to get listed for free.', true],
    ['No backlink required.', false],
    ['The badge is optional.', false],
    ['We do not require a backlink.', false],
    ['Wear your badge at our meet-up.', undefined],
  ])('“%s” says about the badge: %s', (text, value) => {
    expect(pageOf(`<p>${text}</p>`).requiresBadge?.value).toBe(value)
  })

  test.each([
    ['You may not use bots, scripts or other automated means to submit listings.', 'forbidden'],
    ['Automated submissions are not accepted and will be removed.', 'forbidden'],
    ['You agree not to access the site with robots or spiders.', 'forbidden'],
    ['No bots: submissions by scripts are deleted.', 'forbidden'],
    ['You can submit products via our public API.', 'allowed'],
    ['AI agents may submit on behalf of founders.', 'allowed'],
    ['Your subscription renews automatically unless you cancel your account, no refunds.', undefined],
    ['We do not share account data with automated advertising.', undefined],
    ['Our bot posts every listing to X.', undefined],
    ['Do not scrape our content.', undefined],
  ])('“%s” says about programs: %s', (text, value) => {
    expect(pageOf(`<p>${text}</p>`).automation?.value).toBe(value)
  })

  test('that the page contradicts says nothing', () => {
    expect(pageOf('<p>No badge required.</p><p>A badge is mandatory for free plans.</p>').requiresBadge).toBeNull()
    expect(pageOf('<p>Listing is no longer free.</p><p>Submit for free</p>').cost).toBeNull()
  })
})

test.each([
  ['User-agent: *\nDisallow: /submit', '/submit', 'Disallow: /submit'],
  ['User-agent: *\nDisallow: /submit\nAllow: /submit/free', '/submit/free', null],
  ['User-agent: GPTBot\nDisallow: /', '/submit', null],
  ['User-agent: GPTBot\nUser-agent: *\nDisallow: /', '/submit', 'Disallow: /'],
  ['User-agent: *\nDisallow:', '/submit', null],
])('of the robots.txt %j the line about %s is %s', (rules, path, line) => expect(robotsLine(rules, path)).toBe(line))

describe('a look at a directory', () => {
  const service = useService()
  const pages: Record<string, string | number> = {}
  const asked: string[] = []
  const HOME =
    '<a href="/submit">Submit your tool</a><a href="/terms">Terms of Service</a><p>New products every day</p>'

  let clock = Date.now()
  const simulated = () =>
    extend(service.context(), {
      caller: healthChecker,
      now: () => new Date(clock),
      outbound: {
        fetch: async (url: string) => {
          asked.push(url)
          const page = pages[url] ?? 404
          const headers = { 'content-type': 'text/html' }
          const [status, body] = typeof page === 'number' ? [page, 'Not here'] : [200, page]
          return { url, status, body: Buffer.from(body), truncated: false, headers }
        },
      },
    }) as Context

  /** A week passes, and everything is looked at. */
  async function look() {
    clock += 8 * 24 * 3600_000
    await planFirstLooks(simulated(), () => false)
    await service.sql(`update listing_health set next_at = '${new Date(clock).toISOString()}'`)
    for (;;) {
      await service.sql('delete from link_hosts')
      service.context().links.lastAsked.clear()
      const claimed = await claimDueWebsite(simulated())
      if (!claimed) return
      const politeness = { takeTurn: async () => () => {}, askRobots: async () => 'yes' as const }
      await lookAtClaimed(simulated(), claimed, { politeness })
    }
  }
  const proposals = async (state = 'waiting') =>
    (await service.admin('GET', `/proposals?directory=the-list&state=${state}`)).body.data
  const stored = async () => (await service.admin('GET', '/directories/the-list')).body.data

  beforeAll(async () => {
    await service.load([
      {
        ...{ kind: 'directory', slug: 'the-list', name: 'The List', website: 'https://list.example' },
        ...{ submissionLink: 'https://list.example/submit', cost: 'Free', requiresBadge: false },
      },
      { kind: 'directory', slug: 'no-form', name: 'No form', website: 'https://no-form.example' },
    ])
    pages['https://list.example'] = HOME
    pages['https://list.example/submit'] = '<p>Submit your tool for free.</p><form></form>'
    pages['https://list.example/terms'] = '<p>Be kind.</p>'
    pages['https://no-form.example'] = '<h1>No form</h1>'
  })

  test('that finds what the catalog says proposes nothing, and asks for the form and the terms once', async () => {
    await look()
    expect(await proposals()).toEqual([])
    expect(asked.filter((url) => url.startsWith('https://list.example'))).toEqual([
      'https://list.example',
      'https://list.example/submit',
      'https://list.example/terms',
    ])
    expect(asked.filter((url) => url.includes('no-form'))).toEqual(['https://no-form.example'])
  })

  test('that finds something else proposes it with the quote, and changes nothing', async () => {
    const before = await stored()
    pages['https://list.example/submit'] = '<p>Submission fee: $19</p><p>You must add our badge to your homepage.</p>'
    pages['https://list.example/terms'] = '<p>You may not use bots or scripts to submit products.</p>'
    await look()
    const waiting = await proposals()
    expect(waiting.map(({ field, new: value, old, quote }: any) => [field, old, value, quote]).sort()).toEqual([
      [
        'automation',
        'unknown',
        'forbidden',
        'You may not use bots or scripts to submit products. (https://list.example/terms)',
      ],
      ['cost', 'Free', 'Paid', 'Submission fee: $19 (https://list.example/submit)'],
      ['minimumPrice', 0, 19, 'Submission fee: $19 (https://list.example/submit)'],
      ['requiresBadge', false, true, 'You must add our badge to your homepage. (https://list.example/submit)'],
    ])
    expect(waiting[0]).toMatchObject({ tool: null, directory: { slug: 'the-list' }, author: { kind: 'look' } })
    expect(await stored()).toEqual(before)
    await look()
    expect((await proposals()).map(({ id }: any) => id)).toEqual(waiting.map(({ id }: any) => id))
  })

  test('is shown in the console with its quote', async () => {
    const page = await (await signedUpAdmin(service)).open('/admin/proposals')
    expectSound(page.text)
    expect(page.text).toContain('You may not use bots or scripts to submit products.')
    expect(page.text).toContain('/admin/directories/the-list')
  })

  test('leads to a change only when an administrator accepts; automation comes with its quote and day', async () => {
    for (const { id, field } of await proposals())
      if (field !== 'requiresBadge')
        expect((await service.admin('POST', `/proposals/${id}`, { decision: 'accept' })).status).toBe(200)
    expect(await stored()).toMatchObject({
      ...{ cost: 'Paid', minimumPrice: 19, automation: 'forbidden', requiresBadge: false },
      automationQuote: 'You may not use bots or scripts to submit products. (https://list.example/terms)',
      automationReadOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    })
  })

  test('does not propose again what was refused, and takes back what no longer holds', async () => {
    const [badge] = await proposals()
    await service.admin('POST', `/proposals/${badge.id}`, { decision: 'refuse' })
    pages['https://list.example/submit'] = '<p>Submission fee: $29</p><p>You must add our badge to your homepage.</p>'
    await look()
    expect((await proposals()).map(({ field, new: value }: any) => [field, value])).toEqual([['minimumPrice', 29]])
    pages['https://list.example/submit'] = '<p>Submission fee: $19</p>'
    await look()
    expect(await proposals()).toEqual([])
  })

  test('finds that the form is gone, and where the first page leads now', async () => {
    delete pages['https://list.example/submit']
    pages['https://list.example'] = '<a href="/add">Add your product</a>'
    await look()
    expect(await proposals()).toMatchObject([
      { field: 'submissionLink', new: 'https://list.example/add', quote: '404 at https://list.example/submit' },
    ])
    pages['https://list.example/submit'] = 403
    await look()
    expect(await proposals()).toHaveLength(1)
  })
})
