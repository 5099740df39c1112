// Listings that visitors open after a question on the site move a little in its results: never for fewer than five callers, never far, and
// for a while only.
// @module-tag slow
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createOpeningCounter, type OpeningCounter, storeOpenings } from '../../src/features/learning/openings.ts'
import { addOpenings } from '../../src/features/learning/queries.ts'
import { HALF_LIFE_DAYS, MOST_PLACES, networkOf, orderByOpenings, weightAt } from '../../src/features/learning/rules.ts'
import { DAY_MS, dayOf } from '../../src/kernel/values/days.ts'
import { signedUpAdmin } from '../harness/browser.ts'
import { forgetOld } from '../harness/forget-old.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { startService, type TestService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const SETTINGS = { TRUST_PROXY: '127.0.0.1' }
const Q = 'kangaroo+notes'
/** The results of the question, the best first: more words in stronger fields. */
const USUAL = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']
const TEXTS = [
  { name: 'Kangaroo notes one' },
  { name: 'Kangaroo two', tagline: 'Notes' },
  { name: 'Kangaroo three', description: 'Notes' },
  { name: 'Four', tagline: 'Kangaroo notes' },
  { name: 'Five', tagline: 'Kangaroo', description: 'Notes' },
  { name: 'Six', description: 'Kangaroo notes' },
]

let key: string
const service = useService(SETTINGS)
const listings = USUAL.map((slug, at) => ({ kind: 'tool', slug, ...TEXTS[at] }))
beforeAll(async () => {
  await service.load([
    ...listings,
    { kind: 'tool', slug: 'partial', name: 'Kangaroo alone' },
    { kind: 'directory', slug: 'listed', name: 'Kangaroo list', smallDescription: 'Launch notes' },
    { kind: 'directory', slug: 'other', name: 'Other', fullDescription: 'Kangaroo notes' },
  ])
  key = (await service.newKey()).key
})
beforeEach(async () => {
  await service.context().openings.flush()
  await service.sql('delete from search_openings')
  await reload()
})

const reload = async (of: TestService = service) => {
  const { learned } = of.context()
  if ('apply' in learned && typeof learned.apply === 'function') await learned.apply(null)
}
/** Opens a listing as a browser does that follows the link on the page of results. */
const open = (path: string, address: string, { from = `/search?q=${Q}`, of = service, ...headers } = {} as Opening) =>
  of.fetch(path, {
    headers: {
      accept: BROWSER,
      'user-agent': CHROME,
      'x-forwarded-for': address,
      referer: of.origin + from,
      ...headers,
    },
  })
type Opening = { from?: string; of?: TestService; [header: string]: string | TestService | undefined }
let month = 0
/** Addresses of different networks that no other test uses. */
const addresses = (count: number) => Array.from({ length: count }, () => `203.0.${++month}.7`)
const openBy = async (path: string, by: readonly string[], opening?: Opening) => {
  for (const address of by) expect((await open(path, address, opening)).status).toBe(200)
  await (opening?.of ?? service).context().openings.flush()
}
const results = async (query = `q=${Q}`, of = service): Promise<string[]> =>
  (await of.rest(`/tools?${query}`, { key })).body.data.map(({ slug }: { slug: string }) => slug)
const stored = async (): Promise<any[]> => (await service.admin('GET', '/openings')).body.data
const weightDaysAgo = (days: number) => weightAt(Date.now() - days * DAY_MS)
const idOf = (slug: string) => String(service.context().catalog.snapshot().tools.idOf.get(slug))
/** As if so many callers had opened the listing so many days ago. */
async function opened(slug: string, callers: number, { words = 'kangaroo notes', days = 0 } = {}) {
  const lastDay = dayOf(Date.now() - days * DAY_MS)
  await addOpenings(service.context().db, [
    { words, listingId: idOf(slug), weight: callers * weightDaysAgo(days), lastDay },
  ])
  await reload()
}

test('before any visitor has opened a listing, the order is by words', async () => {
  expect(await results()).toEqual(USUAL)
})

