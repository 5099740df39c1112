// Signing in with GitHub. This file answers in place of GitHub.
// @module-tag slow
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { audited } from '../harness/audit.ts'
import {
  type Browser,
  createBrowser,
  isSignedIn,
  newAddress,
  PASSWORD,
  signedUp,
  userNamed,
} from '../harness/browser.ts'
import { startService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const realFetch = globalThis.fetch
let person: { id: number; email: string; login: string }
let serial = 0

const github = { GITHUB_CLIENT_ID: 'our-app', GITHUB_CLIENT_SECRET: 'our-app-secret' }
const service = useService(github)
beforeAll(() => {
  globalThis.fetch = async (input, options) => {
    const url = new URL(input instanceof Request ? input.url : String(input))
    if (url.hostname === 'github.com')
      return Response.json({ access_token: 'gho_token', token_type: 'bearer', scope: 'user:email' })
    if (url.hostname !== 'api.github.com') return realFetch(input, options)
    if (url.pathname === '/user')
      return Response.json({ id: person.id, login: person.login, name: 'Ada', email: person.email })
    return Response.json([{ email: person.email, primary: true, verified: true }])
  }
})
afterAll(() => {
  globalThis.fetch = realFetch
})
beforeEach(() => {
  person = { id: 1000 + ++serial, email: newAddress(), login: 'ada' }
})

/** Sends the browser to GitHub and back. */
async function throughGithub(browser: Browser, next = '/dashboard/account') {
  const away = await browser.submit(`/sign-in?next=${encodeURIComponent(next)}`, '/sign-in/github')
  const url = new URL(away.headers.get('location')!)
  const back = `/sign-in/callback/github?code=abc&state=${url.searchParams.get('state')}`
  return { away, url, back, reply: await browser.open(back) }
}

describe('signing in with GitHub', () => {
  test('leads to GitHub with our app and back to the page the visitor was on, signed in; doing it twice gives the same user', async () => {
    const browser = createBrowser(service)
    const { away, url, reply } = await throughGithub(browser)
    expect(away.status).toBe(303)
    expect(url.origin + url.pathname).toBe('https://github.com/login/oauth/authorize')
    expect(url.searchParams.get('redirect_uri')).toBe(`${service.origin}/sign-in/callback/github`)
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/dashboard/account'])
    expect((await browser.open('/dashboard/account')).text).toContain('GitHub')
    const { id } = await userNamed(service, person.email)
    const again = createBrowser(service)
    await throughGithub(again)
    expect(await isSignedIn(again)).toBe(true)
    expect((await userNamed(service, person.email)).id).toBe(id)
  })

  test('needs a form that may lead to GitHub and to no other site', async () => {
    const policy = (await createBrowser(service).open('/sign-in')).headers.get('content-security-policy')
    expect(policy).toContain("form-action 'self' https://github.com;")
  })

  test('is refused with a state that this browser did not get, so that no visitor is signed in as another person', async () => {
    const attacker = createBrowser(service)
    const away = await attacker.submit('/sign-in', '/sign-in/github')
    const state = new URL(away.headers.get('location')!).searchParams.get('state')
    const victim = createBrowser(service)
    const reply = await victim.open(`/sign-in/callback/github?code=abc&state=${state}`)
    expect(reply.headers.get('location')).toBe('/sign-in')
    expect(await isSignedIn(victim)).toBe(false)
  })

  test('accepts each answer of GitHub once', async () => {
    const browser = createBrowser(service)
    const { back } = await throughGithub(browser)
    const again = createBrowser(service)
    for (const [name, value] of browser.cookies) if (!name.includes('session')) again.cookies.set(name, value)
    await again.open(back)
    expect(await isSignedIn(again)).toBe(false)
  })

  test.each(['error=access_denied', 'code=abc', 'code=abc&state=made-up', ''])(
    'fails when GitHub sends the browser back with %j, and the sign-in page says so',
    async (query) => {
      const browser = createBrowser(service)
      const reply = await browser.open(`/sign-in/callback/github?${query}`)
      expect([reply.status, reply.headers.get('location')]).toEqual([303, '/sign-in'])
      expect((await browser.open('/sign-in')).text).toContain('GitHub')
      expect(await isSignedIn(browser)).toBe(false)
    },
  )

  test.each(['//evil.example', 'https://evil.example'])('with next=%s goes on to the dashboard', async (next) => {
    const { reply } = await throughGithub(createBrowser(service), next)
    expect(reply.headers.get('location')).toBe('/dashboard')
  })

  test('does not join an existing account with a password, even if the e-mail address is the same', async () => {
    const { email } = await signedUp(service)
    person.email = email
    const browser = createBrowser(service)
    const { reply } = await throughGithub(browser)
    expect(reply.headers.get('location')).toBe('/sign-in')
    expect((await browser.open('/sign-in')).text).toContain('There is an account')
    expect(await isSignedIn(browser)).toBe(false)
    expect((await createBrowser(service).post('/sign-in', { email, password: PASSWORD })).status).toBe(303)
  })

  test('does not join a user whom the operator made', async () => {
    await service.newKey('premium', person.email)
    const browser = createBrowser(service)
    await throughGithub(browser)
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('does not let a banned user in', async () => {
    await throughGithub(createBrowser(service))
    const { id } = await userNamed(service, person.email)
    await service.admin('PATCH', `/users/${id}`, { banned: true })
    const browser = createBrowser(service)
    await throughGithub(browser)
    expect((await browser.open('/sign-in')).text).toContain('banned')
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('audits a new account once', async () => {
    const rows = await audited(service, async () => {
      await throughGithub(createBrowser(service))
      await throughGithub(createBrowser(service))
    })
    expect(rows).toMatchObject([{ actor: person.email, action: 'account.create', details: { with: 'github' } }])
  })

  test.each(['/sign-in/new', '/sign-in/new?next=%2Fdashboard', '/sign-in/failed', '/dashboard?error=access_denied'])(
    'with next=%s goes on to that page, whether or not the account is new',
    async (next) => {
      const rows = await audited(service, async () => {
        for (let i = 0; i < 3; i++) {
          const browser = createBrowser(service)
          const { reply } = await throughGithub(browser, next)
          expect([reply.status, reply.headers.get('location')]).toEqual([303, next])
          expect(await isSignedIn(browser)).toBe(true)
        }
      })
      expect(rows).toMatchObject([{ actor: person.email, action: 'account.create', details: { with: 'github' } }])
    },
  )
})

describe('accounts made with GitHub', () => {
  const limited = useService({ ...github, RATE_LIMIT_SCALE: '1', SIGN_UPS_PER_DAY: '2' })

  test('count as sign-ups: past the limit a new one is a 429 that makes nothing, and a person who has an account is signed in', async () => {
    const people = Array.from({ length: 3 }, () => ({ id: 5000 + ++serial, email: newAddress(), login: 'ada' }))
    const enter = async (one: typeof person) => {
      person = one
      const browser = createBrowser(limited)
      const { reply } = await throughGithub(browser)
      return { reply, isIn: await isSignedIn(browser) }
    }
    expect((await enter(people[0]!)).isIn).toBe(true)
    await signedUp(limited)
    const { reply, isIn } = await enter(people[2]!)
    expect([reply.status, isIn]).toEqual([429, false])
    expect(reply.text).toContain('2 accounts were made from your network today')
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(3600)
    expect(await userNamed(limited, people[2]!.email)).toBeUndefined()
    expect((await enter(people[0]!)).isIn).toBe(true)
  })
})

test('without the two settings the page has no GitHub button and the address is a 404', async () => {
  const plain = await startService()
  try {
    expect((await createBrowser(plain).open('/sign-in')).text).not.toContain('GitHub')
    expect((await createBrowser(plain).post('/sign-in/github', {})).status).toBe(404)
  } finally {
    await plain.close()
  }
})
