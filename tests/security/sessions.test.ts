// Attacks on the sign-in and on signed-in users: floods, planted cookies, redirects to other sites.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Browser,
  createBrowser,
  formIn,
  isSignedIn,
  newAddress,
  PASSWORD,
  signedUp,
  userNamed,
} from '../harness/browser.ts'
import { startService, type TestService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const service = useService({ TRUST_PROXY: '127.0.0.1/32' })
beforeAll(() => service.load([{ kind: 'tool', slug: 'one', name: 'One' }]))

describe('a flood of sign-ins', () => {
  test('most of 120 sign-ins at once from 120 addresses get a 503, reads go on, and the service recovers', async () => {
    const { key } = await service.newKey()
    const person = await signedUp(service)
    const attempts = Array.from({ length: 120 }, (_, i) =>
      createBrowser(service).post(
        i % 4 === 0 ? '/sign-up' : '/sign-in',
        { email: i % 2 ? person.email : `flood${i}@example.com`, password: 'wrong password' },
        { 'x-forwarded-for': `198.51.${i}.7` },
      ),
    )
    let isOver = false
    const replies = Promise.all(attempts).finally(() => (isOver = true))
    let reads = 0
    for (; !isOver; reads++) expect((await service.rest('/tools/one', { key })).status).toBe(200)
    const statuses = (await replies).map(({ status }) => status)
    // The queue for hashing is short: a request that does not fit is refused at once.
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(50)
    expect(new Set(statuses).difference(new Set([303, 400, 429, 503]))).toEqual(new Set())
    for (const reply of await replies) if (reply.status === 503) expect(reply.headers.get('retry-after')).toBe('5')
    expect(reads).toBeGreaterThan(5)
    const after = createBrowser(service)
    const fields = { email: person.email, password: PASSWORD }
    expect((await after.post('/sign-in', fields, { 'x-forwarded-for': '203.0.113.77' })).status).toBe(303)
  })
})

describe('planted cookies', () => {
  const sessionOf = (cookies: Map<string, string>) => [...cookies].find(([name]) => name.includes('session'))!
  const MESSAGE = () => `catalog_${new URL(service.origin).port}_message`
  const open = (cookie: string) => service.fetch('/dashboard/account', { headers: { cookie } })

  test('with two session cookies, pages and forms use the same one: no page shows one user with the form of the other', async () => {
    const [mine, theirs] = [await signedUp(service), await signedUp(service)]
    const [name, own] = sessionOf(mine.cookies)
    const [, planted] = sessionOf(theirs.cookies)
    for (const cookie of [`${name}=${planted}; ${name}=${own}`, `${name}=${own}; ${name}=${planted}`]) {
      const page = await open(cookie)
      const isMine = page.text.includes(mine.email)
      expect([page.text.includes(mine.email), page.text.includes(theirs.email)]).toEqual([isMine, !isMine])
      const { token } = formIn((await service.fetch('/dashboard', { headers: { cookie } })).text, '/dashboard/keys')!
      const other = formIn((await (isMine ? theirs : mine).open('/dashboard')).text, '/dashboard/keys')!.token
      const make = (sent: string) =>
        service.fetch('/dashboard/keys', {
          method: 'POST',
          type: 'application/x-www-form-urlencoded',
          body: new URLSearchParams({ token: sent, agree: 'true' }).toString(),
          headers: { cookie, origin: service.origin },
        })
      expect((await make(other!)).status).toBe(403)
      expect((await make(token!)).status).toBe(201)
    }
    const { data } = (await service.admin('GET', '/keys?limit=1000')).body
    const owners = data.map(({ owner }: { owner: string }) => owner)
    expect(owners.filter((owner: string) => [mine.email, theirs.email].includes(owner))).toHaveLength(2)
  })

  test.each([
    'catalog_session',
    'catalog_443_session',
    '__Secure-catalog_session',
    '__host-catalog_session',
    'better-auth.session_token',
    'session',
    'Catalog_Session',
  ])(
    'over https a session cookie named %s is ignored: only the one that the browser binds to the host counts',
    async (name) => {
      const [secure, browser] = await (overHttps ??= signedUpOverHttps())
      const [own, value] = sessionOf(browser.cookies)
      expect(own).toBe('__Host-catalog_session')
      expect((await secure.fetch('/dashboard', { headers: { cookie: `${own}=${value}` } })).status).toBe(200)
      expect((await secure.fetch('/dashboard', { headers: { cookie: `${name}=${value}` } })).status).toBe(303)
    },
  )

  test('a thousand cookies, and cookies of every form, are no session and cause no error', async () => {
    const [name] = sessionOf((await signedUp(service)).cookies)
    for (const cookie of [
      Array.from({ length: 500 }, (_, i) => `${name}=${i}`).join('; '),
      `${name}=`,
      `${name}`,
      `${name}=%`,
      `${name}=%00`,
      `${name}="quoted"`,
      `${name}=a.b.c.d`,
      `${name}=${'a'.repeat(8_000)}`,
      `__proto__=x; constructor=y; ${name}=__proto__.__proto__`,
      `${MESSAGE()}=a.b; ${name}=x`,
      `${MESSAGE()}=%7B%7D.AAAA`,
    ])
      expect([cookie.slice(0, 40), (await open(cookie)).status]).toEqual([cookie.slice(0, 40), 303])
    expect(service.logged.filter(({ level, status }) => level === 'error' && status !== 503)).toEqual([])
  })

  test('a message that an attacker planted is not shown: its signature is missing', async () => {
    const forged = Buffer.from(JSON.stringify({ kind: 'good', text: 'Call 555-0100 at once' })).toString('base64url')
    for (const value of [forged, `${forged}.`, `${forged}.${'A'.repeat(43)}`]) {
      const { text } = await service.fetch('/sign-in', { headers: { cookie: `${MESSAGE()}=${value}` } })
      expect(text).not.toContain('555-0100')
    }
  })
})

describe('redirects to other sites', () => {
  const NEXT = [
    ...[
      '//evil.example',
      '///evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
    ],
    ...['https:evil.example', 'https://evil.example', 'javascript:alert(1)', 'data:text/html,x', '/..//evil.example'],
    ...[
      '/./\\evil.example',
      '/%2f%2fevil.example',
      '/%5cevil.example',
      '@evil.example',
      '/@evil.example',
      '.evil.example',
    ],
    ...[
      'http://127.0.0.1@evil.example',
      '/dashboard\r\nLocation: https://evil.example',
      '/\u2028/evil.example',
      ' //evil.example',
    ],
    ...[
      '/dashboard/../..//evil.example',
      '/;//evil.example',
      '/?next=//evil.example',
      '/#//evil.example',
      '//google.com%2f@evil.example',
    ],
  ]

  test('no next page leads off this site, after signing in and for a user who is signed in already', async () => {
    const person = await signedUp(service)
    const check = async (next: string) => {
      const { status, headers } = await person.open(`/sign-in?next=${encodeURIComponent(next)}`)
      expect(status).toBe(303)
      const location = headers.get('location')!
      expect(location).toMatch(/^\/(?![/\\])/)
      for (const base of [service.origin, 'https://other.example/a/b'])
        expect(new URL(location, base).origin).toBe(new URL(base).origin)
    }
    for (const next of NEXT) await check(next)
    const part = fc.constantFrom(
      '/',
      '\\',
      '//',
      '.',
      '..',
      '@',
      ':',
      '?',
      '#',
      '%2f',
      '%5c',
      '\t',
      '\n',
      'evil.example',
      'http',
      'javascript:',
      ' ',
      '\u3002',
      '\uff0f',
      'a',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => check(parts.join(''))),
      { numRuns: 150 },
    )
    for (const next of NEXT.slice(0, 5)) {
      const browser = createBrowser(service)
      const reply = await browser.post(
        '/sign-in',
        { email: person.email, password: PASSWORD, next },
        { 'x-forwarded-for': `203.0.113.${NEXT.indexOf(next)}` },
      )
      expect(reply.status).toBe(303)
      expect(new URL(reply.headers.get('location')!, service.origin).origin).toBe(service.origin)
    }
  })

  test('a page that needs a session redirects to the sign-in page with a next page on this site, whatever the address was', async () => {
    for (const path of [
      '/dashboard?next=//evil.example',
      '/dashboard/partner/support/..%2f..%2f%2fevil.example',
      '/admin?x=https://evil.example',
    ]) {
      const { headers } = await createBrowser(service).open(path)
      const location = headers.get('location')!
      expect(location).toMatch(/^\/sign-in\?next=%2F(dashboard|admin)/)
    }
  })
})

test('a session ends in every tab at once when the account is banned, signed out, deleted or given a new password by link', async () => {
  const person = await signedUp(service)
  const { id } = await userNamed(service, person.email)
  const copy = createBrowser(service)
  for (const [name, value] of person.cookies) copy.cookies.set(name, value)
  expect(await isSignedIn(copy)).toBe(true)
  await person.submit('/dashboard', '/sign-out')
  expect(await isSignedIn(copy)).toBe(false)
  // The session is deleted in the database too, not only the cookie.
  expect(await service.sql(`select id from sessions where user_id = '${id}'`)).toEqual([])
})

let overHttps: Promise<[TestService, Browser]> | undefined
async function signedUpOverHttps(): Promise<[TestService, Browser]> {
  const secure = await startService({ PUBLIC_URL: 'https://catalog.example' })
  const browser = createBrowser(secure, 'https://catalog.example')
  await browser.post('/sign-up', { email: newAddress(), password: PASSWORD })
  return [secure, browser]
}
afterAll(async () => (await overHttps)?.[0].close())
