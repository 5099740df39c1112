// The console: the queue, and the work on a submission without JavaScript.
// @module-tag slow
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { type Browser, formIn, signedUpAdmin } from '../harness/browser.ts'
import { expectForAdministrators, expectRefused, HOSTILE_TEXT } from '../harness/console.ts'
import { expectSound } from '../harness/html.ts'
import { queue, SUBMISSION_CATALOG, submitted } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let admin: Browser & { email: string }
let partner: { id: string; key: string }
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  await service.load([
    {
      kind: 'directory',
      slug: 'formed',
      name: 'Formed',
      website: 'https://formed.example.org',
      submissionLink: 'https://formed.example.org/submit',
      domainRating: 80,
      cost: 'Paid',
      minimumPrice: 49,
    },
    // The service would refuse this address, but a stored one must never become a link of another kind.
    { kind: 'directory', slug: 'hostile', name: HOSTILE_TEXT, website: 'https://hostile.example.org', domainRating: 1 },
  ])
  await service.sql(`update directories set submission_link = 'javascript:alert(1)' where slug = 'hostile'`)
  admin = await signedUpAdmin(service)
  partner = await service.newPartner({ name: `Partner ${HOSTILE_TEXT}` })
})

async function newWork(more: Record<string, unknown> = {}): Promise<any> {
  const tool = await submitted(service, partner.key, { paymentType: 'starter', ...more })
  return (await queue(service, { client: partner.id })).find(({ toolId }) => toolId === tool.id)
}

const workOf = async (id: string): Promise<any> => (await service.admin('GET', `/submissions/${id}`)).body.data
const rowOf = async (id: string, slug: string): Promise<any> =>
  (await workOf(id)).submissions.find((row: { slug: string }) => row.slug === slug)
const record = (id: string, slug: string) => `/admin/submissions/${id}/directories/${slug}`

describe('the pages of submissions', () => {
  test('are shown only to administrators, without errors, and escape what others wrote', async () => {
    const work = await newWork({ name: 'Zq <b>bold</b>', tagline: HOSTILE_TEXT, description: HOSTILE_TEXT })
    await service.admin('PATCH', `/submissions/${work.id}`, { notes: HOSTILE_TEXT, assignee: HOSTILE_TEXT })
    const waiting = await newWork({ paymentType: undefined })
    await expectForAdministrators(service, admin, [
      '/admin/submissions',
      '/admin/submissions?view=table',
      `/admin/submissions/${work.id}`,
      `/admin/submissions/${work.id}/directories`,
      `/admin/submissions/${work.id}/done`,
      `/admin/submissions/${waiting.id}`,
    ])
    const page = (await admin.open(`/admin/submissions/${work.id}`)).text
    expect(page).not.toContain('href="javascript:')
    expect(page).toContain('Zq &lt;b&gt;bold&lt;/b&gt;')
  })

  test('name the currency of the site with each price', async () => {
    const { id } = await newWork()
    await service.admin('PATCH', `/submissions/${id}`, { plan: { budget: 50 } })
    for (const page of [`/admin/submissions/${id}/directories`, `/admin/submissions/${id}?directory=formed&show=all`])
      expect((await admin.open(page)).text).toContain('Paid, from $49')
    expect((await admin.open(`/admin/submissions/${id}/plan`)).text).toContain('up to $50')
  })

  test('answer 404 in a page for an unknown submission', async () => {
    expect((await admin.open('/admin/submissions/no-such')).status).toBe(404)
  })

  test('filter the queue by state, partner, assignee and name', async () => {
    const mine = await newWork({ name: 'Findable Zqmine' })
    const other = await newWork({ name: 'Findable Zqother' })
    await service.admin('PATCH', `/submissions/${mine.id}`, { state: 'REVIEW', assignee: admin.email })
    const names = async (query: string) => {
      const page = (await admin.open(`/admin/submissions?${query}`)).text
      return ['Zqmine', 'Zqother'].filter((name) => page.includes(name))
    }
    for (const view of ['', 'view=table&']) {
      expect(await names(`${view}q=findable`)).toEqual(['Zqmine', 'Zqother'])
      expect(await names(`${view}q=zqother`)).toEqual(['Zqother'])
      expect(await names(`${view}q=findable&assignee=me`)).toEqual(['Zqmine'])
      expect(await names(`${view}q=findable&client=${partner.id}`)).toEqual(['Zqmine', 'Zqother'])
      expect(await names(`${view}q=findable&client=x`)).toEqual([])
      expect(await names(`${view}q=%25`)).toEqual([])
    }
    expect(await names('view=table&q=findable&state=REVIEW')).toEqual(['Zqmine'])
    expect(other.state).toBe('IN_QUEUE')
  })
})

