// Partners, knowledge and users in the console, without JavaScript.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import {
  type Browser,
  createBrowser,
  isSignedIn,
  newAddress,
  PASSWORD,
  signedUp,
  signedUpAdmin,
  userNamed,
} from '../harness/browser.ts'
import { expectConsolePage, expectGuarded, fill, filledForm, HOSTILE_MARKUP } from '../harness/console-forms.ts'
import { expectSound } from '../harness/html.ts'
import { useService } from '../harness/use.ts'

let admin: Browser & { email: string }
const service = useService()
beforeAll(async () => {
  admin = await signedUpAdmin(service)
})

const stored = async (path: string) => (await service.admin('GET', path)).body.data
const keyIn = (text: string) => /aid_(?:p_)?[0-9A-Za-z]{38}/.exec(text)?.[0]

describe('a partner in the console', () => {
  const PAGE = '/admin/partners'
  const create = (fields: Record<string, string>) => fill(admin, `${PAGE}/-/new`, PAGE, fields)

  test('is created, and its key and secret are shown once, with buttons to copy, and work', async () => {
    const reply = await create({
      name: `Launch ${HOSTILE_MARKUP}`,
      contactEmail: 'team@launch.example.com',
      webhookUrl: 'https://launch.example.com/hooks',
      support: 'hybrid',
    })
    expect(reply.status).toBe(201)
    await expectSound(reply.text, ['<script>alert', '<b onclick'])
    const key = keyIn(reply.text)!
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(reply.text)![0]
    expect(reply.text.match(/data-copy/g)!.length).toBeGreaterThanOrEqual(2)
    expect((await service.rest('/ai-tools/status?slug=none', { key })).status).toBe(404)
    const [partner] = await stored('/partners')
    expect(partner).toMatchObject({ contactEmail: 'team@launch.example.com', support: 'hybrid' })
    for (const path of [PAGE, `${PAGE}/${partner.id}`]) {
      const page = await expectConsolePage(service, admin, path)
      expect(page).not.toContain(key)
      expect(page).not.toContain(secret)
    }
    expect(JSON.stringify(service.logged)).not.toContain(secret)
  })

  test('is not created from a wrong form, which comes back with what was typed', async () => {
    const reply = await create({ name: 'Wrong', webhookUrl: 'http://127.0.0.1/', contactEmail: 'nobody' })
    expect(reply.status).toBe(400)
    await expectSound(reply.text)
    expect(filledForm(reply.text, PAGE)).toMatchObject({
      name: 'Wrong',
      webhookUrl: 'http://127.0.0.1/',
      contactEmail: 'nobody',
    })
    expect(await stored('/partners?q=wrong')).toEqual([])
  })

  test('is changed, and an empty webhook address removes the webhook', async () => {
    const { id } = await service.newPartner({ name: 'Changing', webhookUrl: 'https://old.example.com/' })
    const path = `${PAGE}/${id}`
    await fill(admin, path, path, { name: 'Changed', webhookUrl: '', contactEmail: 'a@b.example', support: 'human' })
    expect(await stored(`/partners/${id}`)).toMatchObject({
      name: 'Changed',
      webhookUrl: null,
      contactEmail: 'a@b.example',
      support: 'human',
    })
    const wrong = await fill(admin, path, path, { webhookUrl: 'ftp://x' })
    expect(wrong.status).toBe(400)
    expect(filledForm(wrong.text, path).webhookUrl).toBe('ftp://x')
    expect((await service.admin('GET', '/partners/nothing')).status).toBe(404)
    expect((await admin.open(`${PAGE}/nothing`)).status).toBe(404)
  })

  test('that is banned has no working key, until the ban is lifted', async () => {
    const { id, key } = await service.newPartner()
    const path = `${PAGE}/${id}`
    expect((await admin.submit(path, `${path}/ban`)).status).toBe(303)
    expect((await service.rest('/tags', { key })).status).toBe(401)
    expect(await stored('/partners?banned=true')).toMatchObject([{ id }])
    await admin.submit(path, `${path}/ban`)
    expect((await service.rest('/tags', { key })).status).toBe(200)
  })

  test('gets a second key, and then the first one can be revoked', async () => {
    const { id, key } = await service.newPartner()
    const path = `${PAGE}/${id}`
    const reply = await admin.submit(path, `${path}/keys`)
    expect(reply.status).toBe(201)
    const second = keyIn(reply.text)!
    for (const one of [key, second]) expect((await service.rest('/tags', { key: one })).status).toBe(200)
    const old = (await stored(`/keys?partner=${id}&live=true`)).find(({ last4 }: { last4: string }) =>
      key.endsWith(last4),
    )
    await admin.submit(path, `${path}/keys/${old.id}/revoke`)
    expect((await service.rest('/tags', { key })).status).toBe(401)
    expect((await service.rest('/tags', { key: second })).status).toBe(200)
    for (let i = 0; i < 4; i++) expect((await service.admin('POST', `/partners/${id}/keys`)).status).toBe(201)
    expect((await service.admin('POST', `/partners/${id}/keys`)).status).toBe(400)
    expect((await admin.submit(path, `${path}/keys`)).status).toBe(303)
    expect((await admin.open(path)).text).toContain('the most a partner may have')
    expect((await service.admin('POST', '/partners/nothing/keys')).status).toBe(404)
  })

  test('gets a new secret, which is shown once', async () => {
    const { id } = await service.newPartner()
    const path = `${PAGE}/${id}`
    const rows = await audited(service, async () => {
      const reply = await admin.submit(path, `${path}/secret`)
      expect(reply.status).toBe(201)
      await expectSound(reply.text)
      expect(reply.text).toMatch(/whsec_/)
    })
    expect(rows).toMatchObject([{ action: 'partner.rotate-secret', actor: admin.email }])
  })

  test('is shown with its users and with links to its work', async () => {
    const { id } = await service.newPartner()
    const person = await signedUp(service)
    await service.admin('PATCH', `/users/${(await userNamed(service, person.email)).id}`, { partner: id })
    const page = (await admin.open(`${PAGE}/${id}`)).text
    for (const text of [
      person.email,
      `/admin/submissions?client=${id}`,
      `/admin/webhooks?client=${id}`,
      `${PAGE}/${id}/knowledge`,
    ])
      expect(page).toContain(text)
  })

  test('does not change by a form without the token', async () => {
    const { id, key } = await service.newPartner({ name: 'Guarded' })
    const path = `${PAGE}/${id}`
    for (const [action, fields] of [
      [path, { name: 'Forged' }],
      [`${path}/ban`, { banned: 'true' }],
      [`${path}/secret`, {}],
      [`${path}/keys`, {}],
      [PAGE, { name: 'Forged' }],
    ] as const)
      await expectGuarded(service, admin, action, fields)
    expect(await stored(`/partners/${id}`)).toMatchObject({ name: 'Guarded', banned: false })
    expect((await service.rest('/tags', { key })).status).toBe(200)
    expect(await stored('/partners?q=forged')).toEqual([])
  })
})

