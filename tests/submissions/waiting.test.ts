// Who a directory on record waits for, why, and what each reader is told about it.
import { drizzle } from 'drizzle-orm/pg-proxy'
import { beforeAll, describe, expect, test } from 'vitest'
import { listSubmissions } from '../../src/features/submissions/queue/queue.operations.ts'
import { findActors } from '../../src/features/submissions/queue/queue.queries.ts'
import { perform } from '../../src/kernel/invoke.ts'
import { extend } from '../../src/kernel/values/objects.ts'
import { signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { deliveries, RANKED_DIRECTORIES, SUBMISSION_CATALOG, statusOf, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'
import { createWorkflow, refused } from '../harness/workflow.ts'

const service = useService()
let partner: { id: string; key: string }
const { work, record, done } = createWorkflow(
  () => service,
  () => partner,
)
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  partner = await service.newPartner()
})

const ENTERED = { isSubmitted: true }
const LISTING = 'https://peak.example.org/product'

const workOf = async (id: string) => (await service.admin('GET', `/submissions/${id}`)).body.data
const rowOf = async (id: string, slug = 'peak') =>
  (await workOf(id)).submissions.find((row: { slug: string }) => row.slug === slug)
const waitingOf = async (id: string, slug?: string) => {
  const { waitingFor, reason, isReasonGiven } = await rowOf(id, slug)
  return { waitingFor, reason, isReasonGiven }
}
const DERIVED = { isReasonGiven: false }
const GIVEN = { isReasonGiven: true }

const ago = (days: number) => new Date(Date.now() - days * 24 * 3600_000).toISOString()
const setLink = (id: string, values: string) =>
  service.sql(`update listing_links set ${values} where submission_id = '${id}'`)

test('the console counts for whom the directories of a page wait', async () => {
  const { id } = await work()
  await record(id, 'peak', { isSubmitted: false })
  const { text } = await (await signedUpAdmin(service)).open('/admin/submissions/waiting')
  expect(text).toMatch(/1 for us<span class="extra"> on this page/)
})

describe('without a reason of an administrator', () => {
  test('a planned directory waits for us until the work is Done', async () => {
    const { id } = await work()
    const planned = await record(id, 'peak', { isSubmitted: false })
    expect(planned.body.data).toMatchObject({
      waitingFor: 'us',
      reason: 'to-enter',
      action: 'Enter the product into Peak.',
      ...DERIVED,
    })
    await done(id)
    expect(await rowOf(id)).toMatchObject({ waitingFor: null, reason: null, action: null })
  })

  test('an entered one waits for the review of the directory, and for us when that takes longer than 30 days', async () => {
    const { id } = await work()
    await record(id, 'peak', { ...ENTERED, submittedAt: ago(29) })
    expect(await waitingOf(id)).toEqual({ waitingFor: 'directory', reason: 'review', ...DERIVED })
    await record(id, 'peak', { ...ENTERED, submittedAt: ago(31) })
    expect(await waitingOf(id)).toEqual({ waitingFor: 'us', reason: 'overdue', ...DERIVED })
    expect((await rowOf(id)).action).toContain('ask Peak')
  })

  test('the usual time of a directory is that in which nine of ten of its listings were found', async () => {
    await service.load([{ kind: 'directory', slug: 'quick', name: 'Quick', website: 'https://quick.example.org' }])
    for (let i = 0; i < 5; i++) {
      const { id } = await work()
      await record(id, 'quick', { ...ENTERED, submittedAt: ago(50), listingUrl: `https://quick.example.org/${i}` })
      await setLink(id, `state = 'live', first_live_at = '${ago(50 - 6)}'`)
    }
    const { id } = await work()
    await record(id, 'quick', { ...ENTERED, submittedAt: ago(5) })
    expect((await rowOf(id, 'quick')).reason).toBe('review')
    await record(id, 'quick', { ...ENTERED, submittedAt: ago(7) })
    expect((await rowOf(id, 'quick')).reason).toBe('overdue')
  })

  test('products that were not found yet do not make the usual time of a directory shorter', async () => {
    await service.load([{ kind: 'directory', slug: 'slow', name: 'Slow', website: 'https://slow.example.org' }])
    const ids: string[] = []
    for (let i = 0; i < 6; i++) {
      const { id } = await work()
      await record(id, 'slow', { ...ENTERED, submittedAt: ago(20) })
      ids.push(id)
    }
    expect((await rowOf(ids[0]!, 'slow')).reason).toBe('review')
    await record(ids[1]!, 'slow', { ...ENTERED, submittedAt: ago(50), listingUrl: 'https://slow.example.org/1' })
    await setLink(ids[1]!, `state = 'live', first_live_at = '${ago(50 - 25)}'`)
    expect((await rowOf(ids[0]!, 'slow')).reason).toBe('review')
  })

  test('a recorded listing waits for nothing unless a look finds no link, and a lost link waits for us', async () => {
    const { id } = await work()
    const row = { ...ENTERED, submittedAt: ago(100), listingUrl: LISTING }
    await record(id, 'peak', row)
    const none = { waitingFor: null, reason: null, ...DERIVED }
    for (const state of ['live', 'nofollow', 'blocked', 'unreachable', 'unknown', 'unchecked']) {
      await setLink(id, `state = '${state}'`)
      expect(await waitingOf(id), state).toEqual(none)
    }
    const missing = { waitingFor: 'us', reason: 'link-missing', ...DERIVED }
    for (const state of ['missing', 'gone']) {
      await setLink(id, `state = '${state}', first_live_at = null`)
      expect(await waitingOf(id), state).toEqual(missing)
    }
    // A link that was there is lost only after a second look.
    await setLink(id, `state = 'gone', first_live_at = '${ago(50)}'`)
    expect(await waitingOf(id)).toEqual(none)
    await service.sql(`update submission_rows set lost_at = '${ago(1)}' where submission_id = '${id}'`)
    expect(await waitingOf(id)).toEqual(missing)
  })
})