describe('the form of a submission', () => {
  test('assigns it with one click, from the board and from its page, and the audit log names the administrator', async () => {
    const work = await newWork()
    const action = `/admin/submissions/${work.id}/change`
    const rows = await audited(service, async () => {
      const reply = await admin.submit('/admin/submissions', action)
      expect([reply.status, reply.headers.get('location')]).toEqual([303, '/admin/submissions'])
    })
    expect(rows).toMatchObject([{ actor: admin.email, action: 'submission.change' }])
    expect(await workOf(work.id)).toMatchObject({ state: 'ASSIGNED', assignee: admin.email })
  })

  test('tells the second of two administrators who assign it at the same time', async () => {
    const work = await newWork()
    const action = `/admin/submissions/${work.id}/change`
    const page = await admin.open('/admin/submissions')
    await service.admin('PATCH', `/submissions/${work.id}`, { state: 'ASSIGNED', assignee: 'other@example.com' })
    const reply = await admin.post(action, formIn(page.text, action)!)
    expect(reply.status).toBe(303)
    expect((await admin.open(reply.headers.get('location')!)).text).toContain(
      'The submission was changed by operator at',
    )
    expect((await workOf(work.id)).assignee).toBe('other@example.com')
  })

  test('saves only the fields that were changed in it', async () => {
    const work = await newWork()
    const path = `/admin/submissions/${work.id}`
    const form = changeFormIn((await admin.open(path)).text)
    // Another administrator changes the state meanwhile. This form changes the notes.
    await service.admin('PATCH', `/submissions/${work.id}`, { state: 'IN_PROGRESS' })
    const fields = { ...form, state: 'IN_QUEUE', paymentType: 'starter', assignee: '', notes: 'first\r\nsecond' }
    expect((await admin.post(`${path}/change`, fields)).status).toBe(303)
    expect(await workOf(work.id)).toMatchObject({ state: 'IN_PROGRESS', notes: 'first\nsecond' })
  })

  test('keeps the notes of another administrator, and what was typed', async () => {
    const work = await newWork()
    const path = `/admin/submissions/${work.id}`
    const form = changeFormIn((await admin.open(path)).text)
    await service.admin('PATCH', `/submissions/${work.id}`, { notes: 'written\r\nby the other' })
    const reply = await admin.post(`${path}/change`, { ...form, notes: 'mine & typed' })
    expect(reply.status).toBe(409)
    await expectSound(reply.text)
    expect(reply.text).toContain('mine &amp; typed</textarea>')
    expect(reply.text).toContain('by the other')
    expect((await workOf(work.id)).notes).toBe('written\r\nby the other')
    // The administrator has now read the other notes and may decide.
    await admin.post(`${path}/change`, { ...changeFormIn(reply.text), notes: 'both' })
    expect((await workOf(work.id)).notes).toBe('both')
  })

  test('keeps internal notes apart from those that the partner reads, and guards both alike', async () => {
    const work = await newWork()
    const path = `/admin/submissions/${work.id}`
    const form = changeFormIn((await admin.open(path)).text)
    expect((await admin.post(`${path}/change`, { ...form, internalNotes: 'only us' })).status).toBe(303)
    expect(await workOf(work.id)).toMatchObject({ notes: '', internalNotes: 'only us' })
    const reply = await admin.post(`${path}/change`, { ...form, internalNotes: 'mine' })
    expect(reply.status).toBe(409)
    await expectSound(reply.text)
    expect(reply.text).toContain('mine</textarea>')
    expect((await workOf(work.id)).internalNotes).toBe('only us')
    expect((await admin.open(path)).text).toContain('not shown to the partner')
  })

  test('puts a waiting submission into the queue when it gets a package', async () => {
    const work = await newWork({ paymentType: undefined })
    const path = `/admin/submissions/${work.id}`
    const form = changeFormIn((await admin.open(path)).text)
    await admin.post(`${path}/change`, { ...form, paymentType: 'pro', assignee: '', notes: '' })
    expect(await workOf(work.id)).toMatchObject({ state: 'IN_QUEUE', paymentType: 'pro' })
  })

  test('does not lead to another site or page afterwards', async () => {
    const work = await newWork()
    const action = `/admin/submissions/${work.id}/change`
    for (const back of ['https://evil.example', '//evil.example', '/admin/submissions/../../x', '/sign-out']) {
      const reply = await admin.submit(`/admin/submissions/${work.id}`, action, { back, assignee: `a${back.length}` })
      expect(reply.headers.get('location')).toBe(`/admin/submissions/${work.id}`)
    }
  })
})