describe('a listing that visitors open after a question', () => {
  test('moves two places up when five callers did, over REST, MCP and on the site', async () => {
    await openBy('/tools/fourth', addresses(4))
    expect(await stored()).toEqual([])
    expect(await results()).toEqual(USUAL)
    await openBy('/tools/fourth', addresses(1))
    expect(await stored()).toEqual([
      expect.objectContaining({
        words: 'kangaroo notes',
        page: '/tools/fourth',
        callers: 5,
        lastDay: dayOf(Date.now()),
      }),
    ])
    const moved = ['first', 'fourth', 'second', 'third', 'fifth', 'sixth']
    expect(await results()).toEqual(moved)
    const { envelope } = await service.tool('search_tools', { q: 'notes kangaroo' }, key)
    expect(envelope.data.map(({ slug }: { slug: string }) => slug)).toEqual(moved)
    for (const path of ['/tools', '/search']) {
      const { text } = await service.fetch(`${path}?q=${Q}`, { headers: { accept: BROWSER } })
      expect([
        ...new Set(Array.from(text.matchAll(/href="\/tools\/(\w+th|first|second|third)"/g), ([, one]) => one)),
      ]).toEqual(moved)
    }
  })

  test('is counted from the pages of tools and of directories, too', async () => {
    await openBy('/tools/third', addresses(5), { from: `/tools?q=${Q}&pricing=FREE` })
    await openBy('/directories/other', addresses(5), { from: `/directories?q=${Q}` })
    expect((await stored()).map(({ page }) => page).sort()).toEqual(['/directories/other', '/tools/third'])
    const { body } = await service.rest(`/directories?q=${Q}`, { key })
    expect(body.data.map(({ slug }: { slug: string }) => slug)).toEqual(['other', 'listed'])
  })

  test.each([
    ['one caller opens it a hundred times', () => Array.from({ length: 100 }, () => '198.51.100.9')],
    ['twenty callers of one network open it', () => Array.from({ length: 20 }, (_, at) => `198.51.101.${at + 1}`)],
    [
      'twenty callers of one IPv6 network open it',
      () => Array.from({ length: 20 }, (_, at) => `2001:db8:7:${at}00::1`),
    ],
  ])('does not move when %s', async (_, by) => {
    await openBy('/tools/fourth', by())
    expect(await stored()).toEqual([])
    expect(await results()).toEqual(USUAL)
  })

  test.each([
    ['another site leads to it', { referer: `https://evil.example/search?q=${Q}` }],
    ['the visitor comes from another page', { from: '/categories' }],
    ['the page before has no question', { from: '/search' }],
    ['the question has only words of asking', { from: '/search?q=what+is+the+tool' }],
    ['a program opens it', { 'user-agent': 'curl/8.5.0' }],
    ['a browser only prefetches it', { 'sec-purpose': 'prefetch' }],
    ['the console leads to it', { from: `/admin/search?q=${Q}` }],
    ['the address before is no address', { referer: 'http://[' }],
    ['the question does not find it', { from: '/search?q=podcast+clips' }],
    ['the question is longer than the search takes', { from: `/search?q=${Q}+${'x'.repeat(500)}` }],
  ])('is not counted when %s', async (_, opening) => {
    await openBy('/tools/fourth', addresses(6), opening)
    expect(await stored()).toEqual([])
  })

  test('is counted after its question only', async () => {
    await opened('fourth', 9)
    expect(await results('q=kangaroo')).toEqual(await results('q=kangaroo&facts=off'))
    expect((await results('q=kangaroo')).indexOf('fourth')).toBeGreaterThan(1)
  })
})

describe('a caller counts once a month', () => {
  /** The counter of another process, or of this one after a restart. */
  const otherProcess = (now = Date.now()) =>
    createOpeningCounter({
      store: (opened) => service.context().transaction((ctx) => storeOpenings(ctx.db, opened)),
      secret: 'the secret of the installation',
      log: service.context().log,
      now: () => now,
    })
  const open = async (counters: readonly OpeningCounter[], by: readonly string[]) => {
    for (const id of by)
      for (const counter of counters) counter.note('kangaroo notes', idOf('fifth'), { kind: 'visitor', id }, () => true)
    await Promise.all(counters.map((counter) => counter.flush()))
    await reload()
  }
  const callers = async () => (await stored()).find(({ page }) => page === '/tools/fifth')?.callers

  test('whatever process the caller asks, and after every restart', async () => {
    const by = addresses(4)
    for (let restarts = 0; restarts < 5; restarts++) await open([otherProcess(), otherProcess()], by)
    expect(await callers()).toBeUndefined()
    await open([otherProcess(), otherProcess()], addresses(1))
    expect(await callers()).toBe(5)
    await open([otherProcess()], by)
    expect(await callers()).toBe(5)
    await open([otherProcess(), otherProcess()], addresses(2))
    expect(await callers()).toBe(7)
  })

  test('so that callers of two processes add up to five', async () => {
    const [one, other] = [otherProcess(), otherProcess()]
    await Promise.all([open([one], addresses(3)), open([other], addresses(3))])
    expect(await callers()).toBe(6)
  })

  test('and again in the next month, when the hashes of this one are deleted', async () => {
    const by = addresses(5)
    const [rowsBefore] = await service.sql('select count(*)::int as n from search_opening_callers')
    await open([otherProcess()], by)
    const rows = await service.sql('select * from search_opening_callers')
    expect(rows).toHaveLength(rowsBefore.n + 5)
    expect(Object.keys(rows[0]).sort()).toEqual(['caller', 'month', 'pair'])
    expect(JSON.stringify(rows)).not.toMatch(/203\.0|kangaroo/)
    expect(new Set(rows.map(({ caller }) => caller)).size).toBe(rows.length)
    const later = Date.now() + 40 * DAY_MS
    await open([otherProcess(later)], by)
    expect(await service.sql('select * from search_opening_callers')).toHaveLength(rowsBefore.n + 10)
    await forgetOld(service, new Date(later))
    expect(await service.sql('select * from search_opening_callers')).toHaveLength(5)
    await forgetOld(service, new Date(later + 40 * DAY_MS))
    expect(await service.sql('select * from search_opening_callers')).toEqual([])
  })
})

