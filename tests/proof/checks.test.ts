// Recorded listings are looked at, and what was found reaches the partner: status, history, events, report.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { createMissingLinks } from '../../src/features/proof/worker.ts'
import { signedUpAdmin } from '../harness/browser.ts'
import { forgetOld } from '../harness/forget-old.ts'
import { BROWSER, expectSound } from '../harness/html.ts'
import { html, PRODUCT } from '../harness/listing-pages.ts'
import { until } from '../harness/process.ts'
import { productSite } from '../harness/product-site.ts'
import { eventsAt, loadDirectories, newWork, record, startCheckingService, wantEvents } from '../harness/proof.ts'
import { startReceiver } from '../harness/receiver.ts'
import { statusOf } from '../harness/submissions.ts'
import { use } from '../harness/use.ts'

let partner: { id: string; key: string }
const LINK = `<a href="${PRODUCT}" rel="noopener">Acme</a>`

const site = use(() => productSite({ '/listing': html(LINK), '/quiet': html('') }))
const receiver = use(startReceiver)
const service = use(startCheckingService)
beforeAll(async () => {
  await loadDirectories(service, 4)
  partner = await service.newPartner({ name: 'Launchpad', webhookUrl: `${receiver.origin}/hook` })
  await wantEvents(service, partner.id, ['listing.live', 'listing.lost'])
})

const rowOf = async (slug: string, directory: string) =>
  (await statusOf(service, partner.key, { slug })).body.data.submissions.find((row: any) => row.slug === directory)
const checksOf = async (id: string) => (await service.admin('GET', `/submissions/${id}/checks`)).body.data

let work: Awaited<ReturnType<typeof newWork>>

test('a listing is looked at when its address is recorded, and the status says what was found', async () => {
  work = await newWork(service, partner, { website: PRODUCT, name: 'Acme Writer' })
  await record(service, work.id, 'd-0', `${site.url}/listing`)
  expect((await rowOf(work.slug, 'd-0')).link).toMatchObject({ state: expect.stringMatching(/^(unchecked|live)$/) })
  await record(service, work.id, 'd-1', null)
  await until(async () => (await rowOf(work.slug, 'd-0')).link.state === 'live', 15_000)
  const { link } = await rowOf(work.slug, 'd-0')
  expect(link).toEqual({ state: 'live', checkedAt: expect.any(String), firstLiveAt: link.checkedAt })
  expect((await rowOf(work.slug, 'd-1')).link).toBeNull()
  expect(site.asked).toEqual(['/robots.txt', '/listing'])
  expect(await checksOf(work.id)).toEqual([
    {
      directory: 'd-0',
      listingUrl: `${site.url}/listing`,
      state: 'live',
      checkedAt: link.checkedAt,
      status: 200,
      finalUrl: `${site.url}/listing`,
      rel: 'noopener',
      anchorText: 'Acme',
      noindex: false,
    },
  ])
})

test('listing.live is sent once, to a partner that asked for it', async () => {
  await until(() => eventsAt(receiver, '/hook').length === 1, 10_000)
  const row = await rowOf(work.slug, 'd-0')
  const { link, ...submission } = row
  const { data } = (await statusOf(service, partner.key, { slug: work.slug })).body
  const { url: _, ...tool } = data.tool
  expect(eventsAt(receiver, '/hook')).toEqual([
    { event: 'listing.live', occurredAt: expect.any(String), tool, submission, link },
  ])
  expect(receiver.at('/hook')[0]!.headers['x-catalog-event']).toBe('listing.live')
})

test('POST /submissions/:id/check looks now and answers the checks that it made', async () => {
  const { status, body } = await service.admin('POST', `/submissions/${work.slug}/check`)
  expect(status).toBe(200)
  expect(body.data).toEqual([expect.objectContaining({ directory: 'd-0', state: 'live', status: 200 })])
  expect(await checksOf(work.id)).toHaveLength(2)
  expect(eventsAt(receiver, '/hook')).toHaveLength(1)
})