describe('the directories of a submission', () => {
  test('are listed with those not yet recorded first, by rating, each with a link to its form in a new tab', async () => {
    const work = await newWork()
    await service.admin('PUT', `/submissions/${work.id}/directories/peak`, { isSubmitted: true })
    const page = (await admin.open(`/admin/submissions/${work.id}/directories`)).text
    const order = [...page.matchAll(/<li id="directory-([\w-]+)"/g)].map(([, slug]) => slug)
    expect(order).toEqual(['formed', 'alpha-board', 'beta-board', 'hostile', 'unrated', 'peak'])
    expect(page).toContain(
      '<a href="https://formed.example.org/submit" target="_blank" rel="nofollow noopener noreferrer">',
    )
    const paid = (await admin.open(`/admin/submissions/${work.id}/directories?cost=Paid&rating=50`)).text
    expect([...paid.matchAll(/<li id="directory-([\w-]+)"/g)].map(([, slug]) => slug)).toEqual(['formed'])
  })

  test('are recorded without JavaScript, and the page goes on to the next one with the same filter', async () => {
    const work = await newWork()
    const page = `/admin/submissions/${work.id}/directories?sort=name`
    const reply = await admin.submit(page, `${record(work.id, 'alpha-board')}?sort=name`, {
      isSubmitted: 'true',
      listingUrl: 'https://alpha-board.example.org/x',
    })
    expect(reply.status).toBe(303)
    expect(reply.headers.get('location')).toMatch(
      new RegExp(`^/admin/submissions/${work.id}/directories\\?sort=name#directory-beta-board$`),
    )
    expect(await rowOf(work.id, 'alpha-board')).toMatchObject({
      isSubmitted: true,
      listingUrl: 'https://alpha-board.example.org/x',
      submittedBy: 'ADMIN',
    })
    expect((await admin.open(page)).text).toContain('1 of 30')
  })

  test('are recorded by JavaScript with an answer of only the row and the progress', async () => {
    const work = await newWork()
    const path = `/admin/submissions/${work.id}/directories`
    const form = formIn((await admin.open(path)).text, record(work.id, 'peak'))!
    const reply = await admin.post(
      record(work.id, 'peak'),
      { ...form, isSubmitted: 'true', listingUrl: 'https://peak.example.org/x' },
      { 'hx-request': 'true' },
    )
    expect(reply.status).toBe(200)
    expect(reply.text).not.toContain('<html')
    expect(reply.text).toContain('id="work-progress"')
    expect(reply.text).toContain('1 of 30')
    expect(reply.text).toContain('Submitted')
    // The form in that answer works.
    const again = { ...formIn(reply.text, record(work.id, 'peak'))!, isSubmitted: 'false', listingUrl: '' }
    await admin.post(record(work.id, 'peak'), again, { 'hx-request': 'true' })
    expect(await rowOf(work.id, 'peak')).toMatchObject({ isSubmitted: false, listingUrl: null })
  })

  test('show an error at the row, with what was typed', async () => {
    const work = await newWork()
    const reply = await admin.submit(`/admin/submissions/${work.id}/directories`, record(work.id, 'peak'), {
      isSubmitted: 'true',
      listingUrl: 'not an address "',
      proofUrl: 'https://example.com/proof.png',
    })
    expect(reply.status).toBe(400)
    await expectSound(reply.text)
    expect(reply.text).toContain('value="not an address &quot;"')
    expect(reply.text).toContain('value="https://example.com/proof.png"')
    expect(reply.text).toContain('The address of the listing must')
    expect(await rowOf(work.id, 'peak')).toBeUndefined()
  })

  test('show an error at the field that is wrong', async () => {
    const work = await newWork()
    const reply = await admin.submit(`/admin/submissions/${work.id}/directories`, record(work.id, 'peak'), {
      isSubmitted: 'true',
      listingUrl: 'https://peak.example.org/x',
      proofUrl: 'ftp://example.com/proof.png',
    })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain(
      '<p class="error" id="address-peak-error">The address of the proof picture must be a complete http or https address.',
    )
    expect(reply.text).not.toContain('id="listing-peak-error"')
  })

  test('keep the time at which a row was entered when it is saved, and lose it when it was not submitted', async () => {
    const work = await newWork()
    const [page, action] = [`/admin/submissions/${work.id}/directories`, record(work.id, 'peak')]
    const submittedAt = '2026-01-02T03:04:05.000Z'
    await service.admin('PUT', `/submissions/${work.id}/directories/peak`, { isSubmitted: true, submittedAt })
    await admin.submit(page, action, { isSubmitted: 'true', listingUrl: 'https://peak.example.org/1' })
    expect(await rowOf(work.id, 'peak')).toMatchObject({ listingUrl: 'https://peak.example.org/1', submittedAt })
    await admin.submit(page, action, { isSubmitted: 'false' })
    expect(await rowOf(work.id, 'peak')).toMatchObject({ isSubmitted: false, submittedAt: null })
  })

  test('show the second of two administrators what the first recorded', async () => {
    const work = await newWork()
    const form = formIn((await admin.open(`/admin/submissions/${work.id}/directories`)).text, record(work.id, 'peak'))!
    await service.admin('PUT', `/submissions/${work.id}/directories/peak`, {
      isSubmitted: true,
      listingUrl: 'https://peak.example.org/first',
    })
    const reply = await admin.post(record(work.id, 'peak'), { ...form, isSubmitted: 'true', listingUrl: '' })
    expect(reply.status).toBe(409)
    expect(reply.text).toContain('There is a record of peak already, last changed by operator at')
    expect(reply.text).toContain('https://peak.example.org/first')
    expect((await rowOf(work.id, 'peak')).listingUrl).toBe('https://peak.example.org/first')
  })

  test('keep a proof picture and name it in the row, and refuse a file that is no picture', async () => {
    const work = await newWork()
    const path = record(work.id, 'peak')
    const page = await admin.open(`/admin/submissions/${work.id}/directories`)
    const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#0b5f4c' } })
      .png()
      .toBuffer()
    const wrong = await upload(path, formIn(page.text, path)!, Buffer.from('no picture'))
    expect([wrong.status, await rowOf(work.id, 'peak')]).toEqual([400, undefined])
    expect(await wrong.text()).toContain('The picture ')
    const right = await upload(path, formIn(page.text, path)!, picture)
    expect(right.status).toBe(303)
    const { proofUrl } = await rowOf(work.id, 'peak')
    expect(proofUrl).toMatch(new RegExp(`^${service.origin}/media/`))
    expect((await fetch(proofUrl)).headers.get('content-type')).toBe('image/webp')
  })

  test('do not change by an upload that has no token of the session or is too large', async () => {
    const work = await newWork()
    const path = record(work.id, 'peak')
    const form = formIn((await admin.open(`/admin/submissions/${work.id}/directories`)).text, path)!
    expect((await upload(path, { ...form, token: 'x' }, Buffer.from('x'))).status).toBe(403)
    expect((await upload(path, form, Buffer.alloc(11 * 1024 * 1024))).status).toBe(413)
    expect(await rowOf(work.id, 'peak')).toBeUndefined()
  })

  const upload = (path: string, fields: Record<string, string>, bytes: Buffer) => {
    const body = new FormData()
    for (const [name, value] of Object.entries({ ...fields, isSubmitted: 'true', listingUrl: '' }))
      body.set(name, value)
    body.set('proof', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'proof.png')
    return fetch(service.origin + path, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: admin.cookieHeader(),
        origin: service.origin,
        'sec-fetch-site': 'same-origin',
      },
    })
  }
})

