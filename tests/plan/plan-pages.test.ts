// The launch plan of the site, and the plan in the console.
// @module-tag once
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { givenUpOf } from '../../src/features/plan/founders/make-founders-plan.ts'
import { icon } from '../../src/surfaces/pages/kit/icon.ts'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { expectForAdministrators, expectRefused, HOSTILE_TEXT } from '../harness/console.ts'
import { fill } from '../harness/console-forms.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

const LINK = 'https://forms.example.org/secret-form'
const DIRECTORIES = [
  { slug: 'writers', name: 'Writing Board', domainRating: 40, type: 'DoFollow', submissionLink: LINK },
  { slug: 'strong', name: 'Strong, "quoted"', domainRating: 90, type: 'NoFollow', smallDescription: 'For all.' },
  { slug: 'formula', name: '=cmd()', domainRating: 60, type: 'DoFollow', requiresBadge: true, cost: 'Paid' },
  {
    slug: 'hostile',
    name: HOSTILE_TEXT,
    domainRating: 30,
    type: HOSTILE_TEXT.slice(0, 50),
    submissionExperience: HOSTILE_TEXT,
  },
  { slug: 'plugins', name: 'Some Store', domainRating: 99, accepts: ['plugin'] },
  { slug: 'german', name: 'German List', domainRating: 99, languages: ['de'] },
  { slug: 'adults', name: 'Adult List', domainRating: 99 },
  { slug: 'draft', name: 'Draft List', domainRating: 99, published: false },
]

let admin: Browser
let partner: { id: string; key: string }
const service = useService()
beforeAll(async () => {
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'category', slug: 'nsfw', name: 'Adult', adult: true },
    { kind: 'tag', slug: 'api', name: 'API' },
    ...DIRECTORIES.map((line) => ({ kind: 'directory', website: `https://${line.slug}.example.org`, ...line })),
  ])
  admin = await signedUpAdmin(service)
  partner = await service.newPartner()
})

const open = (path: string) => service.fetch(path, { headers: { accept: BROWSER } })
const shownIn = (text: string): string[] =>
  [...text.matchAll(/name="done\[\]" value="([^"]+)"/g)].map(([, slug]) => slug!)
const cells = (line: string): string[] =>
  [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) =>
    cell!.replace(/^"|"$/g, '').replaceAll('""', '"'),
  )

const WITHOUT = `<span class="without">${icon('close', 'small')}<span class="visually-hidden">Without </span>`

