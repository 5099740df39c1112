// How many accounts may be made from one network address in a day.
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { createBrowser, isSignedIn, newAddress, PASSWORD, signedUp, userNamed } from '../harness/browser.ts'
import { createDatabase, startService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const realLimits = { RATE_LIMIT_SCALE: '1', TRUST_PROXY: '127.0.0.1/32' }
const service = useService(realLimits)

const signUp = (from: string, email = newAddress(), password = PASSWORD, at = service) =>
  createBrowser(at).post('/sign-up', { email, password }, { 'x-forwarded-for': from })
const countUsers = async () => (await service.sql('select id from users')).length

describe('one network address makes five accounts a day', () => {
  test('the sixth sign-up is a 429 that says how many, how long and what to do, and no account is made', async () => {
    for (let i = 0; i < 5; i++) expect((await signUp('198.51.100.1')).status).toBe(303)
    const before = await countUsers()
    const email = newAddress()
    const reply = await signUp('198.51.100.1', email)
    expect(reply.status).toBe(429)
    expect(reply.text).toContain('5 accounts were made from your network today')
    expect(reply.text).toContain('try again in 24 hours')
    expect(reply.text).toContain('action="/sign-up"')
    expect(reply.headers.getSetCookie()).toEqual([])
    const wait = Number(reply.headers.get('retry-after'))
    expect(wait > 23 * 3600 && wait <= 24 * 3600).toBe(true)
    expect(await countUsers()).toBe(before)
    expect(await userNamed(service, email)).toBeUndefined()
    expect((await signUp('198.51.100.2', email)).status).toBe(303)
  })

  test('ten sign-ups at once from one address make five accounts', async () => {
    const before = await countUsers()
    const replies = await Promise.all(Array.from({ length: 10 }, () => signUp('198.51.100.3')))
    expect(replies.filter(({ status }) => status === 303)).toHaveLength(5)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(5)
    expect(await countUsers()).toBe(before + 5)
  })

  test('the addresses of one IPv6 customer count as one address', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await signUp(`2001:db8:7:7::${i + 1}`)).status)
    expect(statuses).toEqual([303, 303, 303, 303, 303, 429])
  })

  test('only accounts that were made count: not a short password, a wrong e-mail address or one that is taken', async () => {
    const { email } = await signedUp(service)
    for (const [address, password] of [
      [newAddress(), 'short'],
      ['no address', PASSWORD],
      [email, PASSWORD],
      [email, PASSWORD],
    ] as const)
      expect((await signUp('198.51.100.5', address, password)).status).toBe(400)
    for (let i = 0; i < 5; i++) expect((await signUp('198.51.100.5')).status).toBe(303)
    expect((await signUp('198.51.100.5')).status).toBe(429)
  })

  test('a person who has an account still signs in from that address, and a link of the operator works', async () => {
    const person = await signedUp(service)
    for (let i = 0; i < 5; i++) await signUp('198.51.100.6')
    const from = { 'x-forwarded-for': '198.51.100.6' }
    const browser = createBrowser(service)
    const reply = await browser.post('/sign-in', { email: person.email, password: PASSWORD }, from)
    expect([reply.status, await isSignedIn(browser)]).toEqual([303, true])
    const { id } = await userNamed(service, person.email)
    const link = new URL((await service.admin('POST', `/users/${id}/link`)).body.data.url)
    const fields = { link: link.searchParams.get('token')!, email: person.email, password: 'a new password' }
    expect((await createBrowser(service).post('/link', fields, from)).status).toBe(303)
  })
})

test('SIGN_UPS_PER_DAY changes that number, and the limits of keys stay as they are', async () => {
  const strict = await startService({ ...realLimits, SIGN_UPS_PER_DAY: '1' })
  try {
    expect((await signUp('198.51.100.1', newAddress(), PASSWORD, strict)).status).toBe(303)
    const reply = await signUp('198.51.100.1', newAddress(), PASSWORD, strict)
    expect([reply.status, reply.text.includes('1 account was made from your network today')]).toEqual([429, true])
    const { key } = await strict.newKey('standard')
    expect((await strict.rest('/tags', { key })).headers.get('x-ratelimit-remaining')).toBe('9')
  } finally {
    await strict.close()
  }
})

const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env

test.skipIf(!TEST_DATABASE_URL || !TEST_REDIS_URL)('two processes count sign-ups together', async () => {
  const database = await createDatabase(TEST_DATABASE_URL!)
  const redis = new URL(TEST_REDIS_URL!)
  redis.pathname = '/15'
  const shared = {
    ...realLimits,
    DATABASE_URL: database.url,
    REDIS_URL: redis.href,
    KEY_PEPPER: 'one pepper for both of these processes',
  }
  const pair = [await startService(shared), await startService(shared)]
  try {
    const from = `203.0.113.${process.pid % 250}`
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) => signUp(from, newAddress(), PASSWORD, pair[i % 2])),
    )
    expect(replies.filter(({ status }) => status === 303)).toHaveLength(5)
  } finally {
    for (const one of pair) await one.close()
    await database.drop()
  }
})