describe('a reason that an administrator gives', () => {
  const REASONS = {
    'form-needs-answer': 'founder',
    'e-mail-to-confirm': 'founder',
    payment: 'founder',
    badge: 'founder',
    review: 'directory',
    'paid-queue': 'directory',
    rejected: null,
    listed: null,
  }

  test('says who is waited for, holds until it is left out, and wins over what follows from the row', async () => {
    const { id } = await work()
    for (const [reason, waitingFor] of Object.entries(REASONS)) {
      const { body } = await record(id, 'peak', { ...ENTERED, submittedAt: ago(31), reason })
      expect(body.data, reason).toMatchObject({ waitingFor, reason, action: expect.stringContaining('Peak'), ...GIVEN })
    }
    await record(id, 'peak', { ...ENTERED, submittedAt: ago(31) })
    expect(await waitingOf(id)).toEqual({ waitingFor: 'us', reason: 'overdue', ...DERIVED })
  })

  test('the same record sent again changes nothing, and given again for one that is overdue the time begins anew', async () => {
    const { id } = await work()
    const body = { ...ENTERED, submittedAt: ago(40), reason: 'review' }
    const { version } = (await record(id, 'peak', body)).body.data
    expect((await record(id, 'peak', body)).body.data.version).toBe(version)
    const since = (days: number) =>
      service.sql(`update submission_rows set waiting_since = '${ago(days)}' where submission_id = '${id}'`)
    await since(31)
    expect((await rowOf(id)).reason).toBe('overdue')
    expect((await record(id, 'peak', body)).body.data).toMatchObject({ reason: 'review', version: version + 1 })
    const queued = { ...body, reason: 'paid-queue' }
    await record(id, 'peak', queued)
    await since(89)
    expect((await rowOf(id)).reason).toBe('paid-queue')
    await since(91)
    expect((await rowOf(id)).reason).toBe('overdue')
  })

  test('ends when the link is found', async () => {
    const { id } = await work()
    await record(id, 'peak', { ...ENTERED, listingUrl: LISTING, reason: 'badge' })
    expect((await rowOf(id)).waitingFor).toBe('founder')
    await setLink(id, `state = 'live', first_live_at = now()`)
    expect(await rowOf(id)).toMatchObject({ waitingFor: null, reason: null, action: null })
  })

  test('may be given before the product is entered, unless it is about the entry', async () => {
    const { id } = await work()
    const { body } = await record(id, 'peak', { isSubmitted: false, reason: 'payment' })
    expect(body.data).toMatchObject({ waitingFor: 'founder', reason: 'payment' })
    for (const reason of ['review', 'paid-queue', 'listed'])
      expect(await refused(record(id, 'peak', { isSubmitted: false, reason }))).toContain(
        `reason cannot be ${reason} before the product is entered.`,
      )
    for (const reason of ['overdue', 'to-enter', 'link-missing', 'nothing', 7])
      expect(await refused(record(id, 'peak', { ...ENTERED, reason }))).toContain('reason')
  })

  test('is undone with the record', async () => {
    const { id } = await work()
    await record(id, 'peak', { ...ENTERED, reason: 'badge' })
    await record(id, 'peak', { ...ENTERED, reason: 'rejected' })
    const undone = await service.admin('POST', `/submissions/${id}/directories/peak/undo`)
    expect(undone.body.data.row).toMatchObject({ waitingFor: 'founder', reason: 'badge' })
  })

  test('rejected counts as a refusal in later plans', async () => {
    await service.load([{ kind: 'directory', slug: 'strict', name: 'Strict', domainRating: 99 }])
    const before = await work()
    await record(before.id, 'strict', { ...ENTERED, submittedAt: ago(40), reason: 'rejected' })
    const { id } = await work()
    const { chosen } = (await service.admin('GET', `/submissions/${id}/plan`)).body.data
    const { reasons } = chosen.find((row: { slug: string }) => row.slug === 'strict')
    expect(reasons).toContain('refused 1 of 1 earlier product')
    expect(reasons.at(-1)).toContain('0 of 1 earlier product was')
  })
})

