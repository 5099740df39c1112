// The queue as a table: many submissions are changed at once, sorted by any column and kept as views; Done says what is missing.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { expectForAdministrators, expectRefused } from '../harness/console.ts'
import { expectSound } from '../harness/html.ts'
import { queue, SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let admin: Browser & { email: string }
let partner: { id: string; key: string }
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  admin = await signedUpAdmin(service)
  partner = await service.newPartner({ name: 'Queue' })
})

async function newWork(name: string, more: Record<string, unknown> = {}): Promise<any> {
  const tool = await submitted(service, partner.key, { name, paymentType: 'starter', ...more })
  return (await queue(service, { client: partner.id })).find(({ toolId }) => toolId === tool.id)
}
const itemOf = async (id: string): Promise<any> => (await service.admin('GET', `/submissions/${id}`)).body.data
const TABLE = '/admin/submissions?view=table'

describe('changing many submissions', () => {
  test('answers for each: those that cannot be changed stay as they are, and each change is in the audit log', async () => {
    const [one, two, done] = [await newWork('One'), await newWork('Two'), await newWork('Over')]
    await service.admin('POST', `/submissions/${done.id}/done`, {})
    const body = {
      submissions: [
        { id: one.id, version: one.version },
        { id: two.id, version: 99 },
        { id: done.id },
        { id: 'no-such' },
      ],
      state: 'ASSIGNED',
      assignee: 'op@example.com',
    }
    let reply: any
    const rows = await audited(service, async () => (reply = await service.admin('POST', '/submissions/bulk', body)))
    expect(reply.body.data).toMatchObject([
      { id: one.id, error: null, version: one.version + 1 },
      { id: two.id, error: expect.stringContaining('99 never existed') },
      { id: done.id, error: 'The work is Done, and Done is final.' },
      { id: 'no-such', error: expect.stringContaining('not found') },
    ])
    expect(rows).toMatchObject([{ action: 'submission.change', subject: `submission:${one.id}` }])
    expect(await itemOf(one.id)).toMatchObject({ state: 'ASSIGNED', assignee: 'op@example.com' })
    expect((await itemOf(two.id)).state).toBe('IN_QUEUE')
  })

  test.each([
    [{ submissions: [], state: 'REVIEW' }],
    [{ submissions: [{ id: 'x' }] }],
    [{ submissions: [{ id: 'x' }], state: 'DONE' }],
    [{ submissions: Array(201).fill({ id: 'x' }), state: 'REVIEW' }],
  ])('refuses a body that makes no sense', async (body) => {
    expect((await service.admin('POST', '/submissions/bulk', body)).status).toBe(400)
  })

  test('works in the table without JavaScript, and says how many were changed', async () => {
    const [one, two] = [await newWork('Bulk one'), await newWork('Bulk two', { paymentType: undefined })]
    await expectRefused(admin, '/admin/submissions/bulk', { [`pick-${one.id}`]: '1', state: 'REVIEW' })
    const reply = await admin.submit(TABLE, '/admin/submissions/bulk', {
      [`pick-${one.id}`]: String(one.version),
      [`pick-${two.id}`]: String(two.version),
      assignee: 'me',
      paymentType: 'pro',
    })
    expect(reply.headers.get('location')).toBe(TABLE)
    expect((await admin.open(TABLE)).text).toContain('2 of 2 changed.')
    expect(await itemOf(two.id)).toMatchObject({ state: 'IN_QUEUE', paymentType: 'pro', assignee: admin.email })
    await admin.submit(TABLE, '/admin/submissions/bulk', { [`pick-${one.id}`]: '1', state: 'REVIEW' })
    expect((await admin.open(TABLE)).text).toContain('0 of 1 changed. Bulk one: The submission was changed')
    await admin.submit(TABLE, '/admin/submissions/bulk', { state: 'REVIEW' })
    expect((await admin.open(TABLE)).text).toContain('Choose at least one submission.')
  })
})

test('the menu says how much waits', async () => {
  await newWork('Counted')
  const { queue: waiting } = (await service.admin('GET', '/overview/waiting')).body.data
  expect(waiting).toBe((await service.admin('GET', '/submissions?state=IN_QUEUE')).body.data.length)
  // The counts are kept for a few seconds.
  await expect
    .poll(async () => (await admin.open('/admin/audit')).text, { timeout: 10_000, interval: 500 })
    .toContain(`Submissions <span class="badge">${waiting}<span class="visually-hidden"> waiting</span></span>`)
})

