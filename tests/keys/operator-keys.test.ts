import { describe, expect, test, vi } from 'vitest'
import { expectAudited } from '../harness/audit.ts'
import { expectFailure } from '../harness/shapes.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const create = (body: unknown) => service.admin('POST', '/keys', body)
const works = async (key: string) => (await service.rest('/tags', { key })).status === 200
const userNamed = async (email: string) =>
  (await service.admin('GET', '/users')).body.data.find((user: { email: string }) => user.email === email)

describe('POST /keys', () => {
  test('answers 201 with id, key, last4, plan and owner, and creates the user when it is new', async () => {
    const { status, body } = await create({ email: 'new@example.com', name: 'Production', plan: 'premium' })
    expect(status).toBe(201)
    expect(body).toEqual({
      success: true,
      data: {
        id: expect.any(String),
        key: expect.stringMatching(/^aid_[0-9A-Za-z]+$/),
        last4: body.data.key.slice(-4),
        name: 'Production',
        plan: 'premium',
        owner: 'new@example.com',
        createdAt: expect.any(String),
      },
    })
    expect(await works(body.data.key)).toBe(true)
    expect(await userNamed('new@example.com')).toMatchObject({ plan: 'premium', role: 'user', banned: false })
  })

  test('accepts a body without name and plan, and takes standard', async () => {
    expect((await create({ email: 'plain@example.com' })).body.data).toMatchObject({ plan: 'standard', name: '' })
  })

  test('takes addresses in different case for one user', async () => {
    await create({ email: 'Case@Example.com' })
    expect((await create({ email: 'case@example.com' })).body.data.owner).toBe('case@example.com')
    const { data } = (await service.admin('GET', '/users')).body
    expect(data.filter(({ email }: { email: string }) => /^case@/i.test(email))).toHaveLength(1)
  })

  test('never makes the same key twice', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => create({ email: 'many@example.com' })))
    expect(new Set(keys.map(({ body }) => body.data.key)).size).toBe(8)
  })

  test('ignores unknown fields of the body', async () => {
    const reply = await create({ email: 'extra@example.com', role: 'admin', banned: true })
    expect(reply.status).toBe(201)
    expect(await userNamed('extra@example.com')).toMatchObject({ role: 'user', banned: false })
  })

  test('answers 400 and names every wrong field', async () => {
    for (const [body, ...fields] of [
      [{}, 'email'],
      [{ email: 'nonsense', plan: 'gold', name: 5 }, 'email', 'plan', 'name'],
      [{ email: 5 }, 'email'],
      [{ email: 'a b@example.com' }, 'email'],
      [{ email: `${'a'.repeat(250)}@example.com` }, 'email'],
      [{ email: 'a@example.com', name: 'a'.repeat(201) }, 'name'],
      [{ email: 'a@example.com\0' }, 'email'],
    ] as [object, ...string[]][]) {
      const reply = await create(body)
      expect(reply.status).toBe(400)
      for (const field of fields) expect(expectFailure(reply.body)).toContain(field)
    }
  })

  test('makes at most 10 live keys for a user and answers 400 to more; revoking one makes room', async () => {
    // The requests are sent at the same time, because the limit must hold under concurrency too.
    const replies = await Promise.all(Array.from({ length: 13 }, () => create({ email: 'ten@example.com' })))
    const made = replies.filter(({ status }) => status === 201)
    expect(made).toHaveLength(10)
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect(reply.status).toBe(400)
      expect(expectFailure(reply.body)).toContain('10')
    }
    await service.admin('DELETE', `/keys/${made[0]!.body.data.id}`)
    expect((await create({ email: 'ten@example.com' })).status).toBe(201)
    expect((await create({ email: 'ten@example.com' })).status).toBe(400)
  })

  test('is audited, without the key', async () => {
    let key = ''
    await expectAudited(service, 'key.create', /^key:/, async () => {
      key = (await create({ email: 'audit@example.com' })).body.data.key
    })
    expect((await service.admin('GET', '/audit?limit=1000')).text).not.toContain(key)
  })
})

