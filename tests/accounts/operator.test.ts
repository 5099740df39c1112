// The operator API with an administrator's session instead of the token.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { type Browser, signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { ADMIN_TOKEN, type RequestOptions } from '../harness/service.ts'
import { expectFailure } from '../harness/shapes.ts'
import { useService } from '../harness/use.ts'

let admin: Browser & { email: string }
let user: Browser & { email: string }
const service = useService()
beforeAll(async () => {
  admin = await signedUpAdmin(service)
  user = await signedUp(service)
})

const ask = (browser: Browser, path: string, options: RequestOptions = {}) =>
  service.fetch(`/api/admin${path}`, { ...options, headers: { cookie: browser.cookieHeader(), ...options.headers } })
const own = () => ({ origin: service.origin, 'sec-fetch-site': 'same-origin' })

describe("an administrator's session", () => {
  test('reads and writes as the operator does, and the audit log names the administrator', async () => {
    expect((await ask(admin, '/users')).status).toBe(200)
    const body = { email: 'made-by-admin@example.com' }
    const rows = await audited(service, async () => {
      expect((await ask(admin, '/keys', { method: 'POST', body, headers: own() })).status).toBe(201)
    })
    expect(rows).toMatchObject([{ actor: admin.email, action: 'key.create' }])
  })

  test('reads the OpenAPI document of the operator API; the session of another user does not', async () => {
    const { status, body } = await ask(admin, '/openapi.json')
    expect([status, body.info.title]).toEqual([200, 'Catalog Service: operator API'])
    // The cookie that the document names is the one that was sent.
    expect(admin.cookieHeader()).toContain(`${body.components.securitySchemes.session.name}=`)
    expect((await ask(user, '/openapi.json')).status).toBe(403)
  })

  test.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a sister site', { origin: 'https://catalog.evil.example', 'sec-fetch-site': 'same-site' }],
    ['no origin at all', {}],
  ])('cannot write from %s: 403, and nothing changed', async (_what, headers) => {
    const body = { email: 'forged@example.com' }
    const reply = await ask(admin, '/keys', { method: 'POST', body, headers: headers as Record<string, string> })
    expect(reply.status).toBe(403)
    expectFailure(reply.body)
    expect(await userNamed(service, 'forged@example.com')).toBeUndefined()
  })

  test('ends when the role is taken away and when the user is banned', async () => {
    const other = await signedUpAdmin(service)
    const { id } = await userNamed(service, other.email)
    await service.admin('PATCH', `/users/${id}`, { role: 'user' })
    expect((await ask(other, '/users')).status).toBe(403)
    await service.admin('PATCH', `/users/${id}`, { role: 'admin' })
    expect((await ask(other, '/users')).status).toBe(200)
    await service.admin('PATCH', `/users/${id}`, { banned: true })
    expect((await ask(other, '/users')).status).toBe(401)
  })

  test.each(['Bearer wrong', 'Basic eDp5', 'Bearer', ''])(
    'does not help when the Authorization header is the wrong %j: 401',
    async (authorization) => {
      expect((await ask(admin, '/users', { headers: { authorization } })).status).toBe(401)
    },
  )

  test('is ignored when a key is sent beside it: 403', async () => {
    const { key } = await service.newKey()
    expect((await ask(admin, '/users', { key })).status).toBe(403)
  })

  test('is not needed beside the operator token, which needs no origin either', async () => {
    const body = { email: 'by-token@example.com' }
    expect((await ask(admin, '/keys', { method: 'POST', body, key: ADMIN_TOKEN })).status).toBe(201)
  })

  test('opens no catalog read: the REST API needs a key', async () => {
    const reply = await service.fetch('/api/v1/tags', { headers: { cookie: admin.cookieHeader() } })
    expect(reply.status).toBe(401)
  })
})

test('the session of a user who is no administrator gets a 403 from the operator API, and nothing changed', async () => {
  const { id } = await userNamed(service, user.email)
  expect((await ask(user, '/users')).status).toBe(403)
  const reply = await ask(user, `/users/${id}`, { method: 'PATCH', body: { role: 'admin' }, headers: own() })
  expect(reply.status).toBe(403)
  expect(await userNamed(service, user.email)).toMatchObject({ role: 'user' })
})

describe('PATCH /users/:id { partner }', () => {
  test('assigns a user to a partner and removes the user from it; an unknown partner is a 400', async () => {
    const partner = await service.newPartner()
    const { id } = await userNamed(service, user.email)
    const change = (body: object) => service.admin('PATCH', `/users/${id}`, body)
    expect((await change({ partner: partner.id })).body.data.partnerId).toBe(partner.id)
    expect((await change({ plan: 'premium' })).body.data.partnerId).toBe(partner.id)
    const wrong = await change({ partner: 'no-such' })
    expect(wrong.status).toBe(400)
    expect(expectFailure(wrong.body)).toContain('partner')
    expect((await change({ partner: null })).body.data.partnerId).toBeNull()
  })
})
