// One-time links: the one that an operator makes for a user, and the one for the first administrator.
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { expectAudited } from '../harness/audit.ts'
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
import { useService } from '../harness/use.ts'

const service = useService()

async function operatorMade(plan: 'standard' | 'premium' = 'premium') {
  const email = newAddress()
  const { key } = await service.newKey(plan, email)
  return { email, key, id: (await userNamed(service, email)).id as string }
}

async function linkFor(id: string): Promise<string> {
  const reply = await service.admin('POST', `/users/${id}/link`)
  expect(reply.status).toBe(200)
  return reply.body.data.url.slice(service.origin.length)
}

const follow = (browser: Browser, path: string, password = PASSWORD) => browser.submit(path, '/link', { password })

describe('POST /users/:id/link', () => {
  test('answers 200 with a link that is valid for a day; it is audited, and the link is neither in the log nor in the audit log', async () => {
    const { id } = await operatorMade()
    let path = ''
    await expectAudited(service, 'user.link', new RegExp(`^user:${id}$`), async () => {
      const { data } = (await service.admin('POST', `/users/${id}/link`)).body
      const hours = (Date.parse(data.expiresAt) - Date.now()) / 3_600_000
      expect(hours).toBeGreaterThan(23.9)
      expect(hours).toBeLessThanOrEqual(24)
      path = data.url.slice(service.origin.length)
    })
    const browser = createBrowser(service)
    await follow(browser, path)
    const token = new URLSearchParams(path.split('?')[1]).get('token')!
    expect(token.length).toBeGreaterThanOrEqual(43)
    expect(JSON.stringify(service.logged)).not.toContain(token)
    expect((await service.admin('GET', '/audit?limit=1000')).text).not.toContain(token)
  })

  test('answers 404 for an unknown user', async () => {
    expect((await service.admin('POST', '/users/no-such/link')).status).toBe(404)
  })
})

describe('a one-time link', () => {
  test('sets a password and signs in as that user, with the plan and the keys that the user has', async () => {
    const { email, id } = await operatorMade()
    const browser = createBrowser(service)
    const page = await browser.open(await linkFor(id))
    expect(page.text).toContain(email)
    await expectSound(page.text)
    const reply = await follow(browser, await linkFor(id))
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/dashboard'])
    const dashboard = (await browser.open('/dashboard')).text
    expect(dashboard).toContain('Premium')
    expect(dashboard).toContain('Live keys: 1 of 10')
    expect((await createBrowser(service).post('/sign-in', { email, password: PASSWORD })).status).toBe(303)
  })

  test('a link works once, even when many browsers use it at the same time', async () => {
    const { id } = await operatorMade()
    const path = await linkFor(id)
    const browsers = Array.from({ length: 6 }, () => createBrowser(service))
    const replies = await Promise.all(browsers.map((browser, i) => follow(browser, path, `${PASSWORD} ${i}`)))
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 410, 410, 410, 410, 410])
    const signedIn = await Promise.all(browsers.map(isSignedIn))
    expect(signedIn.filter(Boolean)).toHaveLength(1)
    expect((await createBrowser(service).open(path)).status).toBe(410)
  })

  test('is not used up by opening it, nor by a password that is too short', async () => {
    const { id } = await operatorMade()
    const path = await linkFor(id)
    const browser = createBrowser(service)
    await browser.open(path)
    const short = await follow(browser, path, 'short')
    expect(short.status).toBe(400)
    expect(short.text).toContain('at least 10 characters')
    expect((await follow(browser, path)).status).toBe(303)
  })

  test('stops working after a day', async () => {
    const { id } = await operatorMade()
    const path = await linkFor(id)
    await service.sql(`update sign_in_links set expires_at = now() - interval '1 second' where user_id = '${id}'`)
    const token = path.split('=')[1]!
    const browser = createBrowser(service)
    expect((await browser.open(path)).status).toBe(410)
    expect((await browser.post('/link', { link: token, email: 'a@example.com', password: PASSWORD })).status).toBe(410)
    expect(browser.cookies.size).toBe(0)
  })

  test('is replaced by a newer one', async () => {
    const { id } = await operatorMade()
    const [old, newer] = [await linkFor(id), await linkFor(id)]
    expect((await createBrowser(service).open(old)).status).toBe(410)
    expect((await follow(createBrowser(service), newer)).status).toBe(303)
  })

  test('ends the existing sessions and replaces the password', async () => {
    const browser = await signedUp(service)
    const { id } = await userNamed(service, browser.email)
    const visitor = createBrowser(service)
    expect((await follow(visitor, await linkFor(id), 'a new password')).status).toBe(303)
    expect(await isSignedIn(browser)).toBe(false)
    const again = createBrowser(service)
    expect((await again.post('/sign-in', { email: browser.email, password: PASSWORD })).status).toBe(400)
    expect((await again.post('/sign-in', { email: browser.email, password: 'a new password' })).status).toBe(303)
  })

  test('does not work for a user who was banned after it was made', async () => {
    const { id } = await operatorMade()
    const path = await linkFor(id)
    await service.admin('PATCH', `/users/${id}`, { banned: true })
    expect((await createBrowser(service).open(path)).status).toBe(410)
  })

  test('decides whose password is set: the e-mail address in the form is ignored', async () => {
    const victim = await signedUp(service)
    const { id, email } = await operatorMade()
    const browser = createBrowser(service)
    await browser.submit(await linkFor(id), '/link', { email: victim.email, password: 'a new password' })
    expect((await browser.open('/dashboard/account')).text).toContain(email)
    expect((await createBrowser(service).post('/sign-in', { email: victim.email, password: PASSWORD })).status).toBe(
      303,
    )
  })
})

describe("the first administrator's link", () => {
  const empty = useService()

  test('makes one administrator when several browsers use such links at the same time, and then no link works any more', async () => {
    const links = await Promise.all([empty.firstLink(), empty.firstLink()])
    const paths = links.map((link) => link!.slice(empty.origin.length))
    const browsers = [...paths, ...paths].map((path) => ({ path, browser: createBrowser(empty) }))
    const replies = await Promise.all(
      browsers.map(({ path, browser }, i) =>
        browser.submit(path, '/link', { email: `admin${i}@example.com`, password: PASSWORD }),
      ),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 410, 410, 410])
    const { data } = (await empty.admin('GET', '/users')).body
    expect(data.map(({ role }: { role: string }) => role)).toEqual(['admin'])
    const won = replies.findIndex(({ status }) => status === 303)
    expect(replies[won]!.headers.get('location')).toBe('/admin')
    const winner = browsers[won]!.browser
    expect((await winner.open('/dashboard')).text).toContain('href="/admin"')
    expect(await empty.firstLink()).toBeNull()
    for (const path of paths) expect((await createBrowser(empty).open(path)).status).toBe(410)
  })

  test('made before a user was promoted no longer works', async () => {
    const { data } = (await empty.admin('GET', '/users')).body
    // The operator demotes in the database, because the service never demotes the last administrator.
    await empty.sql(`update users set role = 'user' where id = '${data[0].id}'`)
    const path = (await empty.firstLink())!.slice(empty.origin.length)
    expect((await createBrowser(empty).open(path)).status).toBe(200)
    await empty.admin('PATCH', `/users/${data[0].id}`, { role: 'admin' })
    expect((await createBrowser(empty).open(path)).status).toBe(410)
    const token = path.split('=')[1]!
    const reply = await createBrowser(empty).post('/link', { link: token, email: 'x@example.com', password: PASSWORD })
    expect(reply.status).toBe(410)
  })
})