describe('GET /keys', () => {
  test('lists the newest first, without the key or its hash', async () => {
    const made = []
    for (let i = 0; i < 3; i++) made.push((await create({ email: 'list@example.com', name: `Key ${i}` })).body.data)
    const list = async () => (await service.admin('GET', '/keys?limit=3')).body.data
    // That a key was shown is stored right after the answer.
    await vi.waitUntil(async () => (await list())[0].shownAt !== null, 5_000)
    const data = await list()
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['Key 2', 'Key 1', 'Key 0'])
    expect(data[0]).toEqual({
      id: made[2].id,
      last4: made[2].last4,
      name: 'Key 2',
      kind: 'catalog',
      plan: 'standard',
      owner: 'list@example.com',
      userId: expect.any(String),
      partnerId: null,
      test: false,
      policyVersion: expect.any(String),
      // The owner has agreed to nothing: the operator vouches for the owner.
      policyAgreedAt: null,
      policyVouchedBy: 'operator',
      createdAt: expect.any(String),
      shownAt: expect.any(String),
      lastUsedAt: null,
      revokedAt: null,
      endsAt: null,
    })
  })

  test('has pages that do not overlap, and takes the default or the nearest bound for a wrong limit or page', async () => {
    const ids = async (query: string) =>
      (await service.admin('GET', `/keys?${query}`)).body.data.map(({ id }: { id: string }) => id)
    const whole = await ids('limit=1000')
    expect([...(await ids('limit=4&page=1')), ...(await ids('limit=4&page=2'))]).toEqual(whole.slice(0, 8))
    for (const query of ['', 'limit=0', 'limit=abc', 'page=0', 'limit=99999']) expect(await ids(query)).toEqual(whole)
    expect(await ids('page=1e30')).toEqual([])
  })
})

describe('DELETE /keys/:id', () => {
  test('answers 200, the key fails on the next request, and a second call changes nothing', async () => {
    const { id, key } = await service.newKey()
    expect(await works(key)).toBe(true)
    const first = await service.admin('DELETE', `/keys/${id}`)
    expect(first.body).toEqual({ success: true, data: { id, revokedAt: expect.any(String) } })
    expect(await works(key)).toBe(false)
    expect((await service.admin('DELETE', `/keys/${id}`)).body).toEqual(first.body)
    const row = (await service.admin('GET', '/keys')).body.data.find((found: { id: string }) => found.id === id)
    expect(row.revokedAt).toBe(first.body.data.revokedAt)
  })

  test('answers 404 for a key that does not exist', async () => {
    expect((await service.admin('DELETE', '/keys/no-such')).status).toBe(404)
    expect((await service.admin('DELETE', '/keys/00000000-0000-0000-0000-000000000000')).status).toBe(404)
  })

  test('is audited', async () => {
    const { id } = await service.newKey()
    await expectAudited(service, 'key.revoke', new RegExp(`^key:${id}$`), () => service.admin('DELETE', `/keys/${id}`))
  })
})