test('a listing that is being looked at already is left out, and the answer says so', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  site.routes['/held'] = (_request, response) =>
    released.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(html(LINK)))
  const held = await newWork(service, partner, { website: 'https://held-writer.example.com/', name: 'Held Writer' })
  await record(service, held.id, 'd-2', `${site.url}/held`)
  await until(() => site.asked.includes('/held'), 15_000)
  const path = `/submissions/${held.id}/check`
  const during = await service.admin('POST', path)
  expect([during.status, during.body.data, during.headers.get('x-catalog-skipped')]).toEqual([200, [], 'under-way=1'])
  release()
  await until(async () => (await checksOf(held.id)).length === 1, 15_000)
  const after = await service.admin('POST', path)
  expect([after.body.data.length, after.headers.get('x-catalog-skipped')]).toEqual([1, null])
})

test('a loss is said after two looks a day apart, once; the console and the command line list it', async () => {
  site.routes['/listing'] = html('')
  await service.admin('POST', `/submissions/${work.id}/check`)
  expect((await service.admin('GET', '/links?lost=true')).body.data).toEqual([])
  // As if the first of them had been made a day earlier.
  await service.sql(`update listing_links set missing_since = missing_since - interval '1 day'`)
  for (let i = 0; i < 2; i++) await service.admin('POST', `/submissions/${work.id}/check`)
  await until(() => eventsAt(receiver, '/hook').length === 2, 10_000)
  expect(eventsAt(receiver, '/hook')[1]).toMatchObject({
    event: 'listing.lost',
    submission: { slug: 'd-0' },
    link: { state: 'missing' },
  })
  const [lost, ...others] = (await service.admin('GET', '/links?followUp=true')).body.data
  expect(lost).toMatchObject({
    submissionId: work.id,
    directory: 'd-0',
    link: { state: 'missing' },
    tool: { slug: work.slug },
  })
  expect(lost.lostAt).toEqual(expect.any(String))
  // The other one was never found.
  expect(others).toMatchObject([{ directory: 'd-2', link: { state: 'missing', firstLiveAt: null }, lostAt: null }])
  const administrator = await signedUpAdmin(service)
  const page = await administrator.open('/admin/links')
  expect(page.text).toContain('Lost')
  expect(page.text).toContain(`/admin/submissions/${work.id}/checks`)
  expect((await administrator.open(`/admin/submissions/${work.id}/checks`)).text).toContain('Link missing')
  expect((await administrator.open('/admin/links?show=blocked')).text).toContain('None of these')
})

test('a link that the first look does not find is to be followed up until it is found', async () => {
  const other = await service.newPartner({ name: 'Without events' })
  const fresh = await newWork(service, other, { website: 'https://fresh.example.com', name: 'Fresh' })
  const isFollowedUp = async () =>
    (await service.admin('GET', '/links?followUp=true')).body.data.some((one: any) => one.submissionId === fresh.id)
  await record(service, fresh.id, 'd-3', `${site.url}/quiet`)
  await until(isFollowedUp, 15_000)
  const administrator = await signedUpAdmin(service)
  expect((await administrator.open('/admin/links')).text).toContain('Never found')
  site.routes['/quiet'] = html('<a href="https://fresh.example.com">Fresh</a>')
  await until(async () => {
    await service.admin('POST', `/submissions/${fresh.id}/check`)
    return !(await isFollowedUp())
  }, 15_000)
  site.routes['/quiet'] = html('')
})

test('another address begins anew, without a second listing.live', async () => {
  site.routes['/moved'] = html(LINK)
  await record(service, work.id, 'd-0', `${site.url}/moved`)
  expect((await rowOf(work.slug, 'd-0')).link).toEqual({ state: 'unchecked', checkedAt: null, firstLiveAt: null })
  await until(async () => (await rowOf(work.slug, 'd-0')).link.state === 'live', 15_000)
  expect((await service.admin('GET', '/links?lost=true')).body.data).toEqual([])
  expect(eventsAt(receiver, '/hook')).toHaveLength(2)
})

