// Forms of other sites, too many attempts, bans, passwords, and deleting an account.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import { type Browser, createBrowser, formIn, isSignedIn, PASSWORD, signedUp, userNamed } from '../harness/browser.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const keysOf = async (email: string) =>
  (await service.admin('GET', '/keys?limit=1000')).body.data.filter((key: { owner: string }) => key.owner === email)

describe('a form post', () => {
  let browser: Browser & { email: string }
  let token: string
  beforeAll(async () => {
    browser = await signedUp(service)
    token = formIn((await browser.open('/dashboard')).text, '/dashboard/keys')!.token!
  })
  const make = (fields: Record<string, string>, headers?: Record<string, string>) =>
    browser.post('/dashboard/keys', { name: 'x', agree: 'true', ...fields }, headers)

  test.each([
    ['the origin of another site', { origin: 'https://evil.example' }],
    ['the origin null', { origin: 'null' }],
    ['our host on another port', { origin: 'http://127.0.0.1:1' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }],
    ['an origin that is no address', { origin: 'nonsense' }],
  ])('a form post with %s gets a 403 although its token is right, and nothing changed', async (_what, headers) => {
    expect((await make({ token }, headers as Record<string, string>)).status).toBe(403)
    expect(await keysOf(browser.email)).toEqual([])
  })

  test('without Origin and Sec-Fetch-Site, which every current browser sends, gets a 403', async () => {
    const reply = await service.fetch('/dashboard/keys', {
      method: 'POST',
      type: 'application/x-www-form-urlencoded',
      body: `token=${token}&agree=true`,
      headers: { cookie: browser.cookieHeader() },
    })
    expect(reply.status).toBe(403)
    expect(await keysOf(browser.email)).toEqual([])
  })

  test('with no token, a wrong token or the token of another user gets a 403, and nothing changed', async () => {
    const other = await signedUp(service)
    const foreign = formIn((await other.open('/dashboard')).text, '/dashboard/keys')!.token!
    for (const wrong of [null, '', 'x'.repeat(43), foreign])
      expect((await make(wrong === null ? {} : { token: wrong })).status).toBe(403)
    expect(await keysOf(browser.email)).toEqual([])
  })

  test('with the token of an earlier session of the same person gets a 403', async () => {
    await browser.post('/sign-in', { email: browser.email, password: PASSWORD })
    expect((await make({ token })).status).toBe(403)
    expect(await keysOf(browser.email)).toEqual([])
  })

  test('with the right token from our own page makes the key', async () => {
    expect((await browser.submit('/dashboard', '/dashboard/keys', { agree: 'true' })).status).toBe(201)
    expect(await keysOf(browser.email)).toHaveLength(1)
  })

  test.each(['/sign-in', '/sign-up', '/link'])('to %s from another site gets a 403, signed in or not', async (path) => {
    const visitor = createBrowser(service)
    const fields = { email: browser.email, password: PASSWORD }
    const reply = await visitor.post(path, fields, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
    expect(reply.status).toBe(403)
    expect(visitor.cookies.size).toBe(0)
  })

  test('of another content type gets a 415', async () => {
    const reply = await service.fetch('/sign-in', { method: 'POST', body: {}, headers: { origin: service.origin } })
    expect(reply.status).toBe(415)
  })

  test('is needed to sign out: GET /sign-out is a 405', async () => {
    expect((await browser.open('/sign-out')).status).toBe(405)
    expect(await isSignedIn(browser)).toBe(true)
  })
})

describe('sign-in attempts', () => {
  const limited = useService({ RATE_LIMIT_SCALE: '1', TRUST_PROXY: '127.0.0.1/32' })
  const attempt = (email: string, from: string, path = '/sign-in', more: Record<string, string> = {}) =>
    createBrowser(limited).post(path, { email, password: 'wrong password', ...more }, { 'x-forwarded-for': from })

  test('at one account from one address get a 429 with a page that says how long to wait, and other addresses are not affected', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await attempt('victim@example.com', '198.51.100.77')).status)
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
    // The owner of the account signs in from another address and is not kept out.
    expect((await attempt('victim@example.com', '198.51.100.78')).status).toBe(400)
    const reply = await attempt('Victim@example.com ', '198.51.100.77')
    expect(reply.status).toBe(429)
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(reply.text).toContain('Too many attempts')
    expect(reply.text).toContain('action="/sign-in"')
    expect((await attempt('other@example.com', '198.51.100.77')).status).toBe(400)
  })

  test('attempts at one account from many addresses get a 429 after thirty, from any address', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 31; i++) statuses.push((await attempt('target@example.com', `192.0.2.${i}`)).status)
    expect(statuses).toEqual([...Array(30).fill(400), 429])
  })

  test('are counted by route: the fields of other forms change nothing', async () => {
    const fields = ['link', 'token', 'next', 'current', 'code', 'state', 'provider', 'agree', 'sure', 'admin']
    for (const [i, field] of fields.entries()) {
      const statuses: number[] = []
      for (let guess = 0; guess < 6; guess++) {
        const reply = await attempt(`field${i}@example.com`, `198.51.101.${i}`, '/sign-in', { [field]: 'x' })
        statuses.push(reply.status)
      }
      expect([field, statuses]).toEqual([field, [400, 400, 400, 400, 400, 429]])
    }
  })

  test('with a link field get no extra guesses from sixty addresses: then even the right password is a 429', async () => {
    const person = await signedUp(limited)
    const statuses: number[] = []
    for (let i = 0; i < 60; i++)
      statuses.push((await attempt(person.email, `198.51.102.${i}`, '/sign-in', { link: '' })).status)
    // Signing up counted as the first of thirty attempts.
    expect(statuses).toEqual([...Array(29).fill(400), ...Array(31).fill(429)])
    const right = { password: PASSWORD, link: '' }
    expect((await attempt(person.email, '198.51.102.99', '/sign-in', right)).status).toBe(429)
  })

  test('at an account do not stop the one-time link of that account from working', async () => {
    const person = await signedUp(limited)
    const { id } = await userNamed(limited, person.email)
    for (let i = 0; i < 31; i++) await attempt(person.email, `198.51.103.${i}`)
    const link = new URL((await limited.admin('POST', `/users/${id}/link`)).body.data.url)
    const reply = await createBrowser(limited).post(
      '/link',
      { link: link.searchParams.get('token')!, email: person.email, password: 'a new password' },
      { 'x-forwarded-for': '198.51.103.99' },
    )
    expect(reply.status).toBe(303)
  })

  test('attempts from one address at any accounts, to sign in or to sign up, get a 429', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 11; i++)
      statuses.push((await attempt(`guess${i}@example.com`, '203.0.113.9', i % 2 ? '/sign-in' : '/link')).status)
    expect(statuses.at(-1)).toBe(429)
    expect(statuses.slice(0, 10)).not.toContain(429)
    expect((await attempt('fresh@example.com', '203.0.113.9', '/sign-up')).status).toBe(429)
  })
})

