// The desk of the support inbox: who answers, internal notes, saved replies with placeholders, and the next question.
import { beforeAll, expect, test } from 'vitest'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { expectForAdministrators, HOSTILE_TEXT } from '../harness/console.ts'
import { asked, newSupportPartner } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let admin: Browser & { email: string }
let first: string
let second: string
let key: string
const service = useService()
beforeAll(async () => {
  admin = await signedUpAdmin(service)
  key = (await newSupportPartner(service, 'human')).key
  first = (await asked(service, key, 'Where is my invoice?')).id
  second = (await asked(service, key, 'How do I cancel?')).id
})

test('saved replies are written in the console and put into a reply with the values of the conversation', async () => {
  const page = '/admin/support/saved-replies'
  await admin.submit(page, page, { title: `Hello ${HOSTILE_TEXT.slice(0, 20)}`, body: HOSTILE_TEXT })
  await admin.post(page, { ...(await tokenOf(page)), version: '0', title: 'Refunds', body: 'Hi {customer}: {other}.' })
  await expectForAdministrators(service, admin, [page, `/admin/support/${first}`])
  const saved = (await service.admin('GET', `/support/saved-replies?conversation=${first}`)).body.data
  expect(saved.find(({ title }: any) => title === 'Refunds').body).toBe('Hi there: {other}.')
  // Without JavaScript the answer is the page with the text in the reply.
  const shown = await admin.submit(`/admin/support/${first}`, `/admin/support/${first}/reply`, {
    content: 'Begun.',
    saved: 'Refunds',
  })
  expect(shown.text).toContain('Begun.\n\nHi there: {other}.</textarea>')
})

test('a conversation is assigned and noted, guarded by its version, and its partner does not see it', async () => {
  const path = `/admin/support/${first}/desk`
  await admin.submit(`/admin/support/${first}`, path, { assignee: 'me', internalNotes: 'Zqnote' })
  const desk = `/support/conversations/${first}/desk`
  expect((await service.admin('GET', desk)).body.data).toEqual({
    assignee: admin.email,
    internalNotes: 'Zqnote',
    version: 1,
  })
  expect((await service.admin('PATCH', `${desk}?ifVersion=0`, { internalNotes: 'x' })).status).toBe(409)
  expect((await service.rest(`/support/conversations/${first}`, { key })).text).not.toContain('Zqnote')
})

test('the next question comes after an answer, but not one of another administrator', async () => {
  await service.admin('PATCH', `/support/conversations/${second}/desk`, { assignee: 'other@example.com' })
  const third = (await asked(service, key, 'Is there a student price?')).id
  const path = `/admin/support/${first}`
  const reply = await admin.submit(path, `${path}/reply`, { content: 'In your mailbox.', after: 'next' })
  expect([reply.status, reply.headers.get('location')]).toEqual([303, `/admin/support/${third}`])
})

test('of two administrators who write at once, the second is refused and keeps what was typed', async () => {
  const id = (await asked(service, key, 'Is there a phone number?')).id
  const desk = `/support/conversations/${id}/desk?ifVersion=0`
  const both = await Promise.all(['One', 'Two'].map((internalNotes) => service.admin('PATCH', desk, { internalNotes })))
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  const shown = await admin.submit(`/admin/support/${id}`, `/admin/support/${id}/desk`, {
    version: '0',
    internalNotes: 'Zqtyped',
  })
  expect(shown.status).toBe(409)
  expect(shown.text).toContain('Zqtyped</textarea>')
  const saved = '/support/saved-replies/at-once?ifVersion=0'
  const replies = await Promise.all(['One', 'Two'].map((body) => service.admin('PUT', saved, { body })))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
  // A form with the text of a deleted reply does not pass when there is a new one of the same title.
  await service.admin('DELETE', '/support/saved-replies/at-once')
  expect((await service.admin('PUT', saved, { body: 'Three' })).body.data.version).toBe(2)
  const page = '/admin/support/saved-replies'
  const fields = { ...(await tokenOf(page)), version: '1', title: 'at-once', body: 'Zqlate' }
  const refused = await admin.post(page, fields)
  expect(refused.status).toBe(409)
  expect(refused.text).toContain('Zqlate</textarea>')
})

const tokenOf = async (page: string) => ({
  token: /name="token" value="([^"]+)"/.exec((await admin.open(page)).text)![1]!,
})
