// Two services on one PostgreSQL: each step of a sign-in may reach another one, and what ends in one ends in the other.
// @module-tag slow
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, createBrowser, signedUp } from '../harness/browser.ts'
import * as oauth from '../harness/oauth.ts'
import { createDatabase, startService, type TestService } from '../harness/service.ts'

describe.skipIf(!process.env.TEST_DATABASE_URL)('with several processes', () => {
  let one: TestService
  let two: TestService
  let database: Awaited<ReturnType<typeof createDatabase>>
  beforeAll(async () => {
    database = await createDatabase(process.env.TEST_DATABASE_URL!)
    const shared = { DATABASE_URL: database.url, KEY_PEPPER: 'a pepper that both services share, long enough' }
    one = await startService(shared)
    two = await startService({ ...shared, PUBLIC_URL: one.origin })
  })
  afterAll(async () => {
    await one?.close()
    await two?.close()
    await database?.drop()
  })

  /** The same browser at the other service. */
  const at = (service: TestService, browser: Browser & { email: string }) => {
    const other = createBrowser(service)
    for (const [name, value] of browser.cookies) other.cookies.set(name, value)
    return { ...other, email: browser.email }
  }

  /** Registered at one, allowed at the other, exchanged at the first. */
  async function signedIn(): Promise<oauth.SignedIn> {
    const browser = await signedUp(one)
    const clientId = await oauth.registered(one)
    const proof = oauth.newProof()
    const answer = await oauth.decide(at(two, browser), oauth.authorizePath(one, clientId, proof))
    const code = oauth.locationOf(answer).searchParams.get('code')!
    const asked = { browser, clientId, proof, code, redirectUri: oauth.REDIRECT }
    const { body } = await oauth.exchange(one, oauth.codeForm(asked))
    return { ...asked, token: body.access_token, refreshToken: body.refresh_token }
  }

  const stopsAt = (service: TestService, token: string) =>
    expect.poll(() => oauth.statuses(service, token), { timeout: 1_000, interval: 50 }).toEqual([401, 401])

  test('a token that one issued works at the other at once, and is refreshed there', async () => {
    const app = await signedIn()
    expect(await oauth.statuses(two, app.token)).toEqual([200, 200])
    const { status, body } = await oauth.refresh(two, app)
    expect(status).toBe(200)
    expect(await oauth.statuses(one, body.access_token)).toEqual([200, 200])
  })

  test('a withdrawal at one stops the token at the other within a second', async () => {
    const app = await signedIn()
    expect(await oauth.statuses(two, app.token)).toEqual([200, 200])
    const [{ id }] = await oauth.grantsOf(one, app.browser.email)
    await one.admin('DELETE', `/grants/${id}`)
    expect(await oauth.statuses(one, app.token)).toEqual([401, 401])
    await stopsAt(two, app.token)
  })

  test('a ban and a reused refresh token at one stop the tokens at the other within a second', async () => {
    const banned = await signedIn()
    expect(await oauth.statuses(one, banned.token)).toEqual([200, 200])
    const [{ userId }] = await oauth.grantsOf(one, banned.browser.email)
    await two.admin('PATCH', `/users/${userId}`, { banned: true })
    await stopsAt(one, banned.token)

    const reused = await signedIn()
    const { body } = await oauth.refresh(one, reused)
    expect(await oauth.statuses(two, body.access_token)).toEqual([200, 200])
    expect((await oauth.refresh(two, reused)).body.error).toBe('invalid_grant')
    await stopsAt(one, body.access_token)
  })

  test('of many uses of one code, or of one refresh token, at both at once none leaves a token that works', async () => {
    const app = await signedIn()
    const both = [one, two, one, two, one, two, one, two]
    const replies = await Promise.all(both.map((service) => oauth.refresh(service, app)))
    const given = replies.filter(({ status }) => status === 200)
    expect(given.length).toBeLessThanOrEqual(1)
    for (const { body } of given) for (const service of [one, two]) await stopsAt(service, body.access_token)
    const asked = await oauth.allowed(one)
    const answers = await Promise.all(both.map((service) => oauth.exchange(service, oauth.codeForm(asked))))
    const issued = answers.filter(({ status }) => status === 200)
    expect(issued.length).toBeLessThanOrEqual(1)
    for (const { body } of issued) for (const service of [one, two]) await stopsAt(service, body.access_token)
  })
})