describe('what partners and founders see', () => {
  let tool: any
  let report: string
  const INTERNAL = ['to-enter', 'overdue', 'link-missing', 'The founder has to', 'Enter the product']

  beforeAll(async () => {
    tool = await submitted(service, partner.key, { paymentType: 'starter' })
    const [peak, alpha, beta, unrated] = RANKED_DIRECTORIES.map(({ slug }) => slug)
    await record(tool.id, peak!, { ...ENTERED, reason: 'e-mail-to-confirm' })
    await record(tool.id, alpha!, ENTERED)
    await record(tool.id, beta!, { ...ENTERED, submittedAt: ago(90) })
    await record(tool.id, unrated!, { isSubmitted: false })
    report = (await statusOf(service, partner.key, { id: tool.id })).body.data.reportUrl
  })

  const EXPECTED = [
    { slug: 'peak', waitingFor: 'founder', reason: 'e-mail-to-confirm', action: 'Confirm the e-mail from Peak.' },
    {
      slug: 'alpha-board',
      waitingFor: 'directory',
      reason: 'review',
      action: 'Alpha Board reviews the product. You need not do anything.',
    },
    { slug: 'beta-board', waitingFor: 'us', reason: null, action: null },
    { slug: 'unrated', waitingFor: 'us', reason: null, action: null },
  ]

  test('the status says who is waited for, and the reason only if it is theirs', async () => {
    const { body, text } = await statusOf(service, partner.key, { id: tool.id })
    expect(body.data.submissions).toMatchObject(EXPECTED)
    for (const word of [...INTERNAL, 'isReasonGiven']) expect(text).not.toContain(word)
  })

  test('the report says it in all three forms, and what only the founder can do first', async () => {
    const path = new URL(report).pathname
    const json = await service.fetch(`${path}.json`)
    expect(JSON.parse(json.text).submissions).toMatchObject(EXPECTED)
    const csv = (await service.fetch(`${path}.csv`)).text.split('\r\n')
    expect(csv[0]).toMatch(/,proofUrl,waitingFor,reason,action$/)
    expect(csv[1]).toMatch(/,founder,e-mail-to-confirm,Confirm the e-mail from Peak\.$/)
    expect(csv[3]).toMatch(/,us,,$/)
    const page = (await service.fetch(path)).text
    expect(page).toContain('What only you can do')
    expect(page).toContain('Confirm the e-mail from Peak.')
    for (const word of INTERNAL) expect(json.text + csv.join() + page).not.toContain(word)
  })

  test('a report without such a directory has no such heading', async () => {
    const other = await submitted(service, partner.key, { paymentType: 'starter' })
    await record(other.id, 'peak', ENTERED)
    const { reportUrl } = (await statusOf(service, partner.key, { id: other.id })).body.data
    expect((await service.fetch(new URL(reportUrl).pathname)).text).not.toContain('What only you can do')
  })

  test('the dashboard of the partner says it too', async () => {
    const user = await signedUp(service)
    const { id } = await userNamed(service, user.email)
    await service.admin('PATCH', `/users/${id}`, { partner: partner.id })
    const page = (await user.open(`/dashboard/partner/submissions/${tool.slug}`)).text
    expect(page).toContain('What only you can do')
    expect(page).toContain('Confirm the e-mail from Peak.')
    for (const word of INTERNAL) expect(page).not.toContain(word)
  })

  test('the rows of directory_submissions.completed are those of the specification', async () => {
    const own = await service.newPartner({ webhookUrl: 'https://partner.example.com/hooks' })
    const { id } = await work(undefined, own)
    await record(id, 'peak', { ...ENTERED, reason: 'e-mail-to-confirm' })
    await done(id)
    const [delivery] = await deliveries(service, own.id)
    const { body } = (await service.admin('GET', `/webhooks/${delivery.id}`)).body.data
    expect(Object.keys(JSON.parse(body).submissions[0]).sort()).toEqual(
      'domainRating isSubmitted listingUrl name proofUrl slug submittedAt submittedBy url'.split(' '),
    )
  })
})

