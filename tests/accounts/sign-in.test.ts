// Signing up, signing in, signing out, and the session cookie.
// @module-tag slow
import { describe, expect, test } from 'vitest'
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
import { expectSound } from '../harness/html.ts'
import { startService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const signIn = (email: string, password = PASSWORD, next?: string) =>
  createBrowser(service).post('/sign-in', { email, password, ...(next ? { next } : {}) })

describe('the sign-in pages', () => {
  test.each(['/sign-in', '/sign-up', '/link?token=x'])(
    '%s is a valid page that may be neither stored nor framed',
    async (path) => {
      const reply = await createBrowser(service).open(path)
      expect(reply.status).toBe(path.startsWith('/link') ? 410 : 200)
      await expectSound(reply.text)
      expect(reply.headers.get('cache-control')).toBe('no-store')
      expect(reply.headers.get('x-frame-options')).toBe('DENY')
      const policy = reply.headers.get('content-security-policy')!
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).not.toContain('unsafe')
    },
  )
})

describe('signing up', () => {
  test('makes a user of the standard plan, signs in and is audited', async () => {
    const email = newAddress()
    const browser = createBrowser(service)
    const rows = await audited(service, () =>
      browser.submit('/sign-up', '/sign-up', { email: ` ${email.toUpperCase()} `, password: PASSWORD }),
    )
    expect(rows).toMatchObject([{ actor: email, action: 'account.create', subject: expect.stringMatching(/^user:/) }])
    expect(await isSignedIn(browser)).toBe(true)
    expect(await userNamed(service, email)).toMatchObject({ plan: 'standard', role: 'user', banned: false })
  })

  test('with a taken address is refused in upper and lower case, and no visitor is signed in', async () => {
    const { email } = await signedUp(service)
    for (const address of [email, email.toUpperCase()]) {
      const browser = createBrowser(service)
      const reply = await browser.post('/sign-up', { email: address, password: 'another password' })
      expect(reply.status).toBe(400)
      await expectSound(reply.text)
      expect(browser.cookies.size).toBe(0)
    }
    expect((await signIn(email, 'another password')).status).toBe(400)
    expect((await signIn(email)).status).toBe(303)
  })

  test('with the address of a user whom the operator made gives no session and no password, and changes neither plan nor keys', async () => {
    const email = newAddress()
    await service.newKey('premium', email)
    const before = await userNamed(service, email)
    const browser = createBrowser(service)
    const reply = await browser.post('/sign-up', { email, password: PASSWORD })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('sign-in link')
    expect(browser.cookies.size).toBe(0)
    expect((await signIn(email)).status).toBe(400)
    expect(await userNamed(service, email)).toEqual(before)
  })

  test('several times at once with one address makes one account', async () => {
    const email = newAddress()
    const replies = await Promise.all(
      ['first password', 'second password', 'third password'].map((password) =>
        createBrowser(service).post('/sign-up', { email, password }),
      ),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 400, 400])
  })

  test.each([
    ['a short password', 'ada@example.com', 'ninechars'],
    ['a password that is too long', 'ada@example.com', 'a'.repeat(129)],
    ['a text that is no address', 'nonsense', PASSWORD],
    ['an empty address', '', PASSWORD],
    ['a NUL in the address', 'a\0@example.com', PASSWORD],
  ])('with %s: 400 on the same form, with what was typed but not the password', async (_what, email, password) => {
    const reply = await createBrowser(service).post('/sign-up', { email, password })
    expect(reply.status).toBe(400)
    expect(reply.text).toContain('action="/sign-up"')
    expect(reply.text).not.toContain(password)
  })
})

