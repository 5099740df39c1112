// A refused form of the console says what is wrong above the form and marks the field that it concerns.
// @module-tag slow
import { beforeAll, expect, test } from 'vitest'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { fill } from '../harness/console-forms.ts'
import { expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

let admin: Browser
let partner: string
const service = useService()
beforeAll(async () => {
  admin = await signedUpAdmin(service)
  partner = `/admin/partners/${(await service.newPartner()).id}`
  await service.admin('PUT', '/tags/taken', { name: 'Taken' })
})

const markedFields = (html: string) =>
  [...html.matchAll(/<(?:input|textarea|select)[^>]*\bname="(\w+)"[^>]*aria-invalid="true"/g)].map(([, name]) => name)

test.each<[string, () => string, Record<string, string>, string[]]>([
  ['a new partner', () => '/admin/partners', { name: 'A', webhookUrl: 'http://127.0.0.1/' }, ['webhookUrl']],
  ['a partner', () => partner, { contactEmail: 'x', webhookUrl: 'ftp://x.example' }, ['contactEmail', 'webhookUrl']],
  ['a key for a user', () => '/admin/users', { email: 'x@' }, ['email']],
  ['a new tag with a slug that is taken', () => '/admin/taxonomy/tags', { name: 'B', slug: 'taken' }, ['slug']],
  ['a new tag without a name', () => '/admin/taxonomy/tags', { name: ' ', slug: 'blank' }, ['name']],
  ['an article', () => '/admin/knowledge', { title: ' ', body: 'Text' }, ['title']],
])('%s', async (_form, path, fields, marked) => {
  const page = ['/admin/knowledge', '/admin/partners'].includes(path()) ? `${path()}/-/new` : path()
  const reply = await fill(admin, page, path(), fields)
  expect(reply.status, reply.text).toBe(400)
  await expectSound(reply.text)
  // The sentence above the form names fields as the form labels them.
  const [, alert] = /role="alert"><div>(.*?)<\/div>/s.exec(reply.text) ?? []
  expect(alert).not.toMatch(/contactEmail|webhookUrl|\b(?:email|name|title) /)
  expect(alert).toBeTruthy()
  expect(markedFields(reply.text)).toEqual(marked)
})