test('the plan names directories, not slugs, folds what is left out, and says how many for which reason', async () => {
  const [item] = (await service.admin('GET', '/submissions?limit=1')).body.data
  const { chosen, left } = (await service.admin('GET', `/submissions/${item.id}/plan`)).body.data
  const { text } = await admin.open(`/admin/submissions/${item.id}/plan`)
  await expectSound(text)
  for (const { slug, name } of [...chosen, ...left]) {
    expect(text).not.toContain(`>${slug}</a>`)
    if (/^[\w ]+$/.test(name)) expect(text).toContain(`<bdi>${name}</bdi></a>`)
  }
  // A code that has the form of a language, but is none that the platform can name.
  await service.admin('PATCH', `/submissions/${item.id}`, { language: 'zh-yue' })
  expect((await admin.open(`/admin/submissions/${item.id}/plan`)).text).toContain('zh-yue')
  await service.admin('PATCH', `/submissions/${item.id}`, { language: item.language })
  expect(text).toContain(`Left out: ${left.length}`)
  expect(text).toContain('<details><summary>Each of them, with its reason</summary>')
  const { slug, name } = left.find((one: any) => /^[\w ]+$/.test(one.name))
  const reply = await admin.submit(`/admin/submissions/${item.id}/plan`, `/admin/submissions/${item.id}/plan/${slug}`, {
    decision: 'skipped',
  })
  expect((await admin.open(reply.headers.get('location')!)).text).toContain(`${name} is skipped.`)
})