describe('signing in', () => {
  test('goes on to the dashboard', async () => {
    const { email } = await signedUp(service)
    const reply = await signIn(email)
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/dashboard'])
  })

  test('with a wrong password, with an unknown address and as a user without a password gets the same answer', async () => {
    const { email } = await signedUp(service)
    const without = newAddress()
    await service.newKey('standard', without)
    const unknown = newAddress()
    const replies = await Promise.all([email, without, unknown].map((address) => signIn(address, 'wrong password')))
    const texts = replies.map(({ text }, i) => text.replaceAll([email, without, unknown][i]!, 'ADDRESS'))
    expect(new Set(texts).size).toBe(1)
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400])
    for (const reply of replies) expect(reply.headers.getSetCookie()).toEqual([])
  })

  test('with an unknown address takes as much processor time as with a wrong password', async () => {
    const { email } = await signedUp(service)
    const times: [known: number[], unknown: number[]] = [[], []]
    // The hash is made in a thread of this process. The two addresses take turns, so that other work of it affects both alike.
    for (let i = 0; i < 9; i++)
      for (const [of, address] of [email, newAddress()].entries()) {
        const start = process.cpuUsage()
        await signIn(address, 'wrong password')
        const { user, system } = process.cpuUsage(start)
        times[of]!.push(user + system)
      }
    const [known, unknown] = times.map((all) => all.sort((a, b) => a - b)[4]!) as [number, number]
    // Without the hash an unknown address takes a tenth of the time.
    expect(unknown / known).toBeGreaterThan(0.5)
    expect(unknown / known).toBeLessThan(2)
  })

  test('begins a new session each time and ends the one that the browser had', async () => {
    const browser = await signedUp(service)
    const [[name, first]] = [...browser.cookies] as [[string, string]]
    await browser.post('/sign-in', { email: browser.email, password: PASSWORD })
    expect(browser.cookies.get(name)).not.toBe(first)
    const old = createBrowser(service)
    old.cookies.set(name, first)
    expect(await isSignedIn(old)).toBe(false)
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('signing in does not take over a session cookie that an attacker planted in the browser (fixation)', async () => {
    const attacker = await signedUp(service)
    const victim = createBrowser(service)
    const { email } = await signedUp(service)
    for (const [name, value] of attacker.cookies) victim.cookies.set(name, value)
    await victim.post('/sign-in', { email, password: PASSWORD })
    expect((await victim.open('/dashboard/account')).text).toContain(email)
    expect([...victim.cookies.values()]).not.toEqual([...attacker.cookies.values()])
    // The attacker's session has ended too, because the browser had it.
    expect(await isSignedIn(attacker)).toBe(false)
  })

  test.each(['x', 'x.y', '', '%00', '%'])(
    'is still needed with a made-up session cookie of value %j',
    async (value) => {
      const cookie = `catalog_${new URL(service.origin).port}_session=${value}`
      const reply = await service.fetch('/dashboard', { headers: { cookie } })
      expect([reply.status, reply.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fdashboard'])
    },
  )

  test.each([
    ['/dashboard/usage?key=a', '/dashboard/usage?key=a'],
    ['//evil.example', '/dashboard'],
    ['https://evil.example', '/dashboard'],
    ['/\\evil.example', '/dashboard'],
    ['/\t/evil.example', '/dashboard'],
    ['/x/..//evil.example', '/dashboard'],
    ['javascript:alert(1)', '/dashboard'],
    ['\\\\evil.example', '/dashboard'],
    ['/%0d%0aset-cookie:x=1', '/%0d%0aset-cookie:x=1'],
    ['', '/dashboard'],
  ])('with next=%s goes on to %s', async (next, goesTo) => {
    const { email } = await signedUp(service)
    const reply = await signIn(email, PASSWORD, next)
    expect([reply.status, reply.headers.get('location')]).toEqual([303, goesTo])
    // A visitor who is signed in already and only opens the page is sent to the same place.
    const browser = await signedUp(service)
    const opened = await browser.open(`/sign-in?next=${encodeURIComponent(next)}`)
    expect([opened.status, opened.headers.get('location')]).toEqual([303, goesTo])
  })

  test('is asked for by a page that needs it, and leads back to that page', async () => {
    const browser = createBrowser(service)
    const { email } = await signedUp(service)
    const sent = (await browser.open('/dashboard/account')).headers.get('location')!
    expect(sent).toBe('/sign-in?next=%2Fdashboard%2Faccount')
    const reply = await browser.submit(sent, '/sign-in', { email, password: PASSWORD })
    expect(reply.headers.get('location')).toBe('/dashboard/account')
  })
})

describe('signing out', () => {
  test('ends this session for good and leaves the other sessions', async () => {
    const browser = await signedUp(service)
    const other = createBrowser(service)
    await other.post('/sign-in', { email: browser.email, password: PASSWORD })
    const kept = browser.cookieHeader()
    const reply = await browser.submit('/dashboard', '/sign-out')
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/sign-in'])
    expect((await browser.open('/sign-in')).text).toContain('You are signed out.')
    expect((await service.fetch('/dashboard', { headers: { cookie: kept } })).status).toBe(303)
    expect(await isSignedIn(other)).toBe(true)
  })
})

describe('the session cookie', () => {
  test('over http is HttpOnly, Lax, for the whole site, and named by the port', async () => {
    const { email } = await signedUp(service)
    const [cookie] = (await signIn(email)).headers.getSetCookie()
    expect(cookie).toMatch(new RegExp(`^catalog_${new URL(service.origin).port}_session=[^;]+; `))
    expect(cookie).toContain('HttpOnly')
    expect(cookie).toContain('SameSite=Lax')
    expect(cookie).toContain('Path=/')
    expect(cookie).not.toContain('Secure')
    expect(cookie).not.toContain('Domain')
  })

  test('of one port does not disturb the service on another port of the host, although a browser sends both all of its cookies', async () => {
    const other = await startService()
    try {
      const [here, there] = [await signedUp(service), await signedUp(other)]
      const cookie = `${there.cookieHeader()}; ${here.cookieHeader()}`
      for (const [origin, own] of [
        [service, here],
        [other, there],
      ] as const) {
        const page = await origin.fetch('/dashboard/account', { headers: { cookie } })
        expect([page.status, page.text.includes(own.email)]).toEqual([200, true])
      }
      // The two services share no cookie name: not of sessions, messages or what GitHub needs.
      await here.submit('/dashboard', '/sign-out')
      const names = (browser: Browser) => [...browser.cookies.keys()]
      expect(names(here).filter((name) => names(there).includes(name))).toEqual([])
      expect(await isSignedIn(there)).toBe(true)
    } finally {
      await other.close()
    }
  })

  test.each([
    ['http://localhost:4321', 'catalog_4321_session'],
    ['http://localhost', 'catalog_session'],
    ['https://catalog.example.com:8443', '__Host-catalog_8443_session'],
  ])("at %s has the name %s, and the service's other cookies have the same prefix", async (publicUrl, name) => {
    const github = { GITHUB_CLIENT_ID: 'our-app', GITHUB_CLIENT_SECRET: 'our-app-secret' }
    const own = await startService({ PUBLIC_URL: publicUrl, ...github })
    try {
      const browser = createBrowser(own, publicUrl)
      await browser.post('/sign-up', { email: newAddress(), password: PASSWORD })
      expect([...browser.cookies.keys()]).toEqual([name])
      await browser.submit('/dashboard', '/sign-out')
      await browser.post('/sign-in/github', {})
      const prefix = name.replace(/_session$/, '')
      expect(browser.cookies.size).toBeGreaterThan(1)
      for (const cookie of browser.cookies.keys()) expect(cookie).toMatch(new RegExp(`^${prefix}[_.][a-z]+$`))
    } finally {
      await own.close()
    }
  })

  test('over https is also Secure and bound to the host by its name', async () => {
    const publicUrl = 'https://catalog.example.com'
    const secure = await startService({ PUBLIC_URL: publicUrl })
    try {
      const browser = createBrowser(secure, publicUrl)
      const reply = await browser.post('/sign-up', { email: newAddress(), password: PASSWORD })
      const [cookie] = reply.headers.getSetCookie()
      expect(cookie).toMatch(/^__Host-catalog_session=[^;]+; /)
      for (const flag of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Secure']) expect(cookie).toContain(flag)
      expect(cookie).not.toContain('Domain')
      expect(await isSignedIn(browser)).toBe(true)
      const out = await browser.submit('/dashboard', '/sign-out')
      for (const line of out.headers.getSetCookie()) {
        expect(line).toMatch(/^__Host-/)
        expect(line).toContain('Secure')
      }
      // A request from the same host without encryption is refused.
      const plain = await browser.post('/sign-in', { email: 'a@example.com', password: 'x' }, { origin: secure.origin })
      expect(plain.status).toBe(403)
    } finally {
      await secure.close()
    }
  })
})

test('the log holds no password, cookie or e-mail address', async () => {
  const browser = await signedUp(service)
  const cookie = [...browser.cookies.values()][0]!
  await signIn(browser.email, 'wrong password')
  await browser.submit('/dashboard', '/sign-out')
  const log = JSON.stringify(service.logged)
  for (const secret of [PASSWORD, 'wrong password', cookie, cookie.split('.')[0]!, browser.email])
    expect(log).not.toContain(secret)
})