describe('/plan', () => {
  test('lists what fits, best first, with reasons, and nothing private or adult', async () => {
    const { status, text, headers } = await open('/plan')
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('public, max-age=60')
    expect(headers.get('etag')).toBeTruthy()
    await expectSound(text, ['<img src=x onerror', LINK, 'Adult', 'secret-form'])
    expect(shownIn(text)).toEqual(['strong', 'formula', 'hostile', 'writers'])
    expect(text).toContain('the strongest site of this plan')
    expect(text).toContain('<abbr title="Domain Rating">DR</abbr> 90')
    expect(text).toContain('Only 4 of the 30 that you asked for fit.')
  })

  test('the time of the whole plan is the sum of the times of its phases', async () => {
    const { text } = await open('/plan?hours=2')
    const minutes = ([, hours, rest]: RegExpMatchArray) => Number(hours ?? 0) * 60 + Number(rest ?? 0)
    const time = '(?:([\\d.]+) h)? ?(?:(\\d+) min)?'
    const phases = [...text.matchAll(RegExp(`<p class="note">[^<]*· ${time}</p></header>`, 'g'))].map(minutes)
    const [total] = [...text.matchAll(RegExp(`<dt>Your time, about</dt><dd>${time}</dd>`, 'g'))].map(minutes)
    expect(phases.length).toBeGreaterThan(1)
    expect(total).toBe(phases.reduce((sum, one) => sum + one, 0))
  })

  test('a category, a kind and the filters choose', async () => {
    expect(shownIn((await open('/plan?category=writing')).text)[0]).toBe('writers')
    expect((await open('/plan?category=writing')).text).toContain('lists writing tools')
    expect(shownIn((await open('/plan?kind=plugin')).text)[0]).toBe('plugins')
    expect(shownIn((await open('/plan?kind=unknown')).text)).toEqual(shownIn((await open('/plan')).text))
    const cases = { 'rating=60': ['strong', 'formula'], 'cost=free&rating=40': ['strong', 'writers'] }
    for (const [query, slugs] of Object.entries(cases))
      expect(shownIn((await open(`/plan?${query}`)).text)).toEqual(slugs)
    expect(shownIn((await open('/plan?type=dofollow')).text)).toEqual(['formula', 'writers'])
    expect(shownIn((await open('/plan?badge=required')).text)).toEqual(['formula'])
    expect(shownIn((await open('/plan?count=1')).text)).toEqual(['strong'])
    const { text } = await open('/plan?rating=90&badge=required&hours=8&done=strong')
    expect(text).toContain('No directory fits')
    expect(text).toContain('This many fit without:')
    const href = (query: string) => `href="/plan?hours=8&amp;${query}done=strong"`
    expect(text).toContain(
      `${href('badge=required&amp;')}>${WITHOUT}Domain Rating 90 or more</span><span class="count">1<`,
    )
    expect(text).toContain(`${href('rating=90&amp;')}>${WITHOUT}Badge required</span><span class="count">1<`)
    expect(text).toContain(`${href('')}>All of these wishes<span class="count">4<`)
    expect((await open('/plan?cost=x')).status).toBe(400)
    for (const query of ['category=nothing', 'category=nsfw', 'count=x', 'count=1e9', 'page=2'])
      expect([query, (await open(`/plan?${query}`)).status]).toEqual([query, 200])
  })

  test('counts what fits without a wish, and makes no plan for it', async () => {
    const ctx = service.context()
    const wanted = { kind: 'web', count: 30, hours: 4, rating: '90', badge: 'required' } as const
    const find = vi.spyOn(ctx.catalog.snapshot().directories.index, 'find')
    const sort = vi.spyOn(Array.prototype, 'toSorted')
    try {
      // Those that were asked for by name are in a plan with every wish.
      expect(await givenUpOf(ctx, { ...wanted, directories: ['gone'] })).toEqual([])
      expect(find).not.toHaveBeenCalled()
      expect((await givenUpOf(ctx, wanted)).map(({ count }) => count)).toEqual([1, 1, 4])
      expect(sort.mock.contexts.filter((list) => Array.isArray(list) && list[0]?.candidate)).toEqual([])
    } finally {
      vi.restoreAllMocks()
    }
  })

  test('ticks are in the address, alone or together, and a new choice keeps them', async () => {
    for (const query of ['done%5B%5D=strong&done%5B%5D=hostile', 'done=strong,hostile']) {
      const { text } = await open(`/plan?${query}`)
      expect([...text.matchAll(/value="([^"]+)" checked/g)].map(([, slug]) => slug)).toEqual(['strong', 'hostile'])
      expect(text).toContain('<span data-ticked>2</span>')
      expect(text).toContain('<input type="hidden" name="done" value="strong,hostile">')
    }
    const narrowed = (await open('/plan?type=DoFollow&done=strong')).text
    expect(narrowed).toContain('name="done" value="strong"')
    await expectSound((await open(`/plan?done=${encodeURIComponent(HOSTILE_TEXT)}`)).text, ['<img src=x onerror'])
  })

  test('asks about the product: what it is, for whom, its kind, money, time and the goal', async () => {
    const { text } = await open('/plan')
    for (const name of ['kind', 'category', 'audience', 'what', 'budget', 'hours', 'goal', 'badge'])
      expect(text).toContain(`id="slot-${name}" name="${name}"`)
    expect(shownIn((await open('/plan?what=It+writes+copywriting+texts')).text)[0]).toBe('writers')
    expect((await open('/plan?audience=creators')).text).toContain('lists writing tools')
    expect(shownIn((await open('/plan?goal=links')).text)).toEqual(['formula', 'strong', 'hostile', 'writers'])
    expect((await open('/plan?goal=fame')).status).toBe(400)
    expect((await open(`/plan?what=${'a'.repeat(201)}`)).status).toBe(400)
    await expectSound((await open(`/plan?what=${encodeURIComponent(HOSTILE_TEXT)}`)).text, ['<img src=x onerror'])
  })

  test('spends no more than the budget, and says what is left out and why', async () => {
    const free = (await open('/plan?budget=0')).text
    expect(shownIn(free)).not.toContain('formula')
    expect(free).toMatch(/=cmd\(\)<\/bdi><\/a> asks for money/)
    expect(free).toMatch(/Some Store<\/bdi><\/a> does not take web apps/)
    expect(free).toMatch(/German List<\/bdi><\/a> takes only products in other languages/)
    const withoutBadge = (await open('/plan?badge=none')).text
    expect(withoutBadge).toMatch(/=cmd\(\)<\/bdi><\/a> wants its badge on your site/)
    await service.load([
      {
        kind: 'directory',
        slug: 'dear',
        name: 'Dear List',
        website: 'https://dear.example.org',
        cost: 'Paid',
        minimumPrice: 40,
      },
      {
        kind: 'directory',
        slug: 'dearer',
        name: 'Dearer',
        website: 'https://dearer.example.org',
        cost: 'Paid',
        minimumPrice: 45,
      },
    ])
    const none = (await open('/plan?budget=50&cost=Paid&rating=70')).text
    const [, without, count] =
      /<a href="([^"]+)"><span class="without"><svg[^>]*>(?:(?!<\/svg>).)*<\/svg><span class="visually-hidden">Without <\/span>Domain Rating[^<]*<\/span><span class="count">(\d+)/.exec(
        none,
      ) ?? []
    expect([count, shownIn((await open(without!.replaceAll('&amp;', '&'))).text).length]).toEqual(['2', 2])
    const some = (await open('/plan?budget=50')).text
    expect(shownIn(some).filter((slug) => slug.startsWith('dear'))).toHaveLength(1)
    expect(some).toContain('would go over your budget')
    expect(some).toContain('Cost of your $50')
    for (const slug of ['dear', 'dearer']) await service.admin('DELETE', `/directories/${slug}`)
  })

  test('has three phases with dates and totals, and marks the next step', async () => {
    const { text } = await open('/plan?start=2026-11-23&done=strong')
    for (const words of [
      '1. Lay the ground',
      '2. Launch week',
      '3. Keep going',
      'Your time, about',
      'Links that count',
    ])
      expect(text).toContain(words)
    const days = [...text.matchAll(/<time datetime="(\d{4}-\d\d-\d\d)"/g)].map(([, day]) => day!)
    expect(days).toEqual(['2026-11-23', '2026-11-23', '2026-11-30', '2026-12-07'])
    expect([...text.matchAll(/class="step is-next">/g)]).toHaveLength(1)
    expect(text).toMatch(/Next step<\/h2><p>Enter <a href="\/directories\/formula">/)
    for (const start of ['nonsense', '2026-99-99', '1999-01-01'])
      expect([start, (await open(`/plan?start=${start}`)).status]).toEqual([start, 200])
  })

  test('gives every directory reasons of its own', async () => {
    const figures = { website: 'https://same.example.org', domainRating: 50, monthlyVisits: 5000, type: 'DoFollow' }
    const alike = Array.from({ length: 12 }, (_, i) => ({
      kind: 'directory',
      slug: `same-${i}`,
      name: `Same ${i}`,
      ...figures,
    }))
    await service.load(alike)
    const { text } = await open('/plan')
    const reasons = [...text.matchAll(/<p class="why">([^<]*)<\/p>/g)].map(([, reason]) => reason!)
    expect(reasons).toHaveLength(shownIn(text).length)
    expect(new Set(reasons).size).toBe(reasons.length)
    expect(text).not.toContain('moved down')
    for (const { slug } of alike) await service.admin('DELETE', `/directories/${slug}`)
  })

  test('cuts a long deal at a word, with a sign that there is more', async () => {
    const deal = { text: `A listing for half of its price ${'and more '.repeat(10)}`.trim(), code: '' }
    await service.load([{ kind: 'directory', slug: 'dealer', name: 'Dealer', website: 'https://dealer.example', deal }])
    expect((await open('/plan?directories=dealer')).text).toMatch(
      /has a deal: A listing for half of its price [a-z ]+…/,
    )
    await service.admin('DELETE', '/directories/dealer')
  })

  test('a shortlist becomes a plan of its directories, with a note on what does not fit', async () => {
    const { text } = await open('/shortlist?directories=writers,plugins')
    expect(text).toContain('href="/plan?directories=writers,plugins"')
    const plan = (await open('/plan?directories=writers,plugins,no-such-one,adults')).text
    expect(shownIn(plan).sort()).toEqual(['plugins', 'writers'])
    expect(plan).toContain('on your list, but it does not take web apps')
    expect(plan).toContain('name="directories" value="writers,plugins,no-such-one,adults"')
  })

  test('the calendar has a day for every directory', async () => {
    const { text, headers } = await open('/plan.ics?start=2026-11-23')
    expect(headers.get('content-type')).toBe('text/calendar; charset=utf-8')
    expect(headers.get('content-disposition')).toContain('launch-plan.ics')
    const lines = text.split('\r\n')
    expect(lines[0]).toBe('BEGIN:VCALENDAR')
    expect(lines.filter((line) => line === 'BEGIN:VEVENT')).toHaveLength(4)
    expect(lines).toContain('DTSTART;VALUE=DATE:20261123')
    expect(lines).toContain('SUMMARY:Enter your product into Strong\\, "quoted"')
    for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(text).not.toContain(LINK)
    expect((await service.fetch('/plan.ics', { method: 'POST' })).status).toBe(405)
  })

  test('is in the sitemap, and only without choices', async () => {
    expect((await service.fetch('/sitemap.xml')).text).toContain(`${service.origin}/plan</loc>`)
    expect((await open('/plan')).text).not.toContain('noindex')
    expect((await open('/plan?count=10')).text).toContain('noindex')
  })

  test('the CSV has the same directories, and no cell that a spreadsheet runs', async () => {
    const { text, headers } = await open('/plan.csv?category=writing')
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toContain('launch-plan.csv')
    const [head, ...lines] = text.trimEnd().split('\r\n').map(cells)
    expect(head!.slice(0, 3)).toEqual(['name', 'website', 'page'])
    expect(lines.map(([, website]) => website)).toEqual(
      shownIn((await open('/plan?category=writing')).text).map((slug) => `https://${slug}.example.org`),
    )
    expect(lines.map(([name]) => name)).toEqual(expect.arrayContaining(["'=cmd()", 'Strong, "quoted"']))
    expect(text).not.toContain(LINK)
    expect((await service.fetch('/plan.csv', { method: 'POST' })).status).toBe(405)
  })
})