describe('however often a listing is opened,', () => {
  test('it moves two places at most, on every page of any size', async () => {
    await opened('sixth', 5_000)
    const moved = ['first', 'second', 'third', 'sixth', 'fourth', 'fifth']
    expect(await results()).toEqual(moved)
    for (const limit of [1, 2, 4, 5]) {
      const pages = await Promise.all(
        Array.from({ length: Math.ceil(6 / limit) }, (_, at) => results(`q=${Q}&limit=${limit}&page=${at + 1}`)),
      )
      expect(pages.flat()).toEqual(moved)
    }
  })

  test('it does not move before one that is opened about as often', async () => {
    await opened('fourth', 9)
    await opened('third', 7)
    expect(await results()).toEqual(['third', 'first', 'second', 'fourth', 'fifth', 'sixth'])
  })

  test('a partial match stays behind the full ones, and before a chosen order and a whole name nothing moves', async () => {
    await opened('partial', 500, { words: 'kangaroo submarine' })
    await opened('partial', 500)
    expect(await results()).toEqual(USUAL)
    await opened('sixth', 500)
    expect(await results(`q=${Q}&sort=newest`)).toEqual(await results(`q=${Q}&sort=newest&facts=off`))
    await opened('second', 500, { words: 'kangaroo notes one' })
    expect((await results('q=kangaroo+notes+one'))[0]).toBe('first')
  })

  test('listings that lack a fact of the question stay behind those that have it', async () => {
    const q = 'q=free+kangaroo+notes'
    await opened('second', 500, { words: 'free kangaroo notes' })
    const free = (await service.rest(`/tools?${q}`, { key })).body.data.map(
      ({ pricing }: { pricing: string }) => pricing,
    )
    expect(free).toEqual([...free].sort())
  })
})

describe('what was learned', () => {
  test('counts half after 30 days: five callers then move nothing any more, and more of them do', async () => {
    await opened('fourth', 5, { days: HALF_LIFE_DAYS })
    expect((await results()).indexOf('fourth')).toBe(1)
    await service.sql('delete from search_openings')
    await opened('fourth', 5, { days: HALF_LIFE_DAYS + 1 })
    expect(await results()).toEqual(USUAL)
    expect(await stored()).toEqual([])
    await opened('fifth', 20, { days: HALF_LIFE_DAYS })
    expect(await stored()).toMatchObject([{ page: '/tools/fifth', callers: 10 }])
  })

  test('adds up over processes and days, and is deleted 90 days after the last opening', async () => {
    await opened('fourth', 5, { days: HALF_LIFE_DAYS })
    await opened('fourth', 1)
    expect(await stored()).toMatchObject([{ callers: 3.5, lastDay: dayOf(Date.now()) }])
    await forgetOld(service, new Date(Date.now() + 89 * DAY_MS))
    expect(await service.sql('select 1 from search_openings')).toHaveLength(1)
    await forgetOld(service, new Date(Date.now() + 91 * DAY_MS))
    expect(await service.sql('select 1 from search_openings')).toEqual([])
  })

  test('has nothing about a visitor', async () => {
    await openBy('/tools/fourth', addresses(6))
    const rows = await service.sql('select * from search_openings')
    expect(Object.keys(rows[0]).sort()).toEqual(['id', 'last_day', 'listing_id', 'weight', 'words'])
    expect(JSON.stringify(rows)).not.toMatch(/203\.0/)
  })

  test('is explained in the console, which forgets it on request', async () => {
    await opened('fourth', 8)
    const admin = await signedUpAdmin(service)
    const explained = await service.admin('GET', `/search?q=${Q}&explain=true&listing=fourth`)
    expect(explained.body.data.hits[1]).toMatchObject({ place: 2, slug: 'fourth', opened: 8 })
    expect(explained.body.data.listing).toMatchObject({ place: 2, match: 'full' })
    expect((await admin.open(`/admin/search?q=${Q}`)).text).toContain('Visitors open it after this question')
    const page = await admin.open('/admin/search/openings')
    await expectSound(page.text)
    expect(page.text).toMatch(/kangaroo notes.*\/tools\/fourth/s)
    const [{ id }] = await stored()
    await admin.submit('/admin/search/openings', `/admin/search/openings/${id}/forget`)
    expect(await stored()).toEqual([])
    expect(await results()).toEqual(USUAL)
    expect((await service.admin('DELETE', '/openings/1')).status).toBe(404)
    expect((await service.admin('GET', '/audit?action=opening.forget')).body.data).toMatchObject([
      { subject: 'opening:kangaroo notes' },
    ])
  })
})