test('the queue is sorted by every column, in both directions', async () => {
  await newWork('Sorted b')
  const a = await newWork('Sorted a')
  await service.admin('PUT', `/submissions/${a.id}/directories/peak`, { isSubmitted: true })
  const names = async (sort: string) =>
    (await service.admin('GET', `/submissions?q=sorted&sort=${sort}`)).body.data.map(({ tool }: any) => tool.name)
  expect(await names('tool')).toEqual(['Sorted a', 'Sorted b'])
  expect(await names('-tool')).toEqual(['Sorted b', 'Sorted a'])
  expect(await names('-entered')).toEqual(['Sorted a', 'Sorted b'])
  expect(await names('state')).toEqual(['Sorted b', 'Sorted a'])
  for (const column of ['tool', 'state', 'entered', 'assignee', 'partner', 'package'])
    for (const sort of [column, `-${column}`]) {
      const page = await admin.open(`${TABLE}&sort=${sort}`)
      expect([sort, page.status]).toEqual([sort, 200])
    }
  await expectSound((await admin.open(`${TABLE}&sort=tool`)).text)
})

test('the table has a view of each state with its number, and each row its next step', async () => {
  const own = await service.newPartner({ name: 'Steps' })
  const named = async (name: string, paymentType?: string) => {
    const tool = await submitted(service, own.key, { name, paymentType })
    return (await queue(service, { client: own.id })).find(({ toolId }) => toolId === tool.id)!.id
  }
  const [, queued, review] = [
    await named('No package'),
    await named('Queued', 'pro'),
    await named('Looked over', 'pro'),
  ]
  await service.admin('PATCH', `/submissions/${review}`, { assignee: 'jon@example.com', state: 'REVIEW' })
  const { text } = await admin.open(`${TABLE}&client=${own.id}`)
  await expectSound(text)
  const { submissions } = (await service.admin('GET', '/overview')).body.data
  for (const [state, count] of Object.entries(submissions))
    expect([state, text.includes(`view=table&amp;state=${state}">`)]).toEqual([state, count !== 0])
  expect(text).toContain(`In review <span class="count">${submissions.REVIEW}</span>`)
  expect(text).toMatch(new RegExp(`action="/admin/submissions/${queued}/change".*?>Assign<`, 's'))
  expect(text).toContain(`href="/admin/submissions/${review}/done">Review<`)
  expect(text.match(/<span class="wait us">Us</g)).toHaveLength(3)
  expect(text).toContain('>Package<')
  for (const words of [
    '<bdi>jon</bdi>',
    '<bdi>No one</bdi>',
    '<span class="badge accent">Pro</span>',
    'this minute</time>',
  ])
    expect(text).toContain(words)
})

test('views are saved for one administrator, listed, and deleted', async () => {
  const other = await signedUpAdmin(service)
  const page = `${TABLE}&assignee=me`
  const query = 'view=table&assignee=me'
  const reply = await admin.submit(page, '/admin/submissions/views', { name: 'Mine <b>' })
  expect(reply.headers.get('location')).toBe(`/admin/submissions?${query}`)
  const shown = (await admin.open('/admin/submissions')).text
  await expectSound(shown)
  expect(shown).toContain('href="/admin/submissions?view=table&amp;assignee=me"><bdi>Mine &lt;b&gt;</bdi>')
  expect((await other.open('/admin/submissions')).text).not.toContain('Mine &lt;b&gt;')
  for (const wrong of ['"><script>', 'a b', 'x'.repeat(1001)])
    expect((await service.admin('PUT', '/queue/views/x', { query: wrong })).status).toBe(400)
  await admin.post('/admin/submissions/views', {
    ...{ token: /name="token" value="([^"]+)"/.exec(shown)![1]!, name: 'Mine <b>', delete: 'true' },
  })
  expect((await admin.open('/admin/submissions')).text).not.toContain('Mine &lt;b&gt;')
})

test('a card is moved on the board without JavaScript', async () => {
  const work = await newWork('Card')
  const board = (await admin.open('/admin/submissions?view=board&q=Card')).text
  await expectSound(board)
  expect(board).toContain(`data-card="${work.id}"`)
  expect(board).toContain('data-column="REVIEW"')
  const token = /name="token" value="([^"]+)"/.exec(board)![1]!
  const fields = {
    token,
    version: String(work.version),
    back: '/admin/submissions',
    state: 'REVIEW',
    'was-state': 'IN_QUEUE',
  }
  const reply = await admin.post(`/admin/submissions/${work.id}/change`, fields)
  expect(reply.headers.get('location')).toBe('/admin/submissions')
  expect((await itemOf(work.id)).state).toBe('REVIEW')
})

