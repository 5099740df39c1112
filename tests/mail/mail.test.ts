// @module-tag slow
// Mail through a real SMTP server on loopback: each event sends one mail, links work once and for an hour, and no answer says which
// addresses have an account.
import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, PASSWORD, userNamed } from '../harness/browser.ts'
import { linkIn, startMailServer } from '../harness/mail-server.ts'
import { signedIn } from '../harness/oauth.ts'
import { letMistakesHappen } from '../harness/process.ts'
import { startService } from '../harness/service.ts'
import { use } from '../harness/use.ts'

const mail = use(startMailServer)
const service = use(() => startService({ SMTP_URL: mail.url, MAIL_FROM: 'catalog@example.com' }))
beforeAll(() => service.admin('PUT', '/site', { name: 'Ada’s Index', contactEmail: 'hello@example.com' }))

let serial = 0
const newAddress = () => `mailed${++serial}@example.com`

/** Signs up through the mail and returns the signed-in browser. */
async function confirmed(email = newAddress()) {
  const browser = createBrowser(service)
  expect((await browser.submit('/sign-up', '/sign-up', { email })).status).toBe(200)
  const path = linkIn(await mail.mailTo(email))
  const reply = await browser.submit(path, '/link', { password: PASSWORD })
  expect([reply.status, reply.headers.get('location')]).toEqual([303, '/dashboard'])
  return { ...browser, email }
}

describe('sign-up', () => {
  test('sends a link; the account exists once it is opened and a password is chosen', async () => {
    const email = newAddress()
    const browser = createBrowser(service)
    const asked = await browser.submit('/sign-up', '/sign-up', { email, next: '/dashboard/usage' })
    expect(asked.text).toContain('Look into your mail')
    const received = await mail.mailTo(email)
    expect(await userNamed(service, email)).toBeUndefined()
    expect(received.from).toBe('catalog@example.com')
    expect(received.headers.get('auto-submitted')).toBe('auto-generated')
    expect(received.headers.get('reply-to')).toBe('hello@example.com')
    expect(received.source).toContain('text/html')
    const reply = await browser.submit(linkIn(received), '/link', { password: PASSWORD })
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/dashboard/usage'])
    expect(await userNamed(service, email)).toMatchObject({ role: 'user', plan: 'standard' })
    // The link works once.
    expect((await createBrowser(service).open(linkIn(received))).status).toBe(410)
  })

  test('answers the same for an address that has an account, whose owner gets another mail', async () => {
    const { email } = await confirmed()
    const unknown = newAddress()
    const ask = (address: string) => createBrowser(service).submit('/sign-up', '/sign-up', { email: address })
    const [taken, free] = [await ask(email), await ask(unknown)]
    expect([taken.status, taken.text.replaceAll(email, unknown)]).toEqual([free.status, free.text])
    const received = await mail.mailTo(email, 2)
    expect(received.text).toContain('which has an account already')
  })

  test('two links of one address make one account', async () => {
    const email = newAddress()
    const browser = createBrowser(service)
    await browser.submit('/sign-up', '/sign-up', { email })
    await browser.submit('/sign-up', '/sign-up', { email })
    const [first, second] = [await mail.mailTo(email, 1), await mail.mailTo(email, 2)]
    expect((await browser.submit(linkIn(first), '/link', { password: PASSWORD })).status).toBe(303)
    expect((await createBrowser(service).open(linkIn(second))).status).toBe(410)
    expect(
      (
        await createBrowser(service).post('/link', {
          link: new URLSearchParams(linkIn(second).split('?')[1]).get('token')!,
          password: 'another password',
        })
      ).status,
    ).toBe(410)
  })

  test('a link that is older than an hour does not work', async () => {
    const email = newAddress()
    await createBrowser(service).submit('/sign-up', '/sign-up', { email })
    const received = await mail.mailTo(email)
    const [{ hours }] = await service.sql(
      `select extract(epoch from expires_at - created_at)::int / 3600 as hours from sign_in_links where email = '${email}'`,
    )
    expect(hours).toBe(1)
    await service.sql(`update sign_in_links set expires_at = now() where email = '${email}'`)
    expect((await createBrowser(service).open(linkIn(received))).status).toBe(410)
  })
})

describe('a new password', () => {
  test('is set with a link, which signs out every other browser', async () => {
    const { email, open } = await confirmed()
    const browser = createBrowser(service)
    await browser.submit('/forgot', '/forgot', { email })
    const received = await mail.mailTo(email, 2)
    expect((await browser.submit(linkIn(received), '/link', { password: 'a quite new password' })).status).toBe(303)
    expect((await open('/dashboard')).status).toBe(303)
    const other = createBrowser(service)
    expect((await other.submit('/sign-in', '/sign-in', { email, password: PASSWORD })).status).toBe(400)
    expect((await other.submit('/sign-in', '/sign-in', { email, password: 'a quite new password' })).status).toBe(303)
  })

  test('is answered the same for an unknown address and a banned account, which get no mail', async () => {
    const { email } = await confirmed()
    const { id } = await userNamed(service, email)
    await service.admin('PATCH', `/users/${id}`, { banned: true })
    const unknown = newAddress()
    const ask = (address: string) => createBrowser(service).submit('/forgot', '/forgot', { email: address })
    const [banned, free] = [await ask(email), await ask(unknown)]
    expect([banned.status, banned.text.replaceAll(email, unknown)]).toEqual([free.status, free.text])
    const known = await confirmed()
    await ask(known.email)
    await mail.mailTo(known.email, 2)
    await letMistakesHappen()
    expect(mail.mails.filter(({ to }) => to.includes(unknown))).toEqual([])
    expect(mail.mails.filter(({ to }) => to.includes(email))).toHaveLength(1)
  })
})

