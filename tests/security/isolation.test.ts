// One caller must not keep others waiting. node bench/isolation.ts measures how much slower others get; these tests check the mechanisms.
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, newAddress, PASSWORD } from '../harness/browser.ts'
import { until } from '../harness/process.ts'
import { statusesIn } from '../harness/raw.ts'
import { startService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const service = useService({ RATE_LIMIT_SCALE: '1' })
beforeAll(() => service.load([{ kind: 'tool', slug: 'one', name: 'One' }]))

const standard = async () => (await service.newKey('standard')).key
const get = (path: string, headers: string[]) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`

/** A connection and everything that was received over it. */
interface Line {
  socket: Socket
  received(): string
  forget(): void
  closed: Promise<void>
}

const opened: Socket[] = []
afterAll(() => {
  for (const socket of opened) socket.destroy()
})

async function open(): Promise<Line> {
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1')
  opened.push(socket)
  socket.on('error', () => {})
  let received = ''
  socket.on('data', (bytes) => (received += bytes.toString('latin1')))
  await new Promise((resolve) => socket.once('connect', resolve))
  return {
    socket,
    received: () => received,
    forget: () => {
      received = ''
    },
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
  }
}

/** Opens a connection and uses it once, so that the service has accepted it. */
async function openAndUsed(): Promise<Line> {
  const line = await open()
  line.socket.write(get('/healthz', []))
  await until(() => line.received() !== '')
  line.forget()
  return line
}

describe('requests are started in turn', () => {
  const FLOOD = 100
  const REQUESTS: [string, (key: string) => string][] = [
    ['reads past the limit', (key) => get('/api/v1/tools', [`X-API-Key: ${key}`])],
    ['made-up keys', () => get('/api/v1/tools', ['X-API-Key: aid_nothing'])],
    ['pages', () => get('/', ['Accept: text/html'])],
    ['unknown addresses', () => get('/no/such/page', [])],
    ['addresses that cannot be decoded', (key) => get('/api/v1/%ZZ', [`X-API-Key: ${key}`])],
    ['health', () => get('/healthz', [])],
  ]

  test.each(REQUESTS)(
    `a read of another key is answered before most of ${FLOOD} %s that were sent earlier`,
    async (_what, request) => {
      const [flooder, reader] = [await standard(), await standard()]
      const lines = await Promise.all(Array.from({ length: FLOOD }, openAndUsed))
      const other = await openAndUsed()
      // All lines are written at once, the reader's last: the service reads the sockets in this order.
      for (const { socket } of lines) socket.write(request(flooder))
      other.socket.write(get('/api/v1/tools/one', [`X-API-Key: ${reader}`]))
      const answered = () => lines.filter(({ received }) => received() !== '').length
      let before = 0
      other.socket.once('data', () => (before = answered()))
      await until(() => other.received() !== '' && answered() === FLOOD)
      expect(statusesIn(other.received())).toEqual([200])
      expect(before).toBeLessThan(FLOOD / 2)
      for (const { socket } of [...lines, other]) socket.destroy()
    },
  )
})

describe('a refused request with a large body', () => {
  const BODY = 'x'.repeat(250 * 1024)
  const post = (path: string, headers: string[], body: string) =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers.map((line) => `${line}\r\n`).join('')}Content-Length: ${body.length}\r\n\r\n${body}`

  test('the service discards the body after the answer, and the connection serves the next request', async () => {
    const key = await standard()
    const lines = await Promise.all(Array.from({ length: 20 }, open))
    for (const { socket } of lines) {
      socket.write(post('/api/v1/submit-ai-tool', [`X-API-Key: ${key}`, 'Content-Type: application/json'], BODY))
      socket.write(get('/healthz', []))
    }
    await until(() => lines.every(({ received }) => statusesIn(received()).length === 2))
    for (const { received } of lines) expect(statusesIn(received())).toEqual([403, 200])
    for (const { socket } of lines) socket.destroy()
  })

  test('the same holds for a chunked body, a wrong address, a wrong method and the body of a GET', async () => {
    const chunked = `${(250 * 1024).toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
    for (const [request, status] of [
      [`POST /api/v1/tags HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`, [405, 429]],
      [post('/no-such', [], BODY), [404, 429]],
      [post('/healthz', [], BODY), [404, 405, 429]],
      [post('/healthz', [], BODY).replace('POST', 'GET'), [200]],
    ] as const) {
      const { socket, received } = await open()
      socket.write(request)
      socket.write(get('/readyz', []))
      await until(() => statusesIn(received()).length === 2)
      expect(status).toContain(statusesIn(received())[0])
      expect(statusesIn(received())[1]).toBe(200)
      socket.destroy()
    }
  })
})

test('invalid HTTP is answered at once fifty times a second; a flood of it waits a second, and other clients do not', async () => {
  // After a second the service has forgotten the count of an earlier test.
  await wait(1_100)
  const lines = await Promise.all(Array.from({ length: 80 }, open))
  const began = Date.now()
  for (const { socket } of lines) socket.write('nonsense\r\n\r\n')
  await until(() => lines.filter(({ received }) => received() !== '').length >= 50)
  expect((await service.fetch('/healthz')).status).toBe(200)
  expect(lines.filter(({ received }) => received() !== '')).toHaveLength(50)
  await Promise.all(lines.map(({ closed }) => closed))
  expect(Date.now() - began).toBeGreaterThanOrEqual(950)
  for (const { received } of lines) expect(statusesIn(received())).toEqual([400])
})

describe('a session whose user has spent the budget', () => {
  test('is refused without a look-up, on pages and at the operator API, until the window ends', async () => {
    // Five pages a minute for a signed-in user, one for other visitors.
    const small = await startService({ RATE_LIMIT_SCALE: '0.02', REDIS_URL: '', TRUST_PROXY: '127.0.0.1/32' })
    try {
      const person = createBrowser(small)
      const from = { 'x-forwarded-for': '198.51.100.4' }
      expect((await person.post('/sign-up', { email: newAddress(), password: PASSWORD }, from)).status).toBe(303)
      const page = () => small.fetch('/dashboard', { headers: { cookie: person.cookieHeader() } })
      const api = () => small.fetch('/api/admin/users', { headers: { cookie: person.cookieHeader() } })
      const statuses: number[] = []
      for (let i = 0; i < 6; i++) statuses.push((await page()).status)
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
      expect((await api()).status).toBe(403)
      // Without a look-up the service does not notice that the sessions are gone.
      await small.sql('delete from sessions')
      for (const reply of [await page(), await api()]) {
        expect(reply.status).toBe(429)
        const wait = Number(reply.headers.get('retry-after'))
        expect(wait >= 1 && wait <= 60).toBe(true)
        expect(reply.headers.get('x-ratelimit-remaining')).toBe('0')
      }
    } finally {
      await small.close()
    }
  })

  test('is told so in every spelling of its cookie', async () => {
    const small = await startService({ RATE_LIMIT_SCALE: '0.02', REDIS_URL: '', TRUST_PROXY: '127.0.0.1/32' })
    try {
      const person = createBrowser(small)
      const from = { 'x-forwarded-for': '198.51.100.5' }
      expect((await person.post('/sign-up', { email: newAddress(), password: PASSWORD }, from)).status).toBe(303)
      const [name, value] = [...person.cookies].find(([name]) => name.endsWith('_session'))!
      const statusOf = async (cookie: string) => (await small.fetch('/dashboard', { headers: { cookie } })).status
      const encoded = `%${value.charCodeAt(0).toString(16)}${value.slice(1)}`
      // The last character of the signature has two bits that are not read, so another one is a spelling of the same signature.
      const otherEnd = value.replace(/[A-Za-z0-9+/](?=(=|%3D)$)/, otherSpellingOf)
      expect(otherEnd).not.toBe(value)
      const spellings = [value, encoded, otherEnd, `${value}; ${name}=other`].map((text) => `${name}=${text}`)
      for (const cookie of spellings) expect(await statusOf(cookie)).toBe(200)
      // Quotes are part of the value, as they are for browsers, so this is no session.
      expect(await statusOf(`${name}="${value}"`)).toBe(303)
      for (let i = 0; i < 3; i++) await statusOf(`${name}=${value}`)
      // What is not looked up is not missed.
      await small.sql('delete from sessions')
      for (const cookie of spellings) expect(await statusOf(cookie)).toBe(429)
    } finally {
      await small.close()
    }
  })
})

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const otherSpellingOf = (character: string): string => BASE64[BASE64.indexOf(character) ^ 1]!
