// There is always an administrator: the last one can be neither removed nor demoted nor banned, whichever way it is tried and however many
// try at once.
// @module-tag slow
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { type Browser, formIn, PASSWORD, signedUp, userNamed } from '../harness/browser.ts'
import { catalog } from '../harness/command.ts'
import { ADMIN_TOKEN, startService, type TestService } from '../harness/service.ts'

type Administrator = Browser & { email: string; id: string }

let service: TestService
let pair: [Administrator, Administrator]
beforeAll(async () => {
  service = await startService()
  pair = [await newAdministrator(), await newAdministrator()]
})
afterAll(() => service.close())

async function newAdministrator(): Promise<Administrator> {
  const browser = await signedUp(service)
  const { id } = await userNamed(service, browser.email)
  await service.admin('PATCH', `/users/${id}`, { role: 'admin' })
  return { ...browser, id }
}

const administrators = async (): Promise<string[]> =>
  (await service.sql(`select email from users where role = 'admin' and not banned order by email`)).map(
    ({ email }) => email,
  )

/** Those who were removed are made anew, those who lost their rights get them back. */
async function restore(): Promise<void> {
  for (const [i, { email, id }] of pair.entries()) {
    const user = await userNamed(service, email)
    if (!user) pair[i] = await newAdministrator()
    else if (user.role !== 'admin' || user.banned) {
      await service.admin('PATCH', `/users/${id}`, { role: 'admin', banned: false })
      await pair[i]!.post('/sign-in', { email, password: PASSWORD })
    }
  }
  expect(await administrators()).toEqual(pair.map(({ email }) => email).sort())
}
beforeEach(restore)

const change = (by: Administrator, of: Administrator, body: object) =>
  service.fetch(`/api/admin/users/${of.id}`, {
    method: 'PATCH',
    body,
    headers: { cookie: by.cookieHeader(), origin: service.origin },
  })

async function deleteSelf(who: Administrator): Promise<number> {
  const path = '/dashboard/account/delete'
  const { token } = formIn((await who.open(path)).text, path)!
  return (await who.post(path, { token: token!, current: PASSWORD, sure: 'true' })).status
}

const ROUNDS = 5

describe('two at once', () => {
  const WAYS: Record<string, (one: Administrator, other: Administrator) => Promise<unknown>> = {
    'delete themselves': (one) => deleteSelf(one),
    'demote each other': (one, other) => change(one, other, { role: 'user' }),
    'ban each other': (one, other) => change(one, other, { banned: true }),
    'are demoted by the operator': (one) => service.admin('PATCH', `/users/${one.id}`, { role: 'user' }),
  }

  test.each(Object.keys(WAYS))(`who %s leave one, ${ROUNDS} times over`, async (way) => {
    for (let round = 0; round < ROUNDS; round++) {
      await restore()
      const [a, b] = pair
      await Promise.all([WAYS[way]!(a, b), WAYS[way]!(b, a)])
      expect(await administrators()).toHaveLength(1)
    }
  })

  test('one who deletes itself while the other is demoted or banned leave one', async () => {
    for (const way of Object.keys(WAYS)) {
      await restore()
      const [a, b] = pair
      await Promise.all([deleteSelf(a), WAYS[way]!(b, a)])
      expect([way, (await administrators()).length]).toEqual([way, 1])
    }
  })
})

describe('an administrator', () => {
  test.each([
    [{ banned: true }, 'You cannot ban yourself.'],
    [{ role: 'user' }, 'You cannot take your own rights away.'],
    [{ role: 'user', plan: 'premium' }, 'You cannot take your own rights away.'],
  ])('is refused %j of itself by the operator API, and nothing is changed', async (body, sentence) => {
    const [self, other] = pair
    const reply = await change(self, self, body)
    expect([reply.status, reply.body.error]).toEqual([400, sentence])
    expect(await userNamed(service, self.email)).toMatchObject({ role: 'admin', banned: false, plan: 'standard' })
    // Of another it may, and of itself what takes no right away.
    expect((await change(self, self, { role: 'admin', plan: 'standard' })).status).toBe(200)
    expect((await change(self, other, { role: 'user' })).status).toBe(200)
  })
})

describe('the last one', () => {
  let last: Administrator
  beforeEach(async () => {
    await service.admin('PATCH', `/users/${pair[1].id}`, { role: 'user' })
    last = pair[0]
  })
  const only = () => `${last.email} is the only administrator. Make another user one first.`

  test.each([{ role: 'user' }, { banned: true }, { role: 'admin', banned: true }, { role: 'user', plan: 'premium' }])(
    '%j is refused by the operator API, for the operator and for itself, and nothing is changed or audited',
    async (body) => {
      const rows = await audited(service, async () => {
        for (const reply of [await service.admin('PATCH', `/users/${last.id}`, body), await change(last, last, body)])
          expect([reply.status, reply.body.error]).toEqual([400, only()])
      })
      expect(rows).toEqual([])
      expect(await userNamed(service, last.email)).toMatchObject({ role: 'admin', banned: false, plan: 'standard' })
    },
  )

  test('deleting itself is refused on the page that it is sent back to', async () => {
    expect(await deleteSelf(last)).toBe(303)
    expect((await last.open('/dashboard/account/delete')).text).toContain(only())
    expect(await administrators()).toEqual([last.email])
  })

  test.each([['--role', 'user'], ['--ban']])('the command line is refused with %s', async (...flags) => {
    const env = { CATALOG_URL: service.origin, ADMIN_TOKEN }
    const { status, err } = await catalog(['users', 'change', last.email, ...flags], env)
    expect([status, err.trim()]).toEqual([1, expect.stringContaining(only())])
    expect(await administrators()).toEqual([last.email])
  })

  test('one who is banned does not count', async () => {
    await service.admin('PATCH', `/users/${pair[1].id}`, { role: 'admin', banned: true })
    expect((await service.admin('PATCH', `/users/${last.id}`, { role: 'user' })).status).toBe(400)
  })

  test('may go when there is another, and any other user always', async () => {
    const other = await signedUp(service)
    const { id } = await userNamed(service, other.email)
    expect((await service.admin('PATCH', `/users/${id}`, { banned: true, role: 'user' })).status).toBe(200)
    await service.admin('PATCH', `/users/${pair[1].id}`, { role: 'admin' })
    expect((await service.admin('PATCH', `/users/${last.id}`, { role: 'user' })).status).toBe(200)
    expect(await administrators()).toEqual([pair[1].email])
  })
})