describe('what visitors ask for most', () => {
  const emptyPage = async () =>
    (await service.fetch('/search?q=qqqqqqqq+kangaroo', { headers: { accept: BROWSER } })).text
  const askedIn = (text: string) =>
    [...(/<h3>Asked for most<\/h3>(.*?)<\/section>/s.exec(text)?.[1] ?? '').matchAll(/<bdi>([^<]+)</g)].map(
      ([, q]) => q,
    )

  test('is shown where a question finds nothing: five or more callers asked it, and it finds something', async () => {
    expect(askedIn(await emptyPage())).toEqual([])
    await opened('fourth', 9, { words: 'notes' })
    await opened('first', 6)
    await opened('second', 30, { words: 'gone words' })
    await opened('second', 2, { words: 'kangaroo two' })
    const page = await emptyPage()
    await expectSound(page)
    // Those that share a word with the question come first.
    expect(askedIn(page)).toEqual(['kangaroo, notes', 'notes'])
    expect(page).toContain('href="/search?q=kangaroo+notes"')
    expect((await service.admin('GET', '/learning')).body.data).toEqual({
      setting: 'on',
      asked: [
        { words: 'notes', opened: 9, full: 6 },
        { words: 'kangaroo notes', opened: 6, full: 6 },
      ],
    })
  })

  test('is listed in the console, which explains learning and its switch', async () => {
    await opened('first', 6)
    const page = (await (await signedUpAdmin(service)).open('/admin/search')).text
    await expectSound(page)
    expect(page).toMatch(/Asked for most.*kangaroo notes/s)
    expect(page).toContain('The setting <code>SEARCH_LEARNING</code> is <code>on</code>')
    expect(page).toContain('href="/admin/search/openings"')
  })
})

test.each(['off', 'unfound'])('with SEARCH_LEARNING=%s nothing is counted, and nothing moves', async (setting) => {
  const off = await startService({ ...SETTINGS, SEARCH_LEARNING: setting })
  try {
    await off.load(listings)
    const { key } = await off.newKey()
    expect((await off.admin('GET', '/learning')).body.data).toEqual({ setting, asked: [] })
    const ask = async () => (await off.rest(`/tools?q=${Q}`, { key })).text
    const before = await ask()
    await openBy('/tools/fourth', addresses(6), { of: off })
    expect(await off.sql('select 1 from search_openings')).toEqual([])
    const listingId = String(off.context().catalog.snapshot().tools.idOf.get('fourth'))
    const row = { words: 'kangaroo notes', listingId, weight: 100 * weightDaysAgo(0), lastDay: dayOf(Date.now()) }
    await addOpenings(off.context().db, [row])
    await reload(off)
    expect(await ask()).toBe(before)
  } finally {
    await off.close()
  }
})

test.each([
  ['203.0.113.9', '203.0.113'],
  ['2001:db8:7:300::/56', '2001.db8.7'],
  ['unknown', 'unknown'],
])('visitors at %s count as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('an order moves nothing by more than two places, keeps everything, and is the same for a part of the listings', () => {
  const counts = fc.array(fc.oneof(fc.constant(0), fc.nat(40)), { maxLength: 14 })
  fc.assert(
    fc.property(counts, fc.nat(13), fc.integer({ min: 1, max: 5 }), (all, offset, limit) => {
      const order = orderByOpenings(all)
      expect([...order].sort((a, b) => a - b)).toEqual(all.map((_, at) => at))
      for (const [place, at] of order.entries()) expect(Math.abs(place - at)).toBeLessThanOrEqual(MOST_PLACES)
      const from = Math.max(0, offset - 2 * MOST_PLACES)
      const part = orderByOpenings(all.slice(from, offset + limit + MOST_PLACES)).map((at) => from + at)
      expect(part.slice(offset - from, offset - from + limit)).toEqual(order.slice(offset, offset + limit))
      if (all.every((count) => count < 3)) expect(order).toEqual(all.map((_, at) => at))
    }),
  )
})