test('the event of the specification has rows without links', async () => {
  await service.admin('POST', `/submissions/${work.id}/done`)
  await until(() => eventsAt(receiver, '/hook').length === 3, 10_000)
  const done = eventsAt(receiver, '/hook')[2]
  expect(done.event).toBe('directory_submissions.completed')
  expect(done.submissions.map((row: object) => Object.keys(row))).toEqual([
    ['name', 'slug', 'url', 'listingUrl', 'domainRating', 'isSubmitted', 'submittedBy', 'submittedAt', 'proofUrl'],
    ['name', 'slug', 'url', 'listingUrl', 'domainRating', 'isSubmitted', 'submittedBy', 'submittedAt', 'proofUrl'],
  ])
})

test('a partner that did not ask for events gets none', async () => {
  const other = await service.newPartner({ webhookUrl: `${receiver.origin}/other` })
  const { id } = await newWork(service, other, { website: 'https://quiet.example.com' })
  site.routes['/third'] = html('<a href="https://quiet.example.com/">Quiet</a>')
  await record(service, id, 'd-2', `${site.url}/third`)
  const [check] = (await service.admin('POST', `/submissions/${id}/check`)).body.data
  expect(check?.state ?? 'looked at by the worker').not.toBe('missing')
  await until(async () => (await checksOf(id)).length > 0, 10_000)
  expect((await service.admin('GET', `/webhooks?client=${other.id}`)).body.data).toEqual([])
})

describe('the report', () => {
  const reportPath = async () => {
    const { reportUrl } = (await statusOf(service, partner.key, { slug: work.slug })).body.data
    expect(reportUrl).toMatch(new RegExp(`^${service.origin}/reports/[0-9a-f]{32}$`))
    return reportUrl.slice(service.origin.length) as string
  }

  test('is in no log by its address, which is its only key', async () => {
    const path = await reportPath()
    const encoded = path.replace('reports', '%72eports')
    for (const one of [path, `${path}.csv`, `${path}.json?x=1`, encoded]) await service.fetch(one)
    const lines = service.logged.map((line) => JSON.stringify(line))
    expect(lines.filter((line) => line.includes('/reports/…')).length).toBeGreaterThan(3)
    expect(lines.filter((line) => line.includes(path.slice('/reports/'.length)))).toEqual([])
  })

  test('is a page, CSV and JSON, for the one who has the address', async () => {
    await service.sql(`update submission_rows set proof_url = 'https://tracker.example/p.png'`)
    const path = await reportPath()
    const page = await service.fetch(path, { headers: { accept: BROWSER } })
    expect(page.status).toBe(200)
    await expectSound(page.text, ['tracker.example', '<img'])
    for (const words of ['Acme Writer', 'Directory 0', 'Live', `${site.url}/moved`]) expect(page.text).toContain(words)
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'cache-control': 'private, max-age=60',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
    })
    expect(page.headers.get('x-ratelimit-limit')).not.toBeNull()
    const json = await service.fetch(`${path}.json`)
    expect(Object.keys(json.body)).toEqual(['tool', 'package', 'summary', 'submissions', 'generatedAt'])
    expect(json.body).toMatchObject({
      tool: { name: 'Acme Writer', slug: work.slug },
      package: { paymentStatus: 'STARTER' },
      summary: { isComplete: true, submittedCount: 2, recordedSubmissions: 2, links: { live: 1, missing: 0 } },
    })
    expect(json.body.submissions[0]).toMatchObject({
      slug: 'd-0',
      proofUrl: 'https://tracker.example/p.png',
      link: { state: 'live' },
    })
    const csv = await service.fetch(`${path}.csv`)
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [head, first] = csv.text.split('\r\n')
    expect(head).toBe(
      'directory,website,domainRating,isSubmitted,submittedAt,listingUrl,linkState,linkCheckedAt,linkFirstLiveAt,proofUrl,waitingFor,reason,action',
    )
    expect(first).toMatch(
      /^Directory 0,https:\/\/d-0\.example\.org,90,true,2\d{3}-.*,live,.*,https:\/\/tracker\.example\/p\.png,,,$/,
    )
    expect(csv.headers.get('cache-control')).toBe('private, max-age=60')
  })

  test('has pictures of this service only', async () => {
    const own = `/media/${'a'.repeat(40)}.webp`
    await service.sql(`update submission_rows set proof_url = '${service.origin}${own}'`)
    expect((await service.fetch(await reportPath())).text).toContain(`src="${own}"`)
  })

  test('can be given another address; the old one, a made-up one and no token at all are a 404', async () => {
    const before = await reportPath()
    const { reportUrl } = (await service.admin('POST', `/submissions/${work.id}/report`)).body.data
    expect(await reportPath()).toBe(reportUrl.slice(service.origin.length))
    for (const path of [
      before,
      `${before}.json`,
      `/reports/${'0'.repeat(32)}`,
      '/reports/x',
      '/reports/.csv',
      '/reports/%00',
    ])
      expect([path, (await service.fetch(path)).status]).toEqual([path, 404])
    const [entry] = (await service.admin('GET', '/audit')).body.data
    expect(entry.action).toBe('submission.report')
  })
})

