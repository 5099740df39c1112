// Mail servers that are away, refuse, ask for patience or hang up; limits on mails; and what the doctor says.
// @module-tag long
import { beforeEach, describe, expect, test } from 'vitest'
import type { Config } from '../../src/config.ts'
import { examineMail } from '../../src/operating/doctor/connections.ts'
import { createBrowser, PASSWORD, userNamed } from '../harness/browser.ts'
import { expectSound } from '../harness/html.ts'
import { linkIn, startMailServer } from '../harness/mail-server.ts'
import { letMistakesHappen, until } from '../harness/process.ts'
import { ADMIN_TOKEN, startService } from '../harness/service.ts'
import { use } from '../harness/use.ts'

const mail = use(startMailServer)
const service = use(() => startService({ SMTP_URL: mail.url }))
beforeEach(() => {
  mail.mood = 'take'
})

let serial = 0
const newAddress = () => `mailed${++serial}@example.com`

const statesOf = (kind: string) =>
  service.sql(`select id, state, problem from mails where kind = '${kind}' order by created_at`)

async function retryNow(): Promise<void> {
  await service.sql(`update jobs.job set start_after = now() where name = 'mail' and state = 'retry'`)
  await service.wake()
}

describe('a mail server', () => {
  test('that asks to be tried later gets the mail again, with a link that works', async () => {
    mail.mood = 'later'
    const email = newAddress()
    const before = mail.attempts
    await createBrowser(service).submit('/sign-up', '/sign-up', { email })
    await until(() => mail.attempts > before)
    await untilState('sign-up', 'pending', /451/)
    mail.mood = 'take'
    // The queue waits before it tries again; the test does not.
    await until(async () => {
      await retryNow()
      return mail.mails.some(({ to }) => to.includes(email))
    })
    expect((await createBrowser(service).open(linkIn(await mail.mailTo(email)))).status).toBe(200)
  })

  test('that hangs up after it has taken a mail does not get it again, because it may have sent it', async () => {
    mail.mood = 'hang up'
    const email = newAddress()
    await createBrowser(service).submit('/sign-up', '/sign-up', { email })
    await mail.mailTo(email)
    await untilState('sign-up', 'unknown', /not known/)
    mail.mood = 'take'
    await retryNow()
    await letMistakesHappen()
    expect(mail.mails.filter(({ to }) => to.includes(email))).toHaveLength(1)
  })

  test('that is away does not keep a request waiting, and gets the mails when it is back', async () => {
    const other = await startMailServer()
    await other.close()
    const lonely = await startService({ SMTP_URL: other.url })
    try {
      const { id } = await lonely.newKey('standard', 'away@example.com')
      await until(async () => {
        const [row] = await lonely.sql(`select state, problem from mails where id = 'key-created:${id}'`)
        return row?.state === 'pending' && /ECONNREFUSED|ESOCKET/.test(row.problem ?? '')
      })
    } finally {
      await lonely.close()
    }
  })

  test('that refuses a mail does not get it again, and no address is in the log', async () => {
    mail.mood = 'refuse'
    const email = newAddress()
    await createBrowser(service).submit('/sign-up', '/sign-up', { email })
    await untilState('sign-up', 'failed', /554/)
    const attempts = mail.attempts
    await retryNow()
    await letMistakesHappen()
    expect(mail.attempts).toBe(attempts)
    expect(JSON.stringify(service.logged)).not.toContain(email)
  })

  test('that refuses the sender: operators see it in the log, the overview, the console, the metrics and the doctor', async () => {
    const other = await startMailServer()
    const refused = await startService({ SMTP_URL: other.url })
    try {
      const administrator = createBrowser(refused)
      await administrator.submit(pathOf((await refused.firstLink())!), '/link', {
        email: 'operator@example.com',
        password: PASSWORD,
      })
      expect((await administrator.open('/admin')).text).not.toContain('not sent')
      other.mood = 'refuse sender'
      const email = newAddress()
      for (let i = 0; i < 2; i++) await createBrowser(refused).post('/sign-up', { email })
      const problem = 'The mail server refuses the mail: EENVELOPE 553 after MAIL FROM.'
      const overview = async () => (await refused.admin('GET', '/overview')).body.data.mailProblems
      await until(async () => (await overview())?.[0]?.count === 2)
      expect(await overview()).toEqual([
        { kind: 'sign-up', state: 'failed', problem, count: 2, remedy: expect.stringContaining('MAIL_FROM') },
      ])
      const lines = refused.logged.filter(({ mail }) => mail === 'sign-up')
      expect(lines).toMatchObject([
        { state: 'failed', problem },
        { state: 'failed', problem },
      ])
      expect(JSON.stringify(refused.logged)).not.toContain(email)
      const { text } = await administrator.open('/admin')
      expectSound(text)
      expect(text).toContain(`<strong>2 × sign-up</strong>: ${problem}`)
      expect(text).toContain('set MAIL_FROM')
      expect((await refused.fetch('/metrics', { key: ADMIN_TOKEN })).text).toContain(
        'catalog_mails{kind="sign-up",state="failed"} 2\n',
      )
      const { hostname: HOST, port } = new URL(refused.origin)
      const config = { SMTP_URL: other.url, HOST, PORT: Number(port) } as Config
      expect(await examineMail(config, true)).toMatchObject([
        { state: 'ok' },
        { state: 'warning', says: expect.stringContaining('sign-up 2'), remedy: expect.stringContaining('overview') },
      ])
    } finally {
      await refused.close()
      await other.close()
    }
  })
})

