// Saved lists and plans, successors, drift, proposals and health at their greatest sizes, as many as the limits allow. The main thread
// is never held longer than 80 ms of its processor time at once, so that no other request waits; and what an account can store is bounded.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, createBrowser, PASSWORD } from '../harness/browser.ts'
import { directory, several, terms, tool } from '../harness/bulk-listings.ts'
import { MOST_ABOVE_MS } from '../harness/costs.ts'
import { createDatabase, startService } from '../harness/service.ts'
import { copyTemplate } from '../harness/template.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { startWatched, type WatchedService } from '../harness/watched-service.ts'

// More than a search of operators compares in one statement.
const LISTINGS = 5_500
const LINKS = 1_000
const SAVED = '/dashboard/saved'

const dataDir = join(temporaryFolder('newest'), 'data')
let service: WatchedService
let user: Browser

/** The drift of a page that states everything otherwise, each as long as it is kept. */
const DRIFT = JSON.stringify([
  { field: 'name', found: 'Ünlike '.repeat(9).slice(0, 60) },
  { field: 'tagline', found: 'Öther wörds '.repeat(20).slice(0, 200) },
  { field: 'pricing', found: 'Free, then €9 '.repeat(6).slice(0, 80) },
  { field: 'website', found: `https://else.example/${'a'.repeat(1_979)}` },
])
/** The features of a listing may have this length. */
const FEATURES = JSON.stringify(Object.fromEntries(several(0, 100, (i) => [`Feature ${i}`, 'x'.repeat(900)])))

/** Rows that would take hours to make through the API. */
const rowsOf = (partner: string): string[] => [
  `insert into submissions (id, partner_id, tool_id, website_key, slug, payment_type, state, notes, created_at, updated_at)
   select 's-' || slug, '${partner}', id, website_key, slug, 'starter', 'IN_PROGRESS', '', now(), now() from tools order by slug limit ${LINKS}`,
  `insert into submission_rows (submission_id, directory_id, is_submitted, listing_url, submitted_by, created_at, updated_at)
   select s.id, d.id, true, 'https://board.example.org/' || s.slug, 'ADMIN', now(), now() from submissions s, (select id from directories limit 1) d`,
  // The tools were changed since, so that each is compared again.
  `insert into listing_links (submission_id, directory_id, partner_id, listing_url, host, state, recorded_at, checked_at, next_at, drift, own_words)
   select submission_id, directory_id, '${partner}', listing_url, 'board.example.org', 'live', '2020-01-01', '2020-01-01', '2100-01-01', '${DRIFT}', ''
   from submission_rows`,
  `insert into listing_health (listing_id, kind, website, host, next_at, state, since, checked_at)
   select id, 'tool', website, 'x', '2100-01-01', case when random() < 0.3 then 'gone' else 'alive' end, now(), now() from tools`,
  `insert into proposals (id, tool_id, author_kind, author_id, field, old_value, new_value, state, reason, created_at)
   select 'p-' || slug, id, 'partner', '${partner}', 'features', '${FEATURES}', '${FEATURES}', 'waiting', '', now() from tools order by slug limit 200`,
]

beforeAll(async () => {
  const database = process.env.TEST_DATABASE_URL && (await createDatabase(process.env.TEST_DATABASE_URL))
  if (!database) await copyTemplate(dataDir)
  const data = { DATA_DIR: dataDir, ...(database && { DATABASE_URL: database.url }) }
  const filling = await startService(data)
  await filling.load([
    ...terms('Bulk'),
    ...several(0, LISTINGS, (i) => tool(i)),
    ...several(0, 20, (i) => directory(i)),
  ])
  for (const statement of rowsOf((await filling.newPartner()).id)) await filling.sql(statement)
  await filling.close()
  service = await startWatched(data)
  user = createBrowser(service)
  await user.submit('/sign-up', '/sign-up', { email: 'greatest@example.com', password: PASSWORD })
}, 300_000)
afterAll(() => service?.close())

/** The longest stop of the main thread during the call; the least of three, because the machine does other work, too. */
async function stopOf(call: () => Promise<{ status: number; text: string }>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3; i++) {
    await service.idle()
    await service.longestStop()
    const { status, text } = await call()
    expect(status, text.slice(0, 300)).toBeLessThan(400)
    await service.idle()
    least = Math.min(least, await service.longestStop())
  }
  return least
}

describe('no list of operators holds the main thread', () => {
  test.each([
    '/links?limit=1000',
    '/links?drift=true&limit=1000',
    '/links?drift=false&limit=1000',
    '/proposals?limit=200',
    '/health?limit=1000',
    '/health?state=gone&limit=1000',
    '/tools?health=gone&limit=1000',
    '/tools?q=bulk&limit=1000',
  ])('GET %s', async (path) => {
    expect(await stopOf(() => service.admin('GET', path))).toBeLessThan(MOST_ABOVE_MS)
  })

  test('and a search finds every listing once, page by page, in the order of the list', async () => {
    const slugsOf = async (query: string) => {
      const slugs: string[] = []
      for (let page = 1; page <= Math.ceil(LISTINGS / 1_000); page++)
        for (const { slug } of (await service.admin('GET', `/tools?limit=1000&page=${page}${query}`)).body.data)
          slugs.push(slug)
      return slugs
    }
    const all = await slugsOf('')
    expect(new Set(all).size).toBe(LISTINGS)
    expect(await slugsOf('&q=BULK+one+bulk')).toEqual(all)
    const oldest = all.at(-1)!
    const [found] = (await service.admin('GET', `/tools?q=${oldest}.example.com`)).body.data
    expect(found.slug).toBe(oldest)
  })

  test('many decisions about listings that are gone', async () => {
    const slugs = several(0, 100, (i) => `bulk-${i}`)
    let serial = 0
    const decide = () =>
      service.admin('POST', '/health/decide', { kind: 'tool', slugs, successor: `bulk-${200 + ++serial}` })
    expect(await stopOf(decide)).toBeLessThan(MOST_ABOVE_MS)
  })
})

describe('an account', () => {
  const token = async () => (await user.open(`${SAVED}/shortlist.json`)).body.token as string

  test('keeps fifty plans and a hundred listings of the greatest size, however many it sends', async () => {
    const values = { token: await token() }
    const query = `done=${'a'.repeat(7_995)}`
    const name = (i: number) => `${i} ${'漢'.repeat(80)}`.slice(0, 80)
    for (let i = 0; i < 55; i++) {
      const saved = await user.post(`${SAVED}/plans`, { ...values, name: name(i), query })
      expect(saved.headers.get('location')).toBe(SAVED)
    }
    const slugs = (from: number) => several(from, from + 50, (i) => `${i}${'a'.repeat(100)}`.slice(0, 100)).join(',')
    let from = 0
    const change = () => {
      from += 50
      return user.post(`${SAVED}/shortlist`, { ...values, tools: slugs(from), directories: slugs(from) })
    }
    expect(await stopOf(change)).toBeLessThan(MOST_ABOVE_MS)
    expect(await stopOf(() => user.post(`${SAVED}/plans`, { ...values, name: 'One', query }))).toBeLessThan(
      MOST_ABOVE_MS,
    )
    expect(await stopOf(() => user.open(SAVED))).toBeLessThan(MOST_ABOVE_MS)
    const { tools, directories } = (await user.open(`${SAVED}/shortlist.json`)).body
    expect([tools.length, directories.length]).toEqual([50, 50])
    const { text } = await user.open(SAVED)
    expect(text.split(`action="${SAVED}/plans/delete"`)).toHaveLength(51)
  })
})