test('after a year changes of state and the last look of each quarter are kept', async () => {
  const states = ['live', 'live', 'live', 'live', 'missing', 'live', 'live', 'live', 'live', 'live', 'live', 'live']
  for (const [month, state] of states.entries())
    await service.sql(`insert into link_checks (id, submission_id, directory_id, listing_url, state, checked_at)
      select 'old-${month}', submission_id, directory_id, listing_url, '${state}', '2020-${String(month + 1).padStart(2, '0')}-15Z'
      from submission_rows where submission_id = '${work.id}' and listing_url is not null`)
  const recent = await service.sql(`select id from link_checks where checked_at > '2021-01-01'`)
  await forgetOld(service)
  await forgetOld(service)
  const kept = await service.sql(`select id from link_checks where checked_at < '2021-01-01' order by checked_at`)
  // January is the first look, May and June are changes.
  expect(kept.map(({ id }) => id)).toEqual(['old-0', 'old-2', 'old-4', 'old-5', 'old-8', 'old-11'])
  expect(await service.sql(`select id from link_checks where checked_at > '2021-01-01'`)).toHaveLength(recent.length)
})

test('an address that an older version recorded gets its link within the next regular work', async () => {
  await service.sql(`delete from listing_links where submission_id = '${work.id}'`)
  expect((await rowOf(work.slug, 'd-0')).link).toEqual({ state: 'unchecked', checkedAt: null, firstLiveAt: null })
  await createMissingLinks(service.context(), () => false)
  const [found] = await service.sql(
    `select next_at > now() as later from listing_links where submission_id = '${work.id}'`,
  )
  expect(found).toEqual({ later: true })
})

test('with LINK_CHECKS=off nothing is looked at, and a look now is a 400 that says so', async () => {
  const off = await startCheckingService({ LINK_CHECKS: 'off' })
  await loadDirectories(off, 1)
  const client = await off.newPartner()
  const { id } = await newWork(off, client)
  await record(off, id, 'd-0', `${site.url}/never`)
  const { status, body } = await off.admin('POST', `/submissions/${id}/check`)
  expect([status, body.error]).toEqual([400, 'Link checks are switched off. Set LINK_CHECKS to on to use them.'])
  expect((await off.admin('GET', `/submissions/${id}/checks`)).body.data).toEqual([])
  expect(site.asked).not.toContain('/never')
  // What was found before the setting is still kept only as long as KEEP_LINK_CHECKS_DAYS says.
  for (const month of [1, 2, 3])
    await off.sql(`insert into link_checks (id, submission_id, directory_id, listing_url, state, checked_at)
      select 'old-${month}', submission_id, directory_id, listing_url, 'live', '2020-0${month}-15Z'
      from submission_rows where submission_id = '${id}' and listing_url is not null`)
  await forgetOld(off)
  expect(await off.sql('select id from link_checks order by id')).toEqual([{ id: 'old-1' }, { id: 'old-3' }])
  await off.close()
})