describe('PATCH /users/:id', () => {
  const change = (id: string, body: unknown) => service.admin('PATCH', `/users/${id}`, body)

  test('with a plan changes the limit header of all keys of the user, both ways', async () => {
    const keys = [
      await service.newKey('standard', 'plan@example.com'),
      await service.newKey('standard', 'plan@example.com'),
    ]
    const { id } = await userNamed('plan@example.com')
    for (const [plan, limit] of [
      ['premium', '60000'],
      ['standard', '10000'],
    ] as const) {
      expect((await change(id, { plan })).body.data).toMatchObject({ id, plan, email: 'plan@example.com' })
      for (const { key } of keys)
        expect((await service.rest('/tags', { key })).headers.get('x-ratelimit-limit')).toBe(limit)
    }
  })

  test('with a ban stops all keys of the user at once and refuses new ones', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => service.newKey('standard', 'ban@example.com')))
    const keyOfAnotherUser = await service.newKey()
    const { id } = await userNamed('ban@example.com')
    expect((await change(id, { banned: true })).body.data.banned).toBe(true)
    for (const { key } of keys) expect(await works(key)).toBe(false)
    expect(await works(keyOfAnotherUser.key)).toBe(true)
    const refused = await create({ email: 'ban@example.com' })
    expect(refused.status).toBe(400)
    expect(expectFailure(refused.body)).toContain('banned')
    await change(id, { banned: false })
    expect((await create({ email: 'ban@example.com' })).status).toBe(201)
  })

  test('that lifts a ban makes the keys work again, except those that were revoked before or during it', async () => {
    const [kept, before, during] = await Promise.all(
      [1, 2, 3].map(() => service.newKey('standard', 'lift@example.com')),
    )
    const { id } = await userNamed('lift@example.com')
    await service.admin('DELETE', `/keys/${before!.id}`)
    await change(id, { banned: true })
    await service.admin('DELETE', `/keys/${during!.id}`)
    await change(id, { banned: false })
    expect(await Promise.all([kept, before, during].map((one) => works(one!.key)))).toEqual([true, false, false])
  })

  test('keeps the fields that are not sent, and changes updatedAt', async () => {
    await service.newKey('premium', 'omit@example.com')
    const before = await userNamed('omit@example.com')
    const { data } = (await change(before.id, { role: 'admin' })).body
    expect(data).toEqual({ ...before, role: 'admin', version: before.version + 1, updatedAt: expect.any(String) })
    expect((await change(before.id, {})).status).toBe(200)
  })

  test('accepts partner and partnerId as names of the same field', async () => {
    await service.newKey('standard', 'linked@example.com')
    const { id } = await userNamed('linked@example.com')
    const [one, two] = [await service.newPartner(), await service.newPartner()]
    expect((await change(id, { partnerId: one.id })).body.data.partnerId).toBe(one.id)
    expect((await change(id, { partner: two.id })).body.data.partnerId).toBe(two.id)
    expect((await change(id, { partnerId: one.id, partner: one.id })).body.data.partnerId).toBe(one.id)
    expect((await change(id, { partnerId: one.id, partner: two.id })).body.error).toBe(
      'partner and partnerId are the same field and must not differ. Send one of them.',
    )
    expect((await change(id, { partnerId: 'none' })).body.error).toBe('partnerId must be the identifier of a partner.')
    expect((await change(id, { partnerId: null })).body.data.partnerId).toBeNull()
  })

  test('answers 400 and names every wrong field, and 404 for an unknown user', async () => {
    await service.newKey('standard', 'wrong@example.com')
    const { id } = await userNamed('wrong@example.com')
    const reply = await change(id, { plan: 'gold', role: 'king', banned: 'yes' })
    expect(reply.status).toBe(400)
    for (const field of ['plan', 'role', 'banned']) expect(expectFailure(reply.body)).toContain(field)
    expect((await change('no-such', { plan: 'premium' })).status).toBe(404)
  })

  test('is audited', async () => {
    await service.newKey('standard', 'trail@example.com')
    const { id } = await userNamed('trail@example.com')
    await expectAudited(service, 'user.change', new RegExp(`^user:${id}$`), () => change(id, { banned: true }))
  })
})

describe('GET /audit', () => {
  test('lists the newest first, with limit and page; a refused write leaves no row', async () => {
    const { data } = (await service.admin('GET', '/audit?limit=1000')).body
    const ids = data.map(({ id }: { id: number }) => id)
    expect(ids).toEqual([...ids].sort((a, b) => b - a))
    const second = (await service.admin('GET', '/audit?limit=2&page=2')).body.data
    expect(second.map(({ id }: { id: number }) => id)).toEqual(ids.slice(2, 4))
    await create({ email: 'nonsense' })
    await service.admin('DELETE', '/keys/no-such')
    expect((await service.admin('GET', '/audit?limit=1')).body.data[0].id).toBe(ids[0])
  })
})
