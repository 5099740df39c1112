// What visitors report about listings, from the form on the site to the answer of an administrator.
import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, signedUpAdmin } from '../harness/browser.ts'
import { expectSound } from '../harness/html.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { startService } from '../harness/service.ts'
import { use, useService } from '../harness/use.ts'

const LISTINGS = [
  { kind: 'tool', slug: 'acme', name: 'Acme <b>Writer</b>', website: 'https://acme.example' },
  { kind: 'tool', slug: 'other', name: 'Other', website: 'https://other.example' },
  { kind: 'directory', slug: 'list', name: 'The List', website: 'https://list.example' },
]
const mail = use(startMailServer)
const service = use(() => startService({ SMTP_URL: mail.url }))
const withoutMail = useService()
beforeAll(async () => {
  await service.load(LISTINGS)
  await withoutMail.load(LISTINGS)
})

const send = (path: string, fields: Record<string, string>, to = service) =>
  createBrowser(to).submit(`${path}/report`, `${path}/report`, fields)
const reports = async (query = '', of = service) => (await of.admin('GET', `/visitor-reports?${query}`)).body.data

describe('a visitor', () => {
  test('finds the form from the page of a listing, without a script and not in search engines', async () => {
    for (const path of ['/tools/acme', '/directories/list']) {
      expect((await service.fetch(path)).text).toContain(`href="${path}/report" rel="nofollow"`)
      const form = await createBrowser(service).open(`${path}/report`)
      expectSound(form.text)
      expect([form.status, form.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(form.text).toContain('<meta name="robots" content="noindex">')
    }
    expect((await createBrowser(service).open('/tools/nowhere/report')).status).toBe(404)
  })

  test('reports a listing, and a second report about it is counted in the same row', async () => {
    expect(await reports()).toEqual([])
    const reply = await send('/tools/acme', { reason: 'wrong', note: 'It is <i>free</i> since May.' })
    expect(reply.status).toBe(200)
    expect(reply.text).toContain('Thank you')
    await send('/tools/acme', { reason: 'gone' })
    await send('/tools/acme', { reason: 'gone', email: 'Ada@Example.com' })
    await send('/directories/list', { reason: 'broken-form' })
    expect(await reports('kind=tool')).toMatchObject([
      {
        ...{ kind: 'tool', slug: 'acme', name: 'Acme <b>Writer</b>', state: 'open', count: 3 },
        reasons: { wrong: 1, gone: 2, 'broken-form': 0, other: 0 },
        messages: [
          { reason: 'wrong', note: 'It is <i>free</i> since May.', email: null },
          { reason: 'gone', note: '', email: 'ada@example.com' },
        ],
      },
    ])
    expect((await reports()).map(({ slug }: any) => slug)).toEqual(['list', 'acme'])
  })

  test('is told what is wrong with the form, which keeps what was typed', async () => {
    const reply = await send('/tools/other', { reason: 'wrong', note: 'Typed', email: 'not an address' })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('Typed</textarea>')
    expect(reply.text).toContain('value="not an address"')
    expect((await send('/tools/other', { reason: 'worse' })).status).toBe(400)
    expect((await send('/tools/other', { reason: 'wrong', note: 'x'.repeat(501) })).status).toBe(400)
    expect((await reports()).map(({ slug }: any) => slug)).not.toContain('other')
  })

  test('may not send the form from another site', async () => {
    const reply = await createBrowser(service, 'https://evil.example').post(
      '/tools/other/report',
      { reason: 'gone' },
      { 'sec-fetch-site': 'cross-site' },
    )
    expect(reply.status).toBe(403)
  })

  test('is not asked for an address where no mail is sent, and none is kept', async () => {
    expect((await createBrowser(withoutMail).open('/tools/acme/report')).text).not.toContain('name="email"')
    await send('/tools/acme', { reason: 'gone', email: 'ada@example.com' }, withoutMail)
    expect(await reports('', withoutMail)).toMatchObject([{ count: 1, messages: [] }])
  })

  test('who sends many has only one a day and listing counted, and is refused in the end', async () => {
    const strict = await startService({ RATE_LIMIT_SCALE: '1' })
    try {
      await strict.load(LISTINGS)
      const statuses: number[] = []
      for (let times = 0; times < 6; times++)
        statuses.push((await createBrowser(strict).post('/tools/acme/report', { reason: 'gone' })).status)
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
      expect(await reports('', strict)).toMatchObject([{ slug: 'acme', count: 1 }])
    } finally {
      await strict.close()
    }
  })

  test('keeps the row small, however many write', async () => {
    for (let times = 0; times < 25; times++) await send('/tools/other', { reason: 'other', note: `Number ${times}` })
    const [row] = (await reports()).filter(({ slug }: any) => slug === 'other')
    expect([row.count, row.messages.length, row.messages.at(-1).note]).toEqual([25, 20, 'Number 24'])
  })
})

describe('an administrator', () => {
  const open = async (slug: string) => (await reports()).filter((row: any) => row.slug === slug)

  test('answers once: those who left an address get a mail, and their addresses are deleted', async () => {
    const [{ id, version }] = await open('acme')
    const path = `/visitor-reports/${id}/answer`
    const answer = { answer: 'Thank you, it is corrected.' }
    expect((await service.admin('POST', `${path}?ifVersion=${version - 1}`, answer)).status).toBe(409)
    const reply = await service.admin('POST', `${path}?ifVersion=${version}`, answer)
    expect([reply.status, reply.body.data]).toMatchObject([
      200,
      { state: 'answered', ...answer, answeredBy: 'operator', messages: [{ email: null }, { email: null }] },
    ])
    const sent = await mail.mailTo('ada@example.com')
    expect(sent.text).toContain(answer.answer)
    expect(sent.text).toContain(`${service.origin}/tools/acme`)
    expect(await open('acme')).toEqual([])
    expect((await reports('state=answered')).map(({ slug }: any) => slug)).toEqual(['acme'])
    const again = await service.admin('POST', path, answer)
    expect(again.body.data.version).toBe(reply.body.data.version)
    expect((await service.admin('POST', '/visitor-reports/nowhere/answer', answer)).status).toBe(404)
    expect(mail.mails).toHaveLength(1)
  })

  test('sees a report that comes after the answer as a new one', async () => {
    await send('/tools/acme', { reason: 'other' })
    expect(await open('acme')).toMatchObject([{ state: 'open', count: 1, messages: [], answer: '', answeredBy: null }])
  })

  test('sees in the console what waits, with the texts of visitors as texts, and closes it there', async () => {
    await send('/tools/other', { reason: 'wrong', note: '<i>Wrong</i> price' }, withoutMail)
    expect((await withoutMail.admin('GET', '/overview/waiting')).body.data).toMatchObject({ visitorReports: 2 })
    const admin = await signedUpAdmin(withoutMail)
    expect((await admin.open('/admin')).text).toContain('Reports of visitors')
    const page = await admin.open('/admin/visitor-reports')
    expectSound(page.text)
    expect(page.text).toContain('&lt;i&gt;Wrong&lt;/i&gt; price')
    expect(page.text).toContain('1\u00A0says: something is wrong')
    const [{ id }] = await reports('', withoutMail)
    const reply = await admin.submit('/admin/visitor-reports', `/admin/visitor-reports/${id}/answer`)
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/admin/visitor-reports'])
    expect(await reports('', withoutMail)).toHaveLength(1)
  })

  test('no longer sees reports about a listing that is hidden', async () => {
    await service.admin('PATCH', '/tools/other', { published: false })
    expect(await open('other')).toEqual([])
    expect((await service.admin('GET', '/overview/waiting')).body.data).toMatchObject({ visitorReports: 2 })
  })
})