describe('a ban', () => {
  test('ends all sessions at once and refuses the right password; when it is lifted, the user can sign in again', async () => {
    const browser = await signedUp(service)
    const { id } = await userNamed(service, browser.email)
    await service.admin('PATCH', `/users/${id}`, { banned: true })
    expect(await isSignedIn(browser)).toBe(false)
    const visitor = createBrowser(service)
    const right = await visitor.post('/sign-in', { email: browser.email, password: PASSWORD })
    expect(right.status).toBe(403)
    expect(right.text).toContain('banned')
    expect(visitor.cookies.size).toBe(0)
    // A visitor who does not know the password does not learn of the ban.
    const wrong = await visitor.post('/sign-in', { email: browser.email, password: 'wrong password' })
    expect([wrong.status, wrong.text.includes('banned')]).toEqual([400, false])
    expect((await service.admin('POST', `/users/${id}/link`)).status).toBe(400)
    await service.admin('PATCH', `/users/${id}`, { banned: false })
    expect(await isSignedIn(browser)).toBe(false)
    expect((await visitor.post('/sign-in', { email: browser.email, password: PASSWORD })).status).toBe(303)
  })

  test('also holds for a session of a user who was banned directly in the database', async () => {
    const browser = await signedUp(service)
    await service.sql(`update users set banned = true where email = '${browser.email}'`)
    expect(await isSignedIn(browser)).toBe(false)
  })
})

test('an expired session is not accepted', async () => {
  const browser = await signedUp(service)
  const { id } = await userNamed(service, browser.email)
  await service.sql(`update sessions set expires_at = now() - interval '1 second' where user_id = '${id}'`)
  expect(await isSignedIn(browser)).toBe(false)
})

