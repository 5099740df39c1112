// Answers of other servers are input too. Product sites, receivers and language models have their own tests (see top-ten.ts); here GitHub,
// or an attacker in its place, answers with lies.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type Browser,
  createBrowser,
  isSignedIn,
  newAddress,
  signedUp,
  signedUpAdmin,
  userNamed,
} from '../harness/browser.ts'
import { useService } from '../harness/use.ts'

const realFetch = globalThis.fetch

type Answer = () => Response | Promise<Response>
let token: Answer
let user: Answer
let emails: Answer
let person: { id: unknown; email: unknown; login: unknown; name: unknown }

const service = useService({ GITHUB_CLIENT_ID: 'our-app', GITHUB_CLIENT_SECRET: 'our-app-secret' })
beforeAll(() => {
  globalThis.fetch = async (input, options) => {
    const url = new URL(input instanceof Request ? input.url : String(input))
    if (url.hostname === 'github.com') return token()
    if (url.hostname !== 'api.github.com') return realFetch(input, options)
    return url.pathname === '/user' ? user() : emails()
  }
})
afterAll(() => {
  globalThis.fetch = realFetch
})
let serial = 0
beforeEach(() => {
  person = { id: 5_000 + ++serial, email: newAddress(), login: 'ada', name: 'Ada' }
  token = () => Response.json({ access_token: 'gho_secret_token', token_type: 'bearer', scope: 'user:email' })
  user = () => Response.json(person)
  emails = () => Response.json([{ email: person.email, primary: true, verified: true }])
  vi.spyOn(console, 'error')
})
afterEach(() => {
  // Only the log may be written to: other output would have several lines or contain secrets.
  expect(console.error).not.toHaveBeenCalled()
  vi.restoreAllMocks()
})

async function throughGithub(browser: Browser) {
  const away = await browser.submit('/sign-in', '/sign-in/github')
  const state = new URL(away.headers.get('location')!).searchParams.get('state')
  return browser.open(`/sign-in/callback/github?code=abc&state=${state}`)
}

/** Expects that no user is signed in, that the sign-in page says so, and that nothing of the answer is shown. */
async function expectRefused(): Promise<void> {
  const browser = createBrowser(service)
  const reply = await throughGithub(browser)
  expect(reply.status).toBeLessThan(500)
  expect(await isSignedIn(browser)).toBe(false)
  for (const text of [reply.text, (await browser.open('/sign-in')).text]) {
    expect(text).not.toContain('zqxgithub')
    expect(text).not.toContain('gho_')
    expect(text).not.toContain('<script>alert')
  }
}

const html = () =>
  new Response('<html>zqxgithub<script>alert(1)</script>', { headers: { 'content-type': 'text/html' } })

describe('an invalid answer of GitHub', () => {
  test.each<[string, () => void]>([
    ['no token', () => (token = () => Response.json({ error: 'zqxgithub', error_description: '<script>alert(1)' }))],
    ['a page instead of a token', () => (token = html)],
    ['a broken connection', () => (token = () => Promise.reject(new TypeError('fetch failed zqxgithub')))],
    ['a refusal', () => (token = () => new Response('zqxgithub', { status: 401 }))],
    ['a page instead of a user', () => (user = html)],
    ['a user that is a list', () => (user = () => Response.json([person]))],
    ['a user that is null', () => (user = () => Response.json(null))],
    ['a user without an e-mail address', () => void Object.assign(person, { email: null })],
    ['an invalid e-mail address', () => (person.email = 'zqxgithub')],
    ['an address that is an object', () => (person.email = { zqxgithub: 1 })],
    ['an address with a line break', () => (person.email = 'a@example.com\r\nBcc: zqxgithub@example.com')],
  ])('%s: no user is signed in, and nothing of the answer is shown', async (_case, lie) => {
    lie()
    await expectRefused()
  })
})

describe('a hostile user of GitHub', () => {
  test('is shown under the name they chose, as text', async () => {
    person.name = '<script>alert(1)</script>zqx\u202e'
    const browser = createBrowser(service)
    await throughGithub(browser)
    if (await isSignedIn(browser))
      for (const path of ['/dashboard', '/dashboard/account'])
        expect((await browser.open(path)).text).not.toContain('<script>alert')
    const admin = await signedUpAdmin(service)
    expect((await admin.open('/admin/users')).text).not.toContain('<script>alert')
  })

  test('fields of a GitHub user give no right', async () => {
    Object.assign(person, {
      role: 'admin',
      plan: 'premium',
      partnerId: 'x',
      banned: false,
      isAdmin: true,
      emailVerified: true,
    })
    const browser = createBrowser(service)
    await throughGithub(browser)
    expect(await isSignedIn(browser)).toBe(true)
    expect(await userNamed(service, person.email as string)).toMatchObject({
      role: 'user',
      plan: 'standard',
      partnerId: null,
    })
    expect((await browser.open('/admin')).status).toBe(403)
  })

  test.each(['verified', 'not verified'])('a GitHub user cannot claim an administrator’s address: %s', async (how) => {
    const administrator = await signedUpAdmin(service)
    person.email = how === 'verified' ? administrator.email.toUpperCase() : administrator.email
    emails = () => Response.json([{ email: person.email, primary: true, verified: how === 'verified' }])
    const browser = createBrowser(service)
    await throughGithub(browser)
    expect((await browser.open('/admin')).status).not.toBe(200)
    expect((await browser.open('/dashboard')).status).toBe(303)
  })

  test('does not become another user by a similar identifier', async () => {
    const first = createBrowser(service)
    await throughGithub(first)
    const { id } = person
    const other = await signedUp(service)
    for (const near of [` ${id}`, `${id} `, `0${id}`, `${id}.0`]) {
      person = { ...person, id: near, email: newAddress() }
      const browser = createBrowser(service)
      await throughGithub(browser)
      const page = await browser.open('/dashboard/account')
      expect(page.text).not.toContain(other.email)
      if (page.status === 200) expect(page.text).toContain(person.email as string)
    }
  })

  test('leaves no GitHub token in the database or in the log', async () => {
    await throughGithub(createBrowser(service))
    const rows = await service.sql('select access_token, refresh_token, id_token from credentials')
    for (const row of rows) expect(row).toEqual({ access_token: null, refresh_token: null, id_token: null })
    expect(JSON.stringify(service.logged)).not.toContain('gho_secret_token')
    expect(JSON.stringify(service.logged)).not.toContain('our-app-secret')
  })
})
