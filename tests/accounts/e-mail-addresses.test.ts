// Which e-mail addresses each field of the service accepts, and which it refuses.
// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, PASSWORD } from '../harness/browser.ts'
import type { Reply } from '../harness/service.ts'
import { newTool, SUBMISSION_CATALOG, submit } from '../harness/submissions.ts'
import { ask, newSupportPartner } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let partner: string
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  partner = (await newSupportPartner(service, 'human')).key
})

const GOOD = [
  'ada@example.com',
  'a.b+tag@mail.example.co.uk',
  "o'neil!#$%&*/=?^_`{|}~-@example.com",
  'x@xn--mnchen-3ya.de',
  `${'l'.repeat(64)}@example.com`,
  `a@${'d'.repeat(63)}.example`,
]
const BAD = [
  'ada',
  'ada@example',
  '@example.com',
  'ada@',
  'a b@example.com',
  '"a b"@example.com',
  'a..b@example.com',
  '.a@example.com',
  'a.@example.com',
  'a@b@example.com',
  'a,b@example.com',
  'a:b@example.com',
  'a;b@example.com',
  'a"b@example.com',
  'a<b>@example.com',
  '?","answer":"t@c.de',
  'ada@-example.com',
  'ada@example-.com',
  'ada@exa_mple.com',
  'ada@example..com',
  'ada@example.com.',
  'ada@example.c',
  'ada@127.0.0.1',
  'ada@[127.0.0.1]',
  'ada@münchen.de',
  'ädä@example.com',
  `${'l'.repeat(65)}@example.com`,
  `a@${'d'.repeat(64)}.example`,
]

let serial = 0
const PLACES: Record<string, (email: string) => Promise<Reply>> = {
  founderEmail: (founderEmail) => submit(service, partner, newTool({ founderEmail })),
  'founderEmail of an operator': (founderEmail) =>
    service.admin('PUT', `/tools/addressed-${++serial}`, { name: 'x', founderEmail }),
  'founderEmail of an import': (founderEmail) =>
    service.fetch('/api/admin/import', {
      method: 'POST',
      key: 'test-operator-token',
      type: 'application/x-ndjson',
      body: `${JSON.stringify({ kind: 'tool', slug: `addressed-${++serial}`, name: 'x', founderEmail })}\n`,
    }),
  'contactEmail of a partner': (contactEmail) => service.admin('POST', '/partners', { name: 'x', contactEmail }),
  'email of a key': (email) => service.admin('POST', '/keys', { email }),
}

describe.each(Object.entries(PLACES))('%s', (name, send) => {
  const field = name.split(' ')[0]!

  test('accepts valid addresses of the usual form', async () => {
    for (const email of GOOD) {
      const reply = await send(email)
      expect([email, reply.status < 300, reply.body.error]).toEqual([email, true, undefined])
    }
  })

  test('answers 400 and names the field for any other text', async () => {
    for (const email of BAD) {
      const reply = await send(email)
      expect([email, reply.status]).toEqual([email, 400])
      expect(reply.body.error).toMatch(
        new RegExp(`${field} must (be an e-mail address such as ada@example\\.com|have at most)`),
      )
    }
  })
})

test('the sign-up page refuses a text that is no e-mail address and makes no account', async () => {
  for (const email of BAD) {
    const reply = await createBrowser(service).post('/sign-up', { email, password: PASSWORD })
    expect([email, reply.status]).toEqual([email, 400])
  }
  const { data } = (await service.admin('GET', '/users?limit=1000')).body
  expect(data.filter((user: { email: string }) => BAD.includes(user.email))).toEqual([])
})

test('a stored text that is no e-mail address stays readable, and can be replaced or removed', async () => {
  await service.admin('PUT', '/tools/old-address', { name: 'Old address' })
  await service.sql(`update tools set founder_email = 'ada at example' where slug = 'old-address'`)
  const { data } = (await service.admin('GET', '/tools/old-address')).body
  expect([data.founderEmail, data.broken]).toEqual(['ada at example', undefined])
  expect((await service.rest('/tools/old-address')).status).toBe(200)
  for (const founderEmail of [null, '', 'ada@example.com'])
    expect((await service.admin('PUT', '/tools/old-address', { name: 'Old address', founderEmail })).status).toBe(200)
})

test('the e-mail address of a customer is free text of the partner: no question is lost because of it', async () => {
  for (const email of ['', 'ada at example', '"ada"@example', 'ädä@exämple.example'])
    expect((await ask(service, partner, { question: 'How?', customer: { email } })).status).toBeLessThan(300)
})
