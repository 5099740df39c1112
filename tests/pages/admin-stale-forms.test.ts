// Two administrators have the same form open: the one who saves last must not undo the change of the other.
// @module-tag slow
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, signedUpAdmin } from '../harness/browser.ts'
import { filledForm } from '../harness/console-forms.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
let first: Browser & { email: string }
let second: Browser
let partner: string
beforeAll(async () => {
  service = await startService()
  first = await signedUpAdmin(service)
  second = await signedUpAdmin(service)
  partner = (await service.newPartner({ name: 'Shared', webhookUrl: 'https://old.example.com/' })).id
  await service.load([
    { kind: 'category', slug: 'writing', name: 'Writing' },
    { kind: 'tag', slug: 'api', name: 'API' },
    { kind: 'directoryCategory', slug: 'saas', name: 'SaaS' },
  ])
})
afterAll(() => service.close())

describe.each([
  ['a partner', () => `/admin/partners/${partner}`, () => `/partners/${partner}`],
  ['a category', () => '/admin/taxonomy/categories/writing', () => '/categories/writing'],
  ['a tag', () => '/admin/taxonomy/tags/api', () => '/tags/api'],
  ['a directory category', () => '/admin/taxonomy/directory-categories/saas', () => '/directory-categories/saas'],
])('the form of %s', (_what, pathOf, apiOf) => {
  const nameOf = async () => (await service.admin('GET', apiOf())).body.data.name

  test('is refused with what was typed when it is out of date, and saved when it is sent again after that', async () => {
    const path = pathOf()
    const [theirs, mine] = [await first.open(path), await second.open(path)].map(({ text }) => filledForm(text, path))
    expect((await first.post(path, { ...theirs!, name: 'Theirs' })).status).toBe(303)
    const refused = await second.post(path, { ...mine!, name: 'Mine' })
    expect(refused.status).toBe(409)
    expect(refused.text).toMatch(
      new RegExp(`was changed by ${first.email} at \\d{4}-\\d\\d-\\d\\d [\\d:]{8} UTC \\(name\\)`),
    )
    expect(await nameOf()).toBe('Theirs')
    const again = filledForm(refused.text, path)
    expect(again.name).toBe('Mine')
    expect((await second.post(path, again)).status).toBe(303)
    expect(await nameOf()).toBe('Mine')
  })

  test('is also out of date after a change through the operator API', async () => {
    const path = pathOf()
    const form = filledForm((await first.open(path)).text, path)
    const method = apiOf().startsWith('/partners') ? 'PATCH' : 'PUT'
    expect((await service.admin(method, apiOf(), { name: 'By the API' })).status).toBe(200)
    expect((await first.post(path, { ...form, name: 'Late' })).status).toBe(409)
    expect(await nameOf()).toBe('By the API')
  })

  test('is not out of date when the other administrator saved without a change', async () => {
    const path = pathOf()
    const [theirs, mine] = [await first.open(path), await second.open(path)].map(({ text }) => filledForm(text, path))
    expect((await first.post(path, theirs!)).status).toBe(303)
    expect((await second.post(path, { ...mine!, name: 'Still' })).status).toBe(303)
    expect(await nameOf()).toBe('Still')
  })
})