test('every cell of a CSV file that has a semicolon or a tab is quoted, so that no spreadsheet splits it', async () => {
  const tools = [{ kind: 'tool', slug: 'split', name: 'Split', description: 'one;two\tthree' }]
  await service.load(tools)
  const table = await service.fetch('/api/admin/export/table?kind=tool', { key: ADMIN_TOKEN })
  const texts = [table.text, (await service.fetch('/plan.csv?category=writing')).text]
  for (const text of texts) {
    expect(text).toMatch(/;/)
    expect(text.replaceAll(/"(?:[^"]|"")*"/g, '')).not.toMatch(/[;\t]/)
  }
})

describe('the plan in the console', () => {
  let id: string
  let path: string
  beforeAll(async () => {
    await submitted(service, partner.key, { name: 'Planned', paymentType: 'starter' })
    id = (await service.admin('GET', `/submissions?client=${partner.id}`)).body.data[0].id
    path = `/admin/submissions/${id}`
  })

  test('is on the bench of the submission and on its own page, for administrators', async () => {
    await expectForAdministrators(service, admin, [path, `${path}/plan`])
    const { text } = await admin.open(`${path}?directory=strong`)
    expect(text).toContain('DR 90')
    expect(text).not.toContain('Domain Rating 90')
    const whole = (await admin.open(`${path}/plan`)).text
    expect(whole).toContain('takes only plug-ins, not web apps')
    expect(whole).toContain('lists only adult products')
  })

  test('has phases, of which the first with work left is open', async () => {
    const { text } = await admin.open(`${path}/plan`)
    const phases = [...text.matchAll(/<details class="phase"( open)?><summary><h2>([^<]+)</g)]
    expect(phases.map(([, open, title]) => [title, open])).toEqual([
      ['1. Lay the ground', ' open'],
      ['2. Launch week', undefined],
      ['3. Keep going', undefined],
    ])
    expect(text).toMatch(/0 of \d on record/)
  })

  test('pins, skips and withdraws, and refuses a form that is out of date', async () => {
    const action = `${path}/plan/writers`
    await expectRefused(admin, action, { decision: 'pinned' })
    const reply = await fill(admin, `${path}/plan`, action, { decision: 'pinned', reason: '' })
    expect([reply.status, reply.headers.get('location')]).toEqual([303, `${path}/plan`])
    expect((await admin.open(`${path}/plan`)).text).toContain('pinned by an administrator')
    const stale = await fill(admin, `${path}/plan`, action, { decision: 'skipped', reason: 'refused', version: '0' })
    expect(stale.status).toBe(409)
    expect(stale.text).toContain('There is a decision about writers already')
    await fill(admin, `${path}/plan`, action, { decision: 'skipped', reason: 'refused' })
    expect((await admin.open(`${path}/plan`)).text).toContain('skipped: refused')
    await fill(admin, `${path}/plan`, action, { decision: '', reason: '' })
    const [decision] = (await service.admin('GET', `/submissions/${id}/decisions`)).body.data
    expect(decision).toMatchObject({ slug: 'writers', decision: null, version: 3 })
  })

  test('kind, language and limits are set there, those of the partner on its page', async () => {
    const form = { kind: 'plugin', language: 'de', budget: '20', badges: 'false' }
    expect((await fill(admin, `${path}/plan`, `${path}/plan`, form)).status).toBe(303)
    const stored = (await service.admin('GET', `/submissions/${id}`)).body.data
    expect(stored).toMatchObject({ kind: 'plugin', language: 'de', plan: { budget: 20, badges: false } })
    const wrong = await fill(admin, `${path}/plan`, `${path}/plan`, { budget: 'much' })
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('budget must be')
    expect(wrong.text).toContain('value="much"')
    await fill(admin, `${path}/plan`, `${path}/plan`, { budget: '', badges: '' })
    expect((await service.admin('GET', `/submissions/${id}`)).body.data.plan).toBe(null)
    const partnerPath = `/admin/partners/${partner.id}`
    await fill(admin, partnerPath, `${partnerPath}/plan`, { budget: '75', badges: null })
    expect((await service.admin('GET', `/partners/${partner.id}`)).body.data.plan).toEqual({
      budget: 75,
      badges: false,
    })
  })

  test('the form of a directory has the fields that plans need', async () => {
    const form = '/admin/directories/writers'
    await fill(admin, form, form, {
      'accepts:web': 'true',
      'accepts:plugin': 'true',
      languages: 'en\nde',
      minimumAge: '3',
      do: 'save',
    })
    expect((await service.admin('GET', '/directories/writers')).body.data).toMatchObject({
      accepts: ['web', 'plugin'],
      languages: ['en', 'de'],
      minimumAge: 3,
      submissionLink: LINK,
    })
  })
})