describe('an account with an address that was never confirmed', () => {
  /** As one that was made before the service sent mail. */
  async function unconfirmed() {
    const user = await confirmed()
    await service.sql(`update users set email_verified = false where email = '${user.email}'`)
    const made = await user.submit('/dashboard', '/dashboard/keys', { name: 'Early', agree: 'true' })
    const [key] = /aid_[0-9A-Za-z]{38}/.exec(made.text)!
    const { token } = await signedIn(service, { browser: user })
    const { id } = await userNamed(service, user.email)
    return { ...user, id: id as string, key, token }
  }

  const works = async (...credentials: string[]) =>
    Promise.all(credentials.map(async (key) => (await service.rest('/tags', { key })).status === 200))

  async function resetBy(email: string, fields: Record<string, string>) {
    const browser = createBrowser(service)
    const before = mail.mails.filter(({ to }) => to.includes(email)).length
    await browser.submit('/forgot', '/forgot', { email })
    const path = linkIn(await mail.mailTo(email, before + 1))
    const page = await browser.open(path)
    const reply = await browser.submit(path, '/link', { password: 'a quite new password', ...fields })
    expect(reply.status).toBe(303)
    return { page, next: await browser.open('/dashboard') }
  }

  test('loses its keys and programs when its owner sets a password by mail, who is told so', async () => {
    const { id, email, key, token } = await unconfirmed()
    expect(await works(key, token)).toEqual([true, true])
    await mail.mailTo(email, 3)
    const { page, next } = await resetBy(email, {})
    expect(page.text).toContain('Keep what this account has: 1 API key and 1 program')
    expect(await works(key, token)).toEqual([false, false])
    expect(next.text).toContain('has ended: 1 API key and 1 program')
    const rows = await service.sql(`select action, actor from audit where actor = '${email}' order by id desc limit 3`)
    expect(rows.map(({ action }) => action).sort()).toEqual(['account.link-used', 'grant.end', 'key.revoke'])
    expect(await service.sql(`select email_verified from users where id = '${id}'`)).toEqual([{ email_verified: true }])
    // The address is confirmed now, so the next link ends nothing.
    const made = await service.newKey('standard', email)
    await mail.mailTo(email, 5)
    const again = await resetBy(email, {})
    expect(again.page.text).not.toContain('Keep what')
    expect(await works(made.key)).toEqual([true])
  })

  test('keeps them when its owner says so', async () => {
    const { email, key, token } = await unconfirmed()
    await mail.mailTo(email, 3)
    const { next } = await resetBy(email, { keep: 'true' })
    expect(next.text).not.toContain('has ended')
    expect(await works(key, token)).toEqual([true, true])
  })

  test('keeps them with a link of the operator, and without anyone who has signed in', async () => {
    const { id, key, token } = await unconfirmed()
    const link = (await service.admin('POST', `/users/${id}/link`)).body.data.url.slice(service.origin.length)
    const browser = createBrowser(service)
    expect((await browser.submit(link, '/link', { password: 'a quite new password' })).status).toBe(303)
    expect(await works(key, token)).toEqual([true, true])
    const email = newAddress()
    const issued = await service.newKey('standard', email)
    await mail.mailTo(email)
    await resetBy(email, {})
    expect(await works(issued.key)).toEqual([true])
  })
})

describe('news', () => {
  test('of a key, a replaced key, a grant and a plan reach the user once each, under the name of the site', async () => {
    const user = await confirmed()
    const { id: userId } = await userNamed(service, user.email)
    const make = (name: string) => user.submit('/dashboard', '/dashboard/keys', { name, agree: 'true' })
    expect((await make('Line\r\nBcc: evil@example.com')).status).not.toBe(201)
    expect((await make('Line Bcc: evil@example.com')).status).toBe(201)
    const ofKey = await mail.mailTo(user.email, 2)
    expect(decoded(ofKey.headers.get('subject')!)).toBe('A new API key at Ada’s Index')
    expect(ofKey.headers.has('bcc')).toBe(false)
    expect(ofKey.to).toEqual([user.email])
    expect(ofKey.source).not.toMatch(/aid_[0-9A-Za-z]{38}/)
    const [, keyId] = /keys\/([^/"]+)\/rotate/.exec((await user.open('/dashboard')).text)!
    await service.admin('POST', `/keys/${keyId}/rotate`, {})
    expect((await mail.mailTo(user.email, 3)).text).toContain('It replaces the key that ends in')
    await service.admin('PATCH', `/users/${userId}`, { plan: 'premium' })
    expect((await mail.mailTo(user.email, 4)).text).toContain('60 REST and 120 MCP calls a minute')
    await service.admin('PATCH', `/users/${userId}`, { plan: 'premium' })
    await signedIn(service, { browser: user })
    expect((await mail.mailTo(user.email, 5)).text).toContain('to read the catalog')
    await letMistakesHappen()
    expect(mail.mails.filter(({ to }) => to.includes(user.email))).toHaveLength(5)
  })
})

/** An encoded word of a header (RFC 2047). */
const decoded = (text: string): string =>
  text.replace(/\?=\s+=\?/g, '?==?').replace(/=\?utf-8\?(q|b)\?([^?]*)\?=/gi, (_, kind: string, value: string) =>
    kind.toLowerCase() === 'b'
      ? Buffer.from(value, 'base64').toString()
      : Buffer.from(
          value
            .replaceAll('_', ' ')
            .replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
          'latin1',
        ).toString(),
  )
