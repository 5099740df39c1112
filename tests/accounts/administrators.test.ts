// There is always an administrator: no request, alone or together with others at the same time, can remove, demote or ban the last one.
// @module-tag slow
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { type Browser, formIn, PASSWORD, signedUp, userNamed } from '../harness/browser.ts'
import { catalog } from '../harness/command.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

type Administrator = Browser & { email: string; id: string }

let pair: [Administrator, Administrator]
const service = useService()
beforeAll(async () => {
  pair = [await newAdministrator(), await newAdministrator()]
})

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

/** Creates a removed administrator again, and gives a demoted or banned one its rights back. */
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
  return (await who.post(path, { token: token!, current: PASSWORD, confirm: who.email })).status
}

const ROUNDS = 5

describe('two administrators', () => {
  const WAYS: Record<string, (one: Administrator, other: Administrator) => Promise<unknown>> = {
    'delete themselves': (one) => deleteSelf(one),
    'demote each other': (one, other) => change(one, other, { role: 'user' }),
    'ban each other': (one, other) => change(one, other, { banned: true }),
    'are demoted by the operator': (one) => service.admin('PATCH', `/users/${one.id}`, { role: 'user' }),
  }

  test.each(Object.keys(WAYS))(
    `one administrator is left when both %s at the same time, ${ROUNDS} times in a row`,
    async (way) => {
      for (let round = 0; round < ROUNDS; round++) {
        await restore()
        const [a, b] = pair
        await Promise.all([WAYS[way]!(a, b), WAYS[way]!(b, a)])
        expect(await administrators()).toHaveLength(1)
      }
    },
  )

  test('one administrator is left when one deletes its account while the other is demoted or banned', async () => {
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
  ])('gets a 400 for %j of its own account in the operator API, and nothing is changed', async (body, sentence) => {
    const [self, other] = pair
    const reply = await change(self, self, body)
    expect([reply.status, reply.body.error]).toEqual([400, sentence])
    expect(await userNamed(service, self.email)).toMatchObject({ role: 'admin', banned: false, plan: 'standard' })
    // An administrator may demote another one, and may change of its own account what takes no right away.
    expect((await change(self, self, { role: 'admin', plan: 'standard' })).status).toBe(200)
    expect((await change(self, other, { role: 'user' })).status).toBe(200)
  })
})

describe('the last administrator', () => {
  let last: Administrator
  beforeEach(async () => {
    await service.admin('PATCH', `/users/${pair[1].id}`, { role: 'user' })
    last = pair[0]
  })
  const onlyAdministrator = () => `${last.email} is the only administrator. Promote another user first.`

  test.each([{ role: 'user' }, { banned: true }, { role: 'admin', banned: true }, { role: 'user', plan: 'premium' }])(
    'cannot be changed to %j in the operator API, neither by the operator nor by itself, and nothing is changed or audited',
    async (body) => {
      const rows = await audited(service, async () => {
        for (const reply of [await service.admin('PATCH', `/users/${last.id}`, body), await change(last, last, body)])
          expect([reply.status, reply.body.error]).toEqual([400, onlyAdministrator()])
      })
      expect(rows).toEqual([])
      expect(await userNamed(service, last.email)).toMatchObject({ role: 'admin', banned: false, plan: 'standard' })
    },
  )

  test('cannot delete its own account: the page that the browser is sent back to says why', async () => {
    expect(await deleteSelf(last)).toBe(303)
    expect((await last.open('/dashboard/account/delete')).text).toContain(onlyAdministrator())
    expect(await administrators()).toEqual([last.email])
  })

  test.each([['--role', 'user'], ['--ban']])('cannot be changed by the command line with %s', async (...flags) => {
    const env = { CATALOG_URL: service.origin, ADMIN_TOKEN }
    const { status, err } = await catalog(['users', 'change', last.email, ...flags], env)
    expect([status, err.trim()]).toEqual([1, expect.stringContaining(onlyAdministrator())])
    expect(await administrators()).toEqual([last.email])
  })

  test('is still the last one when the only other administrator is banned', async () => {
    await service.admin('PATCH', `/users/${pair[1].id}`, { role: 'admin', banned: true })
    expect((await service.admin('PATCH', `/users/${last.id}`, { role: 'user' })).status).toBe(400)
  })

  test('can be demoted when there is another administrator, and any other user always can', async () => {
    const other = await signedUp(service)
    const { id } = await userNamed(service, other.email)
    expect((await service.admin('PATCH', `/users/${id}`, { banned: true, role: 'user' })).status).toBe(200)
    await service.admin('PATCH', `/users/${pair[1].id}`, { role: 'admin' })
    expect((await service.admin('PATCH', `/users/${last.id}`, { role: 'user' })).status).toBe(200)
    expect(await administrators()).toEqual([pair[1].email])
  })
})