describe('changing the password', () => {
  const change = (browser: Browser, current: string, next: string) =>
    browser.submit('/dashboard/account', '/dashboard/account/password', { current, next })

  test('makes the new one work and the old one fail, ends other sessions, and gives this session a new cookie', async () => {
    const browser = await signedUp(service)
    const elsewhere = createBrowser(service)
    await elsewhere.post('/sign-in', { email: browser.email, password: PASSWORD })
    const before = browser.cookieHeader()
    const rows = await audited(service, () => change(browser, PASSWORD, 'a new password'))
    expect(rows).toMatchObject([{ actor: browser.email, action: 'account.password' }])
    expect((await browser.open('/dashboard/account')).text).toContain('The password is changed.')
    expect(browser.cookieHeader()).not.toBe(before)
    expect(await isSignedIn(elsewhere)).toBe(false)
    expect((await service.fetch('/dashboard', { headers: { cookie: before } })).status).toBe(303)
    const again = createBrowser(service)
    expect((await again.post('/sign-in', { email: browser.email, password: PASSWORD })).status).toBe(400)
    expect((await again.post('/sign-in', { email: browser.email, password: 'a new password' })).status).toBe(303)
  })

  test.each([
    ['a wrong current password', 'wrong password', 'a new password', 'The current password is wrong.'],
    ['a short new password', PASSWORD, 'short', 'at least 10 characters'],
  ])('with %s changes nothing, and the page says so', async (_what, current, next, says) => {
    const browser = await signedUp(service)
    await change(browser, current, next)
    expect((await browser.open('/dashboard/account')).text).toContain(says)
    expect((await createBrowser(service).post('/sign-in', { email: browser.email, password: PASSWORD })).status).toBe(
      303,
    )
  })
})

describe('deleting the account', () => {
  const page = '/dashboard/account/delete'

  test('ends its keys and sessions and removes the user; the audit log stays, and the address is free again', async () => {
    const browser = await signedUp(service)
    const elsewhere = createBrowser(service)
    await elsewhere.post('/sign-in', { email: browser.email, password: PASSWORD })
    await browser.submit('/dashboard', '/dashboard/keys', { name: 'mine', agree: 'true' })
    const { key } = await service.newKey('standard', browser.email)
    expect((await service.rest('/tags', { key })).status).toBe(200)
    const { id } = await userNamed(service, browser.email)
    const rows = await audited(service, () => browser.submit(page, page, { current: PASSWORD, confirm: browser.email }))
    const pseudonym = rows[0]?.actor
    expect(pseudonym).toMatch(/^deleted-[0-9a-f]{8}$/)
    expect(rows).toMatchObject([{ action: 'account.delete', subject: `user:${pseudonym}` }])
    expect(JSON.stringify(await service.sql('select * from audit'))).not.toMatch(new RegExp(`${browser.email}|${id}`))
    expect((await service.rest('/tags', { key })).status).toBe(401)
    expect(await isSignedIn(browser)).toBe(false)
    expect(await isSignedIn(elsewhere)).toBe(false)
    expect(await userNamed(service, browser.email)).toBeUndefined()
    expect(await keysOf(browser.email)).toEqual([])
    const visitor = createBrowser(service)
    expect((await visitor.post('/sign-in', { email: browser.email, password: PASSWORD })).status).toBe(400)
    const { data } = (await service.admin('GET', '/audit?limit=1000')).body
    expect(
      data.some(
        (row: { subject: string; action: string }) =>
          row.subject === `user:${pseudonym}` && row.action === 'account.create',
      ),
    ).toBe(true)
    const fresh = await signedUp(service, browser.email)
    expect(await keysOf(fresh.email)).toEqual([])
  })

  test.each([
    ['a wrong password', { current: 'wrong password' }, 'The password is wrong.'],
    ['no confirmation', { current: PASSWORD, confirm: '' }, 'Type the e-mail address'],
    ['another address', { current: PASSWORD, confirm: 'other@example.com' }, 'Type the e-mail address'],
  ])('with %s deletes nothing, and the page says so', async (_what, fields, says) => {
    const browser = await signedUp(service)
    await browser.submit(page, page, { confirm: browser.email, ...fields })
    expect((await browser.open(page)).text).toContain(says)
    expect(await isSignedIn(browser)).toBe(true)
  })
})