describe('the knowledge pages', () => {
  test.each(['all partners', 'one partner'])('add, edit and delete articles for %s', async (whose) => {
    const { id } = await service.newPartner({ name: `Knows ${HOSTILE_MARKUP}` })
    const page = whose === 'all partners' ? '/admin/knowledge' : `/admin/partners/${id}/knowledge`
    const api = whose === 'all partners' ? '/knowledge' : `/partners/${id}/knowledge`
    const titles = async () => (await stored(api)).articles.map(({ title }: { title: string }) => title)
    await service.admin('PUT', api, { articles: [] })
    for (const title of ['First', `Second ${HOSTILE_MARKUP}`, 'Third'])
      expect((await fill(admin, `${page}/-/new`, page, { title, body: `About ${title}.\r\n\r\nMore.` })).status).toBe(
        303,
      )
    await expectConsolePage(service, admin, page)
    await expectConsolePage(service, admin, `${page}/-/new`)
    const { articles } = await stored(api)
    expect(articles[0].body).toBe('About First.\n\nMore.')
    const second = `${page}/${articles[1].id}`
    await expectConsolePage(service, admin, second)
    const rows = await audited(service, async () => {
      expect((await fill(admin, second, second, { title: 'Second, edited' })).status).toBe(303)
    })
    expect(await titles()).toEqual(['First', 'Second, edited', 'Third'])
    expect(rows).toMatchObject([
      { action: 'knowledge.edit', actor: admin.email, details: { article: { title: 'Second, edited' } } },
    ])
    const first = `${page}/${articles[0].id}`
    await admin.submit(first, `${first}/delete`)
    expect(await titles()).toEqual(['Second, edited', 'Third'])
    await expectGuarded(service, admin, page, { title: 'Forged', body: 'Forged' })
    await expectGuarded(service, admin, `${page}/${articles[2].id}/delete`, {})
    expect(await titles()).toEqual(['Second, edited', 'Third'])
    await service.admin('PUT', api, { articles: [] })
  })

  test('do not overwrite an article that another administrator changed, and keep what was typed', async () => {
    await service.admin('PUT', '/knowledge', { articles: [{ title: 'Old', body: 'Old.' }] })
    const [{ id }] = (await stored('/knowledge')).articles
    const path = `/admin/knowledge/${id}`
    const opened = filledForm((await admin.open(path)).text, path)
    expect((await service.admin('PUT', `/knowledge/${id}`, { title: 'Theirs', body: 'Theirs.' })).status).toBe(200)
    const reply = await admin.post(path, { ...opened, body: 'Mine.' })
    expect(reply.status).toBe(409)
    await expectSound(reply.text)
    expect(reply.text).toContain('The article Theirs was changed by operator at')
    expect(filledForm(reply.text, path).body).toBe('Mine.')
    expect((await stored('/knowledge')).articles).toMatchObject([{ title: 'Theirs', body: 'Theirs.' }])
    // The administrator has now read the stored version, so the same form is saved when it is sent again.
    expect((await admin.post(path, filledForm(reply.text, path))).status).toBe(303)
    expect((await stored('/knowledge')).articles).toMatchObject([{ id, title: 'Old', body: 'Mine.', version: 3 }])
    const open = filledForm((await admin.open(path)).text, path)
    expect((await service.admin('DELETE', `/knowledge/${id}`)).status).toBe(200)
    const gone = await admin.post(path, { ...open, body: 'Still mine.' })
    expect([gone.status, filledForm(gone.text, '/admin/knowledge').body]).toEqual([409, 'Still mine.'])
  })

  test('do not show an article of one partner under another', async () => {
    const [one, other] = [await service.newPartner(), await service.newPartner()]
    await service.admin('PUT', `/partners/${one.id}/knowledge`, { articles: [{ title: 'Own', body: 'Own.' }] })
    const [{ id }] = (await stored(`/partners/${one.id}/knowledge`)).articles
    expect((await admin.open(`/admin/partners/${other.id}/knowledge/${id}`)).status).toBe(404)
    expect((await admin.open(`/admin/knowledge/${id}`)).status).toBe(404)
    expect((await admin.open('/admin/partners/nothing/knowledge')).status).toBe(404)
  })

  test('show for a question the passages, their coverage, and whether it would be answered', async () => {
    await service.admin('PUT', '/knowledge', {
      articles: [{ title: 'Refunds', body: `You can get a refund within 14 days. ${HOSTILE_MARKUP}` }],
    })
    const page = (await admin.open('/admin/knowledge?q=Can+I+get+a+refund+within+14+days')).text
    await expectSound(page, ['<script>alert', '<b onclick'])
    expect(page).toContain('Would be answered')
    expect(page).toMatch(/\d+ %/)
    expect((await admin.open('/admin/knowledge?q=colour+of+the+moon')).text).toContain('Would wait for a person')
  })

  test('return a wrong form with what was typed', async () => {
    const reply = await fill(admin, '/admin/knowledge/-/new', '/admin/knowledge', { title: ' ', body: 'Typed text.' })
    expect(reply.status).toBe(400)
    await expectSound(reply.text)
    expect(filledForm(reply.text, '/admin/knowledge').body).toBe('Typed text.')
  })
})