test('a database that fails before the server is asked only delays the mail', async () => {
  const email = newAddress()
  await service.sql('alter table sign_in_links rename to sign_in_links_away')
  try {
    await createBrowser(service).post('/sign-up', { email })
    await until(async () => {
      const rows = await service.sql(`select 1 from jobs.job where name = 'mail' and state = 'retry'`)
      return rows.length > 0
    })
  } finally {
    await service.sql('alter table sign_in_links_away rename to sign_in_links')
  }
  expect((await statesOf('sign-up')).at(-1)).toMatchObject({ state: 'pending' })
  await until(async () => {
    await retryNow()
    return mail.mails.some(({ to }) => to.includes(email))
  })
  await untilState('sign-up', 'sent', /^$/)
})

describe('requests for mails', () => {
  test('are limited for each address, with the same answer', async () => {
    const limited = await startService({ SMTP_URL: mail.url, RATE_LIMIT_SCALE: '1', SIGN_UPS_PER_DAY: '50' })
    try {
      const email = newAddress()
      const texts = new Set<string>()
      for (let i = 0; i < 5; i++) texts.add((await createBrowser(limited).post('/sign-up', { email })).text)
      expect(texts.size).toBe(1)
      await mail.mailTo(email, 3)
      await letMistakesHappen()
      expect(mail.mails.filter(({ to }) => to.includes(email))).toHaveLength(3)
    } finally {
      await limited.close()
    }
  })

  test('that strangers have used up leave one to a network that has asked for none, and the page says so', async () => {
    const limited = await startService({ SMTP_URL: mail.url, RATE_LIMIT_SCALE: '1', TRUST_PROXY: '127.0.0.1/32' })
    const ask = (email: string, from: string) =>
      createBrowser(limited).post('/forgot', { email }, { 'x-forwarded-for': from })
    try {
      const email = newAddress()
      await limited.newKey('standard', email)
      await mail.mailTo(email)
      const mailed = () => mail.mails.filter(({ to }) => to.includes(email)).length - 1
      for (let i = 0; i < 5; i++) expect((await ask(email, '198.51.100.1')).status).toBe(200)
      await mail.mailTo(email, 4)
      const own = await ask(email, '203.0.113.7')
      expect(own.text).toContain('They may be used up for today')
      await mail.mailTo(email, 5)
      await ask(email, '203.0.113.7')
      // From very many networks there is an end too.
      for (let i = 0; i < 25; i++) await ask(email, `192.0.2.${i}`)
      await until(() => mailed() === 3 + 20)
      await letMistakesHappen()
      expect(mailed()).toBe(3 + 20)
    } finally {
      await limited.close()
    }
  })

  test('for sign-ups are no accounts: only a link that is used counts towards SIGN_UPS_PER_DAY', async () => {
    const limited = await startService({ SMTP_URL: mail.url, RATE_LIMIT_SCALE: '1', SIGN_UPS_PER_DAY: '1' })
    try {
      const addresses = [newAddress(), newAddress(), newAddress()]
      for (const email of addresses) expect((await createBrowser(limited).post('/sign-up', { email })).status).toBe(200)
      const [, first, second] = await Promise.all(addresses.map((email) => mail.mailTo(email)))
      const short = await createBrowser(limited).submit(linkIn(first!), '/link', { password: 'short' })
      expect(short.status).toBe(400)
      const made = await createBrowser(limited).submit(linkIn(first!), '/link', { password: PASSWORD })
      expect(made.status).toBe(303)
      const refused = await createBrowser(limited).submit(linkIn(second!), '/link', { password: PASSWORD })
      expect([refused.status, refused.text.includes('1 account was made from your network today')]).toEqual([429, true])
      expect(await userNamed(limited, addresses[2]!)).toBeUndefined()
      // The link works on the next day.
      expect((await createBrowser(limited).open(linkIn(second!))).status).toBe(200)
    } finally {
      await limited.close()
    }
  })

  test('with a text that is no address are refused', async () => {
    for (const email of ['', 'nobody', 'a@b\r\nBcc: c@d.example', 'a@example.com, b@example.com', '<a@example.com>'])
      expect([email, (await createBrowser(service).post('/forgot', { email })).status]).toEqual([email, 400])
  })
})

describe('catalog doctor', () => {
  const examined = async (SMTP_URL?: string) => (await examineMail({ SMTP_URL } as Config, false))[0]!

  test('signs in to the server, and names what is wrong without the password', async () => {
    const before = mail.attempts
    const { host } = new URL(mail.url)
    expect(await examined()).toMatchObject({ state: 'ok', says: expect.stringContaining('Not set up') })
    expect(await examined(`smtp://user:right@${host}`)).toMatchObject({ state: 'ok' })
    const wrong = await examined(`smtp://user:hunter2@${host}`)
    expect(wrong).toMatchObject({ state: 'problem', remedy: expect.stringContaining('SMTP_URL') })
    expect(JSON.stringify(wrong)).not.toContain('hunter2')
    expect(await examined('smtp://127.0.0.1:9')).toMatchObject({ state: 'problem' })
    expect(mail.attempts).toBe(before)
  })
})

const pathOf = (url: string): string => url.slice(new URL(url).origin.length)

const untilState = (kind: string, state: string, problem: RegExp) =>
  until(async () => {
    const last = (await statesOf(kind)).at(-1)
    return last?.state === state && problem.test(last.problem ?? '')
  })
