// What a mail server's behaviour at each stage of SMTP means for a mail; and encryption from the first byte.
// @module-tag once
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { MailAway, MailRefused } from '../../src/kernel/interfaces/mailer.ts'
import { openMailer } from '../../src/platform/mailer.ts'
import { selfSigned } from '../harness/certificate.ts'
import { type SmtpStage, startMailServer, startTarpit } from '../harness/mail-server.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

const folder = temporaryFolder('mailer')
const MAIL = {
  id: 'reset.1',
  from: { name: 'Catalog', address: 'catalog@example.com' },
  replyTo: null,
  to: 'reader@example.com',
  subject: 'Hello',
  text: 'Hello',
  html: '<p>Hello</p>',
}

const errorOf = (url: string): Promise<Error> =>
  openMailer(`${url}?socketTimeout=250`)!
    .send(MAIL)
    .then(
      () => expect.fail('it was sent'),
      (error: Error) => error,
    )

test('a server that never stops talking is given up, whatever it says', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {}).write('220 hi\r\n')
    const talk = () => {
      while (socket.writable && socket.write('\r\n'.repeat(30_000)));
    }
    socket.once('data', talk).on('drain', talk)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cpu = process.cpuUsage()
  const error = await errorOf(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const { user, system } = process.cpuUsage(cpu)
  expect(outcomeOf(error)).toBe('away')
  expect((user + system) / 1000).toBeLessThan(3_000)
  server.close()
})

type Outcome = 'away' | 'refused' | 'unknown'
const outcomeOf = (error: Error): Outcome =>
  error instanceof MailAway ? 'away' : error instanceof MailRefused ? 'refused' : 'unknown'

const AFTER: Partial<Record<SmtpStage, string>> = { MAIL: 'MAIL FROM', RCPT: 'RCPT TO', DATA: 'DATA', '.': 'DATA' }

describe.each([false, true])('a server (pipelining: %s)', (pipelining) => {
  test.each<[SmtpStage, string, Outcome]>([
    ['MAIL', 'hang', 'away'],
    ['MAIL', 'drop', 'away'],
    ['MAIL', '451 4.3.0 Later', 'away'],
    ['MAIL', '553 5.7.1 Not yours', 'refused'],
    ['RCPT', 'hang', 'away'],
    ['RCPT', 'drop', 'away'],
    ['RCPT', '450 4.2.1 Greylisted', 'away'],
    ['RCPT', '550 5.1.1 No such user', 'refused'],
    ['DATA', 'hang', 'away'],
    ['DATA', 'drop', 'away'],
    ['DATA', '554 5.5.1 No', 'refused'],
    ['.', 'hang', 'unknown'],
    ['.', 'drop', 'unknown'],
    ['.', '451 4.3.0 Later', 'away'],
    ['.', '554 5.7.1 Spam', 'refused'],
  ])('that at %s does “%s”: the mail is %s', async (stage, then, outcome) => {
    const server = await startTarpit(stage, then, pipelining)
    try {
      const error = await errorOf(server.url)
      expect([outcomeOf(error), error.message]).toEqual([outcome, expect.not.stringContaining('reader@example.com')])
      if (/^[45]/.test(then)) expect(error.message).toContain(`${then.slice(0, 3)} after ${AFTER[stage]}`)
      expect(server.message.length > 0).toBe(stage === '.')
    } finally {
      await server.close()
    }
  })
})

describe('a server that answers without end', () => {
  test.each<[SmtpStage, Outcome]>([
    ['CONNECT', 'away'],
    ['EHLO', 'away'],
    ['MAIL', 'away'],
    ['RCPT', 'away'],
    ['DATA', 'away'],
    ['.', 'unknown'],
  ])('at %s holds an attempt for its time only, and then has no connection', async (stage, outcome) => {
    const server = await startTarpit(stage, 'drip')
    try {
      const error = await openMailer(server.url, 400)!
        .send(MAIL)
        .then(
          () => expect.fail('it was sent'),
          (error: Error) => error,
        )
      expect(outcomeOf(error)).toBe(outcome)
      await expect.poll(() => server.connections()).toBe(0)
    } finally {
      await server.close()
    }
  })

  test.each(['CONNECT', 'EHLO'] as const)('nor does one that says nothing at %s', async (stage) => {
    const server = await startTarpit(stage, 'hang')
    expect(outcomeOf(await errorOf(server.url))).toBe('away')
    await server.close()
  })
})

test('a server that refuses the password, or is not there, has nothing of the mail', async () => {
  const server = await startMailServer()
  try {
    const { host } = new URL(server.url)
    expect(outcomeOf(await errorOf(`smtp://user:wrong@${host}`))).toBe('away')
    expect(server.attempts).toBe(0)
  } finally {
    await server.close()
  }
  expect(outcomeOf(await errorOf(server.url))).toBe('away')
})

test('smtps: is encrypted from the first byte, and only a trusted certificate is accepted', async () => {
  const certificate = selfSigned('IP:127.0.0.1')
  const server = await startMailServer(certificate)
  try {
    const { host } = new URL(server.url)
    const url = `smtps://user:right@${host}`
    expect(outcomeOf(await errorOf(url))).toBe('away')
    const file = join(folder, 'certificate.pem')
    writeFileSync(file, certificate.cert)
    const mailer = new URL('../../src/platform/mailer.ts', import.meta.url).href
    const script = `const { openMailer } = await import('${mailer}'); await openMailer(process.env.URL).send(${JSON.stringify(MAIL)})`
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...process.env, URL: url, NODE_EXTRA_CA_CERTS: file },
    })
    expect(server.mails).toMatchObject([{ from: 'catalog@example.com', to: ['reader@example.com'] }])
    // A client that does not speak TLS is not understood.
    expect(outcomeOf(await errorOf(`smtp://${host}`))).toBe('away')
  } finally {
    await server.close()
  }
})