describe('the page that marks a submission as Done', () => {
  test('says what will be sent to which partner, and then does it once', async () => {
    const partnerWithWebhook = await service.newPartner({ name: 'Told', webhookUrl: 'https://told.example.com/hook' })
    const tool = await submitted(service, partnerWithWebhook.key, { paymentType: 'starter' })
    const [work] = await queue(service, { client: partnerWithWebhook.id })
    await service.admin('PUT', `/submissions/${work.id}/directories/peak`, { isSubmitted: true })
    const path = `/admin/submissions/${work.id}/done`
    const page = await admin.open(path)
    await expectSound(page.text)
    expect(page.text).toContain('https://told.example.com/hook')
    expect(page.text).toContain('1 submitted directory')
    expect(page.text).toContain('promises 30 directories, and 1')
    for (let i = 0; i < 2; i++) expect((await admin.post(path, formIn(page.text, path)!)).status).toBe(303)
    expect((await workOf(work.id)).state).toBe('DONE')
    expect((await service.admin('GET', `/webhooks?client=${partnerWithWebhook.id}`)).body.data).toHaveLength(1)
    expect(tool.submissionState).toBe('IN_QUEUE')
    await expectSound((await admin.open(`/admin/submissions/${work.id}`)).text)
  })
})

test('forms of submissions without the token of the session are refused and change nothing', async () => {
  const work = await newWork()
  const before = await workOf(work.id)
  await expectRefused(admin, `/admin/submissions/${work.id}/change`, { notes: 'x', assignee: 'x' })
  await expectRefused(admin, `/admin/submissions/${work.id}/done`, {})
  await expectRefused(admin, record(work.id, 'peak'), { isSubmitted: 'true' })
  expect(await workOf(work.id)).toEqual(before)
})

/** Returns the hidden fields of the form with the notes; a form with one button has the same action. */
function changeFormIn(html: string): Record<string, string> {
  const [form] = html.match(/<form class="form"[^>]*\/change".*?<\/form>/s) ?? ['']
  return formIn(form, /action="([^"]*)"/.exec(form)![1]!)!
}