describe('the user pages', () => {
  const PAGE = '/admin/users'
  const pathOf = async (email: string) => `${PAGE}/${(await userNamed(service, email)).id}`

  test('are shown without errors to administrators, and to no other user', async () => {
    const person = await signedUp(service)
    await expectConsolePage(service, admin, PAGE)
    await expectConsolePage(service, admin, await pathOf(person.email))
    await expectConsolePage(service, admin, await pathOf(admin.email))
    expect((await admin.open(`${PAGE}/nobody`)).status).toBe(404)
  })

  test('find users by part of the address, by plan, role and partner', async () => {
    const { email } = await signedUp(service, `needle-${newAddress()}`)
    await service.newKey('premium', `other-${email}`)
    const found = async (query: string) =>
      (await stored(`/users?${query}`)).map((user: { email: string }) => user.email)
    expect((await found('q=NEEDLE')).sort()).toEqual([email, `other-${email}`].sort())
    expect(await found('q=needle&plan=premium')).toEqual([`other-${email}`])
    expect(await found('role=admin')).toEqual([admin.email])
    expect(await found('q=needle&banned=true')).toEqual([])
    expect((await admin.open(`${PAGE}?q=needle&plan=premium`)).text).toContain(`other-${email}`)
    expect(
      (await admin.open(`${PAGE}?q=needle&plan=premium`)).text.match(/href="\/admin\/users\/[\w-]+"/g),
    ).toHaveLength(1)
  })

  test('change plan, role and partner, and send only what was changed', async () => {
    const { email } = await signedUp(service)
    const { id: partner } = await service.newPartner()
    const path = await pathOf(email)
    const rows = await audited(service, async () => {
      await fill(admin, path, path, { plan: 'premium', partner })
      await fill(admin, path, path, {})
      await fill(admin, path, path, { role: 'admin', partner: '' })
    })
    expect(rows.map(({ details }) => details)).toEqual([
      { plan: 'premium', partner },
      { role: 'admin', partner: null },
    ])
    expect(await userNamed(service, email)).toMatchObject({ plan: 'premium', role: 'admin', partnerId: null })
    await fill(admin, path, path, { role: 'user' })
  })

  test('do not let an administrator remove their own rights', async () => {
    const path = await pathOf(admin.email)
    const { token } = filledForm((await admin.open(path)).text, path)
    await admin.post(path, { token: token!, role: 'user', plan: 'standard' })
    await admin.post(`${path}/ban`, { token: token!, banned: 'true' })
    expect(await userNamed(service, admin.email)).toMatchObject({ role: 'admin', banned: false })
  })

  test('sign a banned user out and stop all keys, until the ban is lifted', async () => {
    const person = await signedUp(service)
    const { key } = await service.newKey('standard', person.email)
    const path = await pathOf(person.email)
    await admin.submit(path, `${path}/ban`)
    expect((await service.rest('/tags', { key })).status).toBe(401)
    expect(await isSignedIn(person)).toBe(false)
    expect((await admin.open(path)).text).toContain('A banned user gets no new key.')
    await admin.submit(path, `${path}/ban`)
    expect((await service.rest('/tags', { key })).status).toBe(200)
  })

  test('show a sign-in link once, which works once', async () => {
    const { email } = await signedUp(service)
    const path = await pathOf(email)
    const reply = await admin.submit(path, `${path}/link`)
    expect(reply.status).toBe(201)
    await expectSound(reply.text)
    const link = /http[^<]*\/link\?token=[\w-]+/.exec(reply.text)![0]
    const browser = createBrowser(service)
    const used = await browser.submit(link.slice(service.origin.length), '/link', {
      email,
      password: `${PASSWORD} two`,
    })
    expect(used.status).toBe(303)
    expect(await isSignedIn(browser)).toBe(true)
    expect((await admin.open(path)).text).not.toContain('/link?token')
  })

  test('issue, list and revoke keys', async () => {
    const { email } = await signedUp(service)
    const path = await pathOf(email)
    const made = await fill(admin, path, `${path}/keys`, { name: `For ${HOSTILE_MARKUP}`, plan: 'premium' })
    expect(made.status).toBe(201)
    const key = keyIn(made.text)!
    expect((await service.rest('/tags', { key })).headers.get('x-ratelimit-limit')).toBe('60000')
    await expectConsolePage(service, admin, path)
    const [row] = await stored(`/keys?user=${path.split('/').at(-1)}`)
    await admin.submit(path, `${path}/keys/${row.id}/revoke`)
    expect((await service.rest('/tags', { key })).status).toBe(401)
    await expectSound((await admin.open(path)).text)
  })

  test('issue a key for an address that has no user yet', async () => {
    const email = newAddress()
    const made = await fill(admin, PAGE, PAGE, { email, name: 'First' })
    expect(made.status).toBe(201)
    expect((await service.rest('/tags', { key: keyIn(made.text)! })).status).toBe(200)
    expect(await userNamed(service, email)).toMatchObject({ plan: 'standard' })
    const wrong = await fill(admin, PAGE, PAGE, { email: 'no address', name: 'Typed' })
    expect(wrong.status).toBe(400)
    await expectSound(wrong.text)
    expect(filledForm(wrong.text, PAGE)).toMatchObject({ email: 'no address', name: 'Typed' })
  })

  test('change nothing when a form has no token', async () => {
    const person = await signedUp(service)
    const path = await pathOf(person.email)
    for (const [action, fields] of [
      [path, { role: 'admin' }],
      [`${path}/ban`, { banned: 'true' }],
      [`${path}/link`, {}],
      [`${path}/keys`, {}],
    ] as const)
      await expectGuarded(service, admin, action, fields)
    expect(await userNamed(service, person.email)).toMatchObject({ role: 'user', banned: false })
    expect(await stored(`/keys?user=${path.split('/').at(-1)}`)).toEqual([])
  })
})
