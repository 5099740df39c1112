// A grant: its budget, its end, and what the user, the operator and the audit log see of it.
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { signedUp, signedUpAdmin } from '../harness/browser.ts'
import { catalog } from '../harness/command.ts'
import { forgetOld } from '../harness/forget-old.ts'
import * as oauth from '../harness/oauth.ts'
import { until } from '../harness/process.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const grantOf = async (signedIn: oauth.SignedIn) => (await oauth.grantsOf(service, signedIn.browser.email))[0]

describe('a grant ends at once', () => {
  test('when the user withdraws it', async () => {
    const app = await oauth.signedIn(service)
    const other = await oauth.signedIn(service, { browser: app.browser })
    const grants = await oauth.grantsOf(service, app.browser.email)
    const { id } = grants.find(({ clientId }: { clientId: string }) => clientId === app.clientId)
    const page = `/dashboard/apps/${id}/withdraw`
    expect((await app.browser.open(page)).text).toContain('Test Agent')
    expect((await app.browser.submit(page, page)).status).toBe(303)
    expect(await oauth.statuses(service, app.token)).toEqual([401, 401])
    expect((await oauth.refresh(service, app)).body.error).toBe('invalid_grant')
    expect(await oauth.statuses(service, other.token)).toEqual([200, 200])
    const [entry] = (await service.admin('GET', `/audit?subject=grant:${id}`)).body.data
    expect(entry).toMatchObject({ actor: app.browser.email, action: 'grant.end', details: { by: 'user' } })
  })

  test('when the operator withdraws it, over the API and in the console', async () => {
    const app = await oauth.signedIn(service)
    const { id } = await grantOf(app)
    const { status, body } = await service.admin('DELETE', `/grants/${id}`)
    expect([status, body.data.endedBy]).toEqual([200, 'operator'])
    expect(await oauth.statuses(service, app.token)).toEqual([401, 401])
    expect((await service.admin('DELETE', `/grants/${id}`)).body).toEqual(body)
    expect((await service.admin('DELETE', '/grants/unknown')).status).toBe(404)

    const second = await oauth.signedIn(service)
    const grant = await grantOf(second)
    const administrator = await signedUpAdmin(service)
    const page = `/admin/users/${grant.userId}`
    expect((await administrator.open(page)).text).toContain('Test Agent')
    expect((await administrator.submit(page, `${page}/grants/${grant.id}/withdraw`)).status).toBe(303)
    expect(await oauth.statuses(service, second.token)).toEqual([401, 401])
    expect((await grantOf(second)).endedBy).toBe('operator')
  })

  test('with a ban of the user, and works again when the ban is lifted', async () => {
    const app = await oauth.signedIn(service)
    const { userId } = await grantOf(app)
    await service.admin('PATCH', `/users/${userId}`, { banned: true })
    expect(await oauth.statuses(service, app.token)).toEqual([401, 401])
    expect((await oauth.refresh(service, app)).body.error).toBe('invalid_grant')
    await service.admin('PATCH', `/users/${userId}`, { banned: false })
    expect(await oauth.statuses(service, app.token)).toEqual([200, 200])
  })

  test('and a code that is not used yet does not work after a ban', async () => {
    const asked = await oauth.allowed(service)
    const [{ userId }] = await oauth.grantsOf(service, asked.browser.email)
    await service.admin('PATCH', `/users/${userId}`, { banned: true })
    expect((await oauth.exchange(service, oauth.codeForm(asked))).body.error).toBe('invalid_grant')
  })

  test('with the account', async () => {
    const app = await oauth.signedIn(service)
    const page = '/dashboard/account/delete'
    const reply = await app.browser.submit(page, page, { confirm: app.browser.email, current: 'correct horse battery' })
    expect(reply.status).toBe(303)
    expect(await oauth.statuses(service, app.token)).toEqual([401, 401])
    expect(await grantOf(app)).toBeUndefined()
  })
})

test('the command line lists and withdraws grants', async () => {
  const app = await oauth.signedIn(service)
  const { id, userId } = await grantOf(app)
  const env = { CATALOG_URL: service.origin, ADMIN_TOKEN }
  const listed = await catalog(['grants', 'list', '--user', userId], env)
  expect([listed.status, listed.out]).toEqual([0, expect.stringMatching(new RegExp(`${id}.*Test Agent`))])
  expect((await catalog(['grants', 'withdraw', id], env)).out).toContain(`Withdrew grant ${id}.`)
  expect(await oauth.statuses(service, app.token)).toEqual([401, 401])
})

test('another user neither sees nor withdraws a grant', async () => {
  const app = await oauth.signedIn(service)
  const { id } = await grantOf(app)
  const other = await signedUp(service)
  expect((await other.open('/dashboard/apps')).text).not.toContain(id)
  expect((await other.open(`/dashboard/apps/${id}/withdraw`)).status).toBe(404)
  // A form that another page of this user holds has the right token.
  const [, token] = /name="token" value="([^"]+)"/.exec((await other.open('/dashboard')).text)!
  expect((await other.post(`/dashboard/apps/${id}/withdraw`, { token: token! })).status).toBe(404)
  expect(await oauth.statuses(service, app.token)).toEqual([200, 200])
})

test('the user sees program, since when, last use and calls', async () => {
  const app = await oauth.signedIn(service)
  await oauth.statuses(service, app.token)
  await expect.poll(async () => (await grantOf(app)).lastUsedAt, { timeout: 10_000 }).not.toBeNull()
  expect(await grantOf(app)).toMatchObject({ restCalls: 1, mcpCalls: 1, program: 'Test Agent' })
  const { text } = await app.browser.open('/dashboard/apps')
  expect(text).toContain('Test Agent')
  expect(text).toContain('1 of 30,000 MCP')
  expect(text).toContain('1 of 10,000 REST')
  expect((await app.browser.open('/dashboard')).text).toContain('/dashboard/apps')
})

