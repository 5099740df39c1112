// A key is replaced: the new one works at once, the old one until the end of the overlap and not a moment longer, without a restart.
import { describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { signedUp, signedUpAdmin } from '../harness/browser.ts'
import { until } from '../harness/process.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const rotate = (id: string, body: object = {}) => service.admin('POST', `/keys/${id}/rotate`, body)
const statusOf = async (key: string) => (await service.rest('/tags', { key })).status
const keyOf = async (id: string) => (await service.admin('GET', `/keys/${id}`)).body.data

/** Moves the end of the overlap, as if the time had passed. */
async function endIn(id: string, milliseconds: number) {
  await service.sql(`update keys set ends_at = now() + interval '${milliseconds} milliseconds' where id = '${id}'`)
  await service.context().keys.apply({ topic: 'keys', ids: [id] })
}

describe('POST /keys/:id/rotate', () => {
  test('makes a key with the same owner, name and plan; both work until the end, then the old one stops by itself', async () => {
    const email = 'rotating@example.com'
    const made = await service.admin('POST', '/keys', { email, name: 'Production', plan: 'premium' })
    const old = made.body.data
    const { status, body } = await rotate(old.id, { overlapHours: 2 })
    expect(status).toBe(200)
    const { key, previousId, previousValidUntil, id } = body.data
    expect([previousId, key.startsWith('aid_'), key === old.key]).toEqual([old.id, true, false])
    expect(Date.parse(previousValidUntil) - Date.now()).toBeGreaterThan(7_100_000)
    expect([await statusOf(key), await statusOf(old.key)]).toEqual([200, 200])
    expect(await keyOf(id)).toMatchObject({ name: 'Production', plan: 'premium', owner: email, endsAt: null })
    expect(await keyOf(old.id)).toMatchObject({ endsAt: previousValidUntil, revokedAt: null })

    await endIn(old.id, 2_000)
    expect(await statusOf(old.key)).toBe(200)
    await until(async () => (await statusOf(old.key)) === 401)
    expect(await statusOf(key)).toBe(200)
    const ended = await keyOf(old.id)
    expect(ended.revokedAt).toBe(ended.endsAt)
    const live = await service.admin('GET', `/keys?user=${ended.userId}&live=true`)
    expect(live.body.data.map((one: { id: string }) => one.id)).toEqual([id])
    const idsOf = async (filter: string) =>
      (await service.admin('GET', `/keys?user=${ended.userId}&${filter}`)).body.data.map(
        (one: { id: string }) => one.id,
      )
    expect(await idsOf('live=false')).toEqual([old.id])
    expect(await idsOf('unheld=false')).toEqual([id, old.id])
    expect(await idsOf('unheld=true')).toEqual([])
  })

  test('ends the old key at once with an overlap of 0, for partner and test keys too', async () => {
    const partner = await service.newPartner()
    const live = (await service.admin('GET', `/keys?partner=${partner.id}`)).body.data[0]
    const { body } = await rotate(live.id, { overlapHours: 0 })
    expect(body.data).toMatchObject({ previousValidUntil: null, key: expect.stringMatching(/^aid_p_/) })
    expect([await statusOf(partner.key), await statusOf(body.data.key)]).toEqual([401, 200])
    const test = (await service.admin('POST', `/partners/${partner.id}/keys`, { test: true })).body.data
    const next = (await rotate(test.id)).body.data
    expect(next.key).toMatch(/^aid_test_/)
    expect(await keyOf(next.id)).toMatchObject({ test: true, partnerId: partner.id })
  })

  test('is in the audit log once, and names both keys', async () => {
    const { id } = await service.newKey()
    let made!: { id: string }
    const rows = await audited(service, async () => {
      made = (await rotate(id)).body.data
    })
    expect(rows).toMatchObject([{ action: 'key.rotate', subject: `key:${id}`, details: { replacedBy: made.id } }])
  })

  test('refuses a key that has been replaced or has ended, and an overlap out of range', async () => {
    const { id } = await service.newKey()
    for (const overlapHours of [-1, 169, 1.5, '2']) expect((await rotate(id, { overlapHours })).status).toBe(400)
    expect((await rotate(id)).status).toBe(200)
    expect(await rotate(id)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('replaced already') },
    })
    await service.admin('DELETE', `/keys/${id}`)
    expect((await rotate(id)).status).toBe(400)
    const revoked = await service.newKey()
    await service.admin('DELETE', `/keys/${revoked.id}`)
    expect((await rotate(revoked.id)).body.error).toBe('This key has ended and cannot be replaced. Make a new one.')
    expect((await rotate('no-such')).status).toBe(404)
  })

  test.each([0, 24])(
    'a second request names the new key and what to do (overlap of %s hours)',
    async (overlapHours) => {
      const { id } = await service.newKey()
      const { last4 } = (await rotate(id, { overlapHours })).body.data
      const { error } = (await rotate(id, { overlapHours })).body
      expect(error).toContain(`replaced already, by the one that ends in ${last4}.`)
      expect(error).toContain('If you do not have that one, replace it')
      expect(error.includes('This one works until')).toBe(overlapHours > 0)
    },
  )

  test('two requests at once make one new key', async () => {
    const { id } = await service.newKey('premium', 'twice@example.com')
    const replies = await Promise.all([rotate(id), rotate(id)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  test('no more than ten keys are live at any moment', async () => {
    const email = 'ten@example.com'
    const first = await service.newKey('standard', email)
    for (let i = 1; i < 10; i++) await service.newKey('standard', email)
    expect(await rotate(first.id)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('10 live keys') },
    })
    expect((await rotate(first.id, { overlapHours: 0 })).status).toBe(200)
  })
})

describe('the console', () => {
  test('replaces keys of users and partners, and shows the new one once', async () => {
    const administrator = await signedUpAdmin(service)
    const { id, key } = await service.newKey('standard', 'console@example.com')
    const { userId } = await keyOf(id)
    const partner = await service.newPartner()
    const [partnerKey] = (await service.admin('GET', `/keys?partner=${partner.id}`)).body.data
    for (const [page, keyId, old] of [
      [`/admin/users/${userId}`, id, key],
      [`/admin/partners/${partner.id}`, partnerKey.id, partner.key],
    ] as const) {
      const made = await administrator.submit(page, `${page}/keys/${keyId}/rotate`)
      expect(made.status).toBe(201)
      const [next] = /aid_(p_)?[0-9A-Za-z]{38}/.exec(made.text) ?? ['']
      expect([await statusOf(next), await statusOf(old)]).toEqual([200, 200])
      const { text } = await administrator.open(page)
      expect(text).toMatch(/Replaced<\/span> until <time/)
      expect(text).not.toContain(next)
    }
  })
})

describe('the dashboard', () => {
  test('replaces an own key with the chosen grace, shows the new one once, and the old one with its end', async () => {
    const browser = await signedUp(service)
    const { id, key } = await service.newKey('standard', browser.email)
    const page = `/dashboard/keys/${id}/rotate`
    const made = await browser.submit(page, page, { overlapHours: '72' })
    expect(made.status).toBe(201)
    const [next] = /aid_[0-9A-Za-z]{38}/.exec(made.text) ?? ['']
    expect([await statusOf(next), await statusOf(key)]).toEqual([200, 200])
    const list = (await browser.open('/dashboard')).text
    expect(list).toContain('Replaced')
    expect(list).toMatch(/works until <time[^>]*>[\d-]+ [\d:]+ UTC/)
    expect(list).not.toContain(next)
    expect(list).not.toContain(`/dashboard/keys/${id}/rotate`)
  })

  test("does not find another user's key", async () => {
    const stranger = await signedUp(service)
    const { id } = await service.newKey()
    const page = `/dashboard/keys/${id}/rotate`
    expect((await stranger.open(page)).status).toBe(404)
    const own = await service.newKey('standard', stranger.email)
    const form = `/dashboard/keys/${own.id}/rotate`
    const { text } = await stranger.open(form)
    const [, token] = /name="token" value="([^"]+)"/.exec(text) ?? []
    expect((await stranger.post(page, { token: token ?? '' })).status).toBe(404)
  })
})