describe('the event row.waiting', () => {
  const eventsOf = async (key: string) => (await service.rest('/events', { key })).body.data as any[]

  test('tells partners that ask for it when a directory waits for the founder, once for each reason', async () => {
    const own = await service.newPartner()
    await service.admin('PATCH', `/partners/${own.id}`, { events: ['row.waiting'] })
    const { id } = await work(undefined, own)
    await record(id, 'peak', ENTERED)
    expect(await eventsOf(own.key)).toEqual([])
    await record(id, 'peak', { ...ENTERED, reason: 'e-mail-to-confirm' })
    await record(id, 'peak', { ...ENTERED, reason: 'e-mail-to-confirm', listingUrl: LISTING })
    await record(id, 'peak', { ...ENTERED, reason: 'paid-queue' })
    await record(id, 'peak', { ...ENTERED, reason: 'payment' })
    const events = await eventsOf(own.key)
    expect(events.map(({ event, body }) => [event, body.submission.reason])).toEqual([
      ['row.waiting', 'e-mail-to-confirm'],
      ['row.waiting', 'payment'],
    ])
    expect(events[0].body).toEqual({
      event: 'row.waiting',
      occurredAt: expect.any(String),
      tool: expect.objectContaining({ paymentStatus: 'STARTER' }),
      submission: expect.objectContaining({
        slug: 'peak',
        waitingFor: 'founder',
        reason: 'e-mail-to-confirm',
        action: 'Confirm the e-mail from Peak.',
      }),
    })
  })

  test('is not sent to partners that did not ask for it, and the row of submission.progress has the same fields', async () => {
    const own = await service.newPartner()
    await service.admin('PATCH', `/partners/${own.id}`, { events: ['submission.progress'] })
    const { id } = await work(undefined, own)
    await record(id, 'peak', { ...ENTERED, reason: 'payment' })
    const events = await eventsOf(own.key)
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['submission.progress']))
    expect(events.at(-1)?.body.submission).toMatchObject({ waitingFor: 'founder', reason: 'payment' })
  })
})