test('allowing is in the audit log, with the program and without a token', async () => {
  const app = await oauth.signedIn(service)
  const { id } = await grantOf(app)
  const [entry] = (await service.admin('GET', `/audit?subject=grant:${id}`)).body.data
  expect(entry).toMatchObject({
    actor: app.browser.email,
    action: 'grant.allow',
    details: { program: 'Test Agent', client: app.clientId },
  })
})

test('allowing the same program again keeps one grant, and both sign-ins work', async () => {
  const first = await oauth.signedIn(service)
  const second = await oauth.signedIn(service, { browser: first.browser, clientId: first.clientId })
  expect(await oauth.grantsOf(service, first.browser.email)).toHaveLength(1)
  for (const { token } of [first, second]) expect(await oauth.statuses(service, token)).toEqual([200, 200])
})

test('a program has ten sign-ins of a user at a time; the oldest ends with the eleventh', async () => {
  const first = await oauth.signedIn(service)
  const same = { browser: first.browser, clientId: first.clientId }
  const second = await oauth.signedIn(service, same)
  for (let i = 0; i < 9; i++) await oauth.signedIn(service, same)
  expect(await oauth.statuses(service, first.token)).toEqual([401, 401])
  expect((await oauth.refresh(service, first)).body.error).toBe('invalid_grant')
  expect(await oauth.statuses(service, second.token)).toEqual([200, 200])
  expect((await grantOf(first)).endedAt).toBeNull()
})

test('a user may have ten programs at a time, and reads which page helps', async () => {
  const browser = await signedUp(service)
  for (let i = 0; i < 10; i++) await oauth.allowed(service, { browser })
  const clientId = await oauth.registered(service)
  const reply = await oauth.decide(browser, oauth.authorizePath(service, clientId, oauth.newProof()))
  expect(reply.status).toBe(400)
  expect(reply.text).toContain('Withdraw one under Apps first')
})

describe('the budget', () => {
  const limited = useService({ RATE_LIMIT_SCALE: '1', SIGN_UPS_PER_DAY: '100' })

  test('is that of the plan, for each grant, and follows a change of the plan at once', async () => {
    const app = await oauth.signedIn(limited)
    const other = await oauth.signedIn(limited, { browser: app.browser })
    const remaining = async (token: string) => {
      const { status, headers } = await limited.rest('/tags', { key: token })
      return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]
    }
    for (let i = 9; i >= 0; i--) expect(await remaining(app.token)).toEqual([200, '10', String(i)])
    expect((await remaining(app.token))[0]).toBe(429)
    expect(await remaining(other.token)).toEqual([200, '10', '9'])
    const mcp = await limited.tool('list_tags', {}, app.token)
    expect([mcp.status, mcp.headers.get('x-ratelimit-limit')]).toEqual([200, '30'])
    const [{ userId }] = await oauth.grantsOf(limited, app.browser.email)
    await limited.admin('PATCH', `/users/${userId}`, { plan: 'premium' })
    expect((await remaining(other.token)).slice(0, 2)).toEqual([200, '60'])
    await limited.admin('PATCH', `/users/${userId}`, { plan: 'standard' })
    expect((await remaining(other.token))[1]).toBe('10')
  })

  test('is not larger with more tokens: those of one grant share it', async () => {
    const app = await oauth.signedIn(limited)
    const { body } = await oauth.refresh(limited, app)
    await limited.rest('/tags', { key: app.token })
    const { headers } = await limited.rest('/tags', { key: body.access_token })
    expect(headers.get('x-ratelimit-remaining')).toBe('8')
  })
})

describe('what is not used is deleted', () => {
  const later = (days: number) => new Date(Date.now() + days * 24 * 3_600_000)
  const count = async (table: string, where: string) =>
    Number((await service.sql(`select count(*) as count from ${table} where ${where}`))[0].count)

  test('a program that no user allowed within a day', async () => {
    const unused = await oauth.registered(service)
    const { clientId } = await oauth.allowed(service)
    await forgetOld(service, later(0))
    expect(await count('oauth_clients', `id = '${unused}'`)).toBe(1)
    await forgetOld(service, later(1.1))
    expect(await count('oauth_clients', `id = '${unused}'`)).toBe(0)
    expect(await count('oauth_clients', `id = '${clientId}'`)).toBe(1)
  })

  test('codes after a day, tokens after 30 days, and then the grant has ended', async () => {
    const app = await oauth.signedIn(service)
    const { id } = await grantOf(app)
    await forgetOld(service, later(29))
    expect((await grantOf(app)).endedAt).toBeNull()
    expect(await count('oauth_codes', `grant_id = '${id}'`)).toBe(0)
    await forgetOld(service, later(31))
    expect((await grantOf(app)).endedBy).toBe('expired')
    expect(await count('oauth_tokens', `grant_id = '${id}'`)).toBe(0)
    await forgetOld(service, later(31 + 91))
    expect(await grantOf(app)).toBeUndefined()
    expect(await count('oauth_clients', `id = '${app.clientId}'`)).toBe(0)
  })
})

test('an access token stops working when its time is over', async () => {
  const app = await oauth.signedIn(service)
  const { userId } = await grantOf(app)
  await service.sql(`update oauth_tokens set access_expires_at = now() + interval '3 seconds'`)
  // Any change of the user makes the process read its tokens again.
  await service.admin('PATCH', `/users/${userId}`, { plan: 'premium' })
  expect(await oauth.statuses(service, app.token)).toEqual([200, 200])
  await until(async () => (await oauth.statuses(service, app.token)).every((status) => status === 401))
})