test('Done says what is missing, takes the notes, and leads to the next in the queue', async () => {
  const other = await service.newPartner({ name: 'Next' })
  const tool = await submitted(service, other.key, { name: 'Nearly', paymentType: 'starter' })
  const [work] = (await queue(service, { client: other.id })) as [any]
  await service.admin('PATCH', `/submissions/${work.id}`, { assignee: admin.email, state: 'ASSIGNED' })
  await service.admin('PUT', `/submissions/${work.id}/directories/peak`, { isSubmitted: true })
  const path = `/admin/submissions/${work.id}`
  const page = (await admin.open(`${path}/done`)).text
  await expectSound(page)
  for (const text of ['In the plan and not submitted: 3', 'without the address of a listing: 1', 'without proof: 1'])
    expect(page).toContain(text)
  expect(page).toContain(`href="${path}?directory=alpha-board"`)
  await admin.submit(`${path}/done`, `${path}/done`, { notes: 'All\r\nthere.' })
  expect(await itemOf(work.id)).toMatchObject({ state: 'DONE', notes: 'All\nthere.' })
  const mine = await newWork('Mine next')
  await service.admin('PATCH', `/submissions/${mine.id}`, { assignee: admin.email, state: 'IN_PROGRESS' })
  const next = await admin.submit(path, `${path}/next`)
  expect(next.headers.get('location')).toBe(`/admin/submissions/${mine.id}`)
  expect(tool.submissionState).toBe('IN_QUEUE')
})

test('up to ten open submissions are shown as a board, more as a table, and the address may ask for either', async () => {
  const few = await service.newPartner({ name: 'Few' })
  const open = async (more = '') => (await admin.open(`/admin/submissions?client=${few.id}${more}`)).text
  const isBoard = (page: string) => page.includes('data-column="REVIEW"')
  for (let count = 0; count < 10; count++) await submitted(service, few.key, { paymentType: 'starter' })
  expect([isBoard(await open()), isBoard(await open('&view=table'))]).toEqual([true, false])
  await submitted(service, few.key, { paymentType: 'starter' })
  expect([isBoard(await open()), isBoard(await open('&view=board'))]).toEqual([false, true])
})

test('what waits is grouped by product, with how many wait for whom', async () => {
  const [one, other] = [await newWork('Waiting one'), await newWork('Waiting other')]
  for (const { id } of [one, other])
    for (const directory of ['peak', 'alpha-board'])
      await service.admin('PUT', `/submissions/${id}/directories/${directory}`, { isSubmitted: false })
  const { text } = await admin.open(`/admin/submissions/waiting?client=${partner.id}`)
  await expectSound(text)
  const groups = text.split('<tr class="group">').slice(1)
  expect(groups.filter((group) => group.includes('Waiting one'))).toHaveLength(1)
  const group = groups.find((group) => group.includes('Waiting one')) ?? ''
  expect(group).toContain('2 for us')
  expect(group).toContain(`/admin/submissions/${one.id}?directory=peak&amp;show=all`)
})

test('an administrator finds pages, commands, submissions, listings, partners and users by a part of their name', async () => {
  const work = await newWork('Findable <b>')
  const found = async (q: string) => (await admin.open(`/admin/find?q=${encodeURIComponent(q)}`)).text
  const page = await found('findable')
  await expectSound(page)
  expect(page).toContain(`<a href="/admin/submissions/${work.id}"><bdi>Findable &lt;b&gt;</bdi></a>`)
  expect(page).toContain(`<a href="/admin/tools/${work.tool.slug}"><bdi>Findable &lt;b&gt;</bdi></a>`)
  expect(await found('web')).toContain('<a href="/admin/webhooks"><bdi>Webhooks</bdi></a>')
  expect(await found('queu')).toContain(`<a href="/admin/partners/${partner.id}"><bdi>Queue</bdi></a>`)
  expect(await found(admin.email.slice(0, 12))).toContain(`<bdi>${admin.email}</bdi>`)
  expect(await found('x'.repeat(3000))).toContain('Nothing has that name')
  expect(await found('key')).toContain('<a href="/admin/users#new"><bdi>Issue a key</bdi></a>')
  const commands = (await admin.open('/admin/find')).text.matchAll(/<li class="named"><a href="([^"#]+)/g)
  const addresses = [...new Set([...commands].map(([, address]) => address!.replaceAll('&amp;', '&')))]
  expect(addresses.length).toBeGreaterThan(10)
  for (const address of addresses) expect([address, (await admin.open(address)).status]).toEqual([address, 200])
  await expectForAdministrators(service, admin, ['/admin/find', '/admin/find?q=queue'])
})