describe('the lists of operators', () => {
  let own: { id: string; key: string }
  let open: any
  let asked: any
  const idsOf = async (query: string) =>
    (await service.admin('GET', `/submissions?client=${own.id}&${query}`)).body.data.map(({ id }: any) => id)
  const waiting = async (query: string) =>
    (await service.admin('GET', `/queue/waiting?client=${own.id}&${query}`)).body.data as any[]

  beforeAll(async () => {
    own = await service.newPartner()
    const slugs = Array.from({ length: 30 }, (_, i) => `board-${i}`)
    await service.load(slugs.map((slug) => ({ kind: 'directory', slug, name: `Board ${slug}` })))
    // Everything that the package promises is on record and waits for others.
    asked = await work(undefined, own)
    for (const slug of slugs) await record(asked.id, slug, { ...ENTERED, reason: 'payment' })
    open = await work(undefined, own)
    // The products above make the usual time of this directory 45 days, give or take a second.
    await record(open.id, 'peak', { ...ENTERED, submittedAt: ago(50) })
    await record(open.id, 'alpha-board', ENTERED)
    await record(open.id, 'beta-board', { ...ENTERED, reason: 'rejected' })
  })

  test('the queue filters by who is waited for, and puts what can be done now first', async () => {
    expect(await idsOf('waitingFor=us')).toEqual([open.id])
    expect(await idsOf('waitingFor=founder')).toEqual([asked.id])
    expect(await idsOf('waitingFor=directory')).toEqual([open.id])
    expect(await idsOf('sort=oldest')).toEqual([asked.id, open.id])
    expect(await idsOf('sort=ready')).toEqual([open.id, asked.id])
    expect(await idsOf('state=IN_PROGRESS&waitingFor=us&sort=ready')).toEqual([open.id])
    expect(await idsOf('state=DONE&waitingFor=us')).toEqual([])
    const { body } = await service.admin('GET', `/submissions?client=${own.id}&sort=oldest&withWaitingFor=true`)
    expect(body.data.map(({ waitingFor }: any) => waitingFor)).toEqual(['founder', 'us'])
    const filtered = await service.admin(
      'GET',
      `/submissions?client=${own.id}&waitingFor=directory&withWaitingFor=true`,
    )
    expect(filtered.body.data).toMatchObject([{ id: open.id, waitingFor: 'directory' }])
    await refused(service.admin('GET', '/submissions?waitingFor=nobody'))
    expect((await service.admin('GET', '/submissions?test=true&waitingFor=us&sort=ready')).body.data).toEqual([])
  })

  test('a submission without a package waits for us', async () => {
    const client = await service.newPartner()
    const { id } = await work({}, client)
    for (const query of ['', '&waitingFor=us']) {
      const { body } = await service.admin('GET', `/submissions?client=${client.id}&withWaitingFor=true${query}`)
      expect(body.data, query).toMatchObject([{ id, state: null, waitingFor: 'us' }])
    }
  })

  test('the rows of the submissions on a page are read once, and not at all when nothing follows from them', async () => {
    const statements: string[] = []
    const db = drizzle(async (text) => {
      statements.push(text)
      return { rows: [] }
    })
    await findActors(db, ['a', 'b'], new Date())
    expect(statements.join().match(/percentile_cont/g)).toHaveLength(1)
    for (const query of [{}, { withWaitingFor: true }, { test: true, withWaitingFor: true }]) {
      statements.length = 0
      await perform(listSubmissions, extend(service.context(), { db }), query)
      expect(statements).toHaveLength(1)
    }
  })

  test('the next submission is one in which something can be done now', async () => {
    const assignee = 'waiting@example.com'
    for (const { id } of [asked, open]) await service.admin('PATCH', `/submissions/${id}`, { assignee })
    const next = async () => (await service.admin('GET', `/queue/next?assignee=${assignee}`)).body.data.next
    expect((await next()).id).toBe(open.id)
    await done(open.id)
    expect((await next()).id).not.toBe(open.id)
  })

  test('what waits is listed over all submissions, the oldest first', async () => {
    expect(await waiting('waitingFor=us')).toEqual([
      {
        submissionId: open.id,
        tool: open.tool,
        client: open.client,
        directory: 'peak',
        directoryName: 'Peak',
        isSubmitted: true,
        listingUrl: null,
        submittedAt: expect.any(String),
        waitingFor: 'us',
        reason: 'overdue',
        action: expect.any(String),
        since: expect.any(String),
      },
    ])
    expect(await waiting('waitingFor=founder')).toHaveLength(30)
    expect(await waiting('waitingFor=founder&limit=20&page=2')).toHaveLength(10)
    expect((await waiting('')).map(({ directory }) => directory)).not.toContain('beta-board')
    expect((await waiting('')).at(0).directory).toBe('peak')
    expect((await waiting('reason=rejected')).map(({ directory }) => directory)).toEqual(['beta-board'])
    expect(await waiting('reason=rejected&waitingFor=us')).toEqual([])
    await refused(service.admin('GET', '/queue/waiting?reason=nothing'))
  })

  test('the directories of a submission filter by it', async () => {
    const slugsOf = async (query: string) =>
      (await service.admin('GET', `/submissions/${open.id}/directories?${query}`)).body.data.map(
        ({ slug }: any) => slug,
      )
    expect(await slugsOf('waitingFor=us')).toEqual(['peak'])
    expect(await slugsOf('waitingFor=directory')).toEqual(['alpha-board'])
    expect(await slugsOf('waitingFor=founder')).toEqual([])
  })

  test('the console has the list, the filters and what is overdue on its start page', async () => {
    const admin = await signedUpAdmin(service)
    const list = (await admin.open('/admin/submissions/waiting?waitingFor=us')).text
    expect(list).toContain('See whether Peak has it')
    await service.admin('PATCH', `/submissions/${asked.id}`, { assignee: admin.email })
    const table = (await admin.open('/admin/submissions?view=table&waitingFor=founder')).text
    expect(table).toContain(asked.tool.name)
    expect(table).toMatch(/directories\?waitingFor=founder"[^>]*>Open</)
    expect((await admin.open('/admin')).text).toContain('Listings that are overdue')
  })
})
