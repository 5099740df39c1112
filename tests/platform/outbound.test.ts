// Which addresses outbound requests reach, judged by the connections that are tried.
// @module-tag slow
import ipaddr from 'ipaddr.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { OutboundRefused, type OutboundRequest } from '../../src/kernel/interfaces/outbound.ts'
import { createOutbound, type OutboundOptions } from '../../src/platform/outbound/outbound.ts'
import { HOSTILE_URLS, PRIVATE_ANSWERS, PRIVATE_HOSTS, WRONG_PORTS } from '../harness/hostile-addresses.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { type Sentinels, startSentinels, watchAttempts } from '../harness/sentinels.ts'

// This address plays the public internet: it is allowed. Every other address of this machine is private.
const OUTSIDE = '127.0.0.2'
const allowed = [`${OUTSIDE}/32`]
const ASK: OutboundRequest = { maxBytes: 10_000, timeoutMs: 2_000, redirects: 3 }

let sentinels: Sentinels
let outside: Receiver
let watch: ReturnType<typeof watchAttempts>
const opened: ReturnType<typeof createOutbound>[] = []

beforeAll(async () => {
  sentinels = await startSentinels()
  outside = await startReceiver(
    {
      '/redirect': (response, request) => {
        const { searchParams } = new URL(request.url!, 'http://any')
        const location = Buffer.from(searchParams.get('to')!, 'base64url').toString('latin1')
        response.writeHead(Number(searchParams.get('status') ?? 302), { location }).end('elsewhere')
      },
      '/cookie': (response) =>
        response.writeHead(302, { 'set-cookie': ['a=1; Path=/', 'b=2'], location: '/after-cookie' }).end(),
      '/set-cookie': (response) => response.writeHead(200, { 'set-cookie': 'a=1', 'x-kept': 'yes' }).end('ok'),
    },
    OUTSIDE,
  )
})
beforeEach(() => {
  watch = watchAttempts()
  outside.arrivals.length = 0
})
afterEach(async () => {
  watch.stop()
  for (const outbound of opened.splice(0)) await outbound.close()
  // After every test: no connection to a private address was tried.
  expect(watch.attempts.filter((ip) => ipaddr.process(ip).toString() !== OUTSIDE && !isPublicText(ip))).toEqual([])
  expect(sentinels.arrivals).toBe(0)
})
afterAll(async () => {
  await outside.close()
  await sentinels.close()
})

// This rule is written again here, independent of the code under test.
const isPublicText = (ip: string) => ipaddr.process(ip).range() === 'unicast' && !/^(::|168\.63\.)/.test(ip)

function open(options: Partial<OutboundOptions> = {}) {
  const resolve = async (): Promise<string[]> => ['127.0.0.1']
  const outbound = createOutbound({ allowed, resolve, ...options })
  opened.push(outbound)
  return outbound
}
const redirectTo = (to: string, status = 302) =>
  `${outside.origin}/redirect?status=${status}&to=${Buffer.from(to).toString('base64url')}`
const isRefused = (outcome: PromiseSettledResult<unknown>) =>
  outcome.status === 'rejected' && outcome.reason instanceof OutboundRefused

/** Returns the URLs that were not refused. The requests run at the same time, because there are hundreds. */
async function listNotRefused(urls: readonly string[], fetch: (url: string) => Promise<unknown>): Promise<string[]> {
  const outcomes = await Promise.allSettled(urls.map(fetch))
  return urls.filter((_, i) => !isRefused(outcomes[i]!))
}

const everySpelling = () =>
  PRIVATE_HOSTS.flatMap((host) => [
    `http://${host}/`,
    `https://${host}/x?y#z`,
    `http://${host}:443/`,
    `http://${host}:${sentinels.port}/`,
  ])

describe('a refused address', () => {
  test('every spelling of a private address is refused, on port 80, 443 and another port', async () => {
    const { fetch } = open()
    const urls = everySpelling()
    expect(new Set([...urls, ...HOSTILE_URLS, ...WRONG_PORTS]).size).toBeGreaterThan(600)
    expect(await listNotRefused(urls, (url) => fetch(url, ASK))).toEqual([])
    expect(watch.attempts).toEqual([])
  })

  test('the same spellings are refused without any allowed network, and with the real name servers', async () => {
    const outbound = createOutbound({ allowed: [] })
    opened.push(outbound)
    expect(await listNotRefused(everySpelling(), (url) => outbound.fetch(url, ASK))).toEqual([])
    expect(watch.attempts).toEqual([])
  })

  test('an address with credentials, backslashes, line breaks or another scheme is refused', async () => {
    const { fetch } = open()
    expect(await listNotRefused(HOSTILE_URLS, (url) => fetch(url, ASK))).toEqual([])
    expect(watch.attempts).toEqual([])
  })

  test('a public address on another port than 80 and 443 is refused, by address and by name', async () => {
    const { fetch } = open({ resolve: async () => ['93.184.215.14', '2606:2800:21f:cb07::1'] })
    expect(await listNotRefused(WRONG_PORTS, (url) => fetch(url, ASK))).toEqual([])
    await expect(fetch('https://public.example.com:8443/', ASK)).rejects.toThrow(
      'Only the ports 80 and 443 of public addresses may be reached.',
    )
    expect(watch.attempts).toEqual([])
  })

  test('redirects to each of these addresses are refused', async () => {
    const { fetch } = open()
    // A Location is resolved against the page that sent it, so one without a scheme stays on the public host.
    const absolute = [...PRIVATE_HOSTS.map((host) => `http://${host}/`), ...HOSTILE_URLS, ...WRONG_PORTS].filter(
      (url) => /^[a-z]+:(?!.?127)[\x21-\x7e]+$/.test(url) && URL.canParse(url),
    )
    expect(absolute.length).toBeGreaterThan(150)
    // All are asked at once, so that the last waits for the others: longer than one request alone may take.
    const ask = { ...ASK, timeoutMs: 30_000 }
    const follow = (url: string, i: number) => fetch(redirectTo(url, [301, 302, 303, 307, 308][i % 5]), ask)
    const outcomes = await Promise.allSettled(absolute.map(follow))
    expect(absolute.filter((_, i) => !isRefused(outcomes[i]!))).toEqual([])
    expect(new Set(watch.attempts)).toEqual(new Set([OUTSIDE]))
  })

  test('names that resolve to private addresses are refused, also behind a redirect', async () => {
    const { fetch } = open({ resolve: async (name) => [PRIVATE_ANSWERS[Number(/\d+/.exec(name)![0])]!] })
    const urls = PRIVATE_ANSWERS.flatMap((_, i) => [`http://x${i}.example.com/`, `https://x${i}.example.com/`])
    expect(await listNotRefused(urls, (url) => fetch(url, ASK))).toEqual([])
    expect(await listNotRefused(urls, (url) => fetch(redirectTo(url), ASK))).toEqual([])
    expect(new Set(watch.attempts)).toEqual(new Set([OUTSIDE]))
  })

  test('a name without an address is refused', async () => {
    await expect(open({ resolve: async () => [] }).fetch('http://none.example.com/', ASK)).rejects.toThrow(
      new OutboundRefused('The host has no public address.'),
    )
  })
})

describe('the address of a connection', () => {
  test('only the permitted ones of several addresses are tried', async () => {
    const { fetch } = open({ resolve: async () => ['127.0.0.1', '::1', '10.0.0.1', OUTSIDE, '169.254.169.254'] })
    const reply = await fetch(`http://mixed.example.com:${outside.port}/`, ASK)
    expect([reply.status, reply.body.toString()]).toEqual([200, 'ok'])
    expect(watch.attempts).toEqual([OUTSIDE])
    expect(outside.arrivals[0]!.headers.host).toBe(`mixed.example.com:${outside.port}`)
  })

  test('a name whose address changes to a private one a moment later is refused', async () => {
    let asked = 0
    const { fetch } = open({ resolve: async () => (asked++ % 2 ? ['127.0.0.1', '::1'] : [OUTSIDE]) })
    const url = `http://rebinding.example.com:${outside.port}/`
    const outcomes: string[] = []
    for (let i = 0; i < 6; i++)
      outcomes.push(
        await fetch(url, ASK).then(
          ({ body }) => body.toString(),
          (error) => error.message,
        ),
      )
    expect(outcomes).toEqual(Array(3).fill(['ok', 'The host has no public address.']).flat())
    expect([asked, watch.attempts]).toEqual([6, [OUTSIDE, OUTSIDE, OUTSIDE]])
  })

  test('any port and http are allowed inside an allowed network', async () => {
    const { fetch } = open({ allowed: [`${OUTSIDE}/32`] })
    expect((await fetch(`${outside.origin}/a?b=c`, ASK)).status).toBe(200)
    expect((await fetch(`http://[::ffff:${OUTSIDE}]:${outside.port}/`, ASK)).status).toBe(200)
    await expect(fetch(`http://127.0.0.1:${outside.port}/`, ASK)).rejects.toThrow(OutboundRefused)
  })

  test('for localhost, where loopback is allowed, only the allowed addresses are tried', async () => {
    const { fetch } = open({ allowed: ['127.0.0.0/8'], resolve: async () => ['::1', OUTSIDE] })
    expect((await fetch(`http://localhost:${outside.port}/`, ASK)).status).toBe(200)
    expect(watch.attempts).toEqual([OUTSIDE])
  })

  test('a name of the hosts file is looked up by the system where private networks are allowed', async () => {
    const inside = await startReceiver()
    const outbound = createOutbound({ allowed: ['127.0.0.1/32'] })
    expect((await outbound.fetch(`http://localhost:${inside.port}/`, ASK)).status).toBe(200)
    await outbound.close()
    await inside.close()
    expect(watch.attempts.splice(0)).toEqual(['127.0.0.1'])
  })
})

describe('the content of an outbound request', () => {
  test('after a redirect to another host it has neither body nor authorization nor any header that could be a secret', async () => {
    const { fetch } = open({ resolve: async () => [OUTSIDE] })
    const other = `http://other.example.com:${outside.port}/landed`
    const headers = { Authorization: 'Bearer secret', 'X-Secret': 's', Cookie: 'c=1', Accept: 'text/html' }
    for (const status of [301, 302, 303, 307, 308]) await fetch(redirectTo(other, status), { ...ASK, headers })
    for (const status of [301, 302, 303])
      await fetch(redirectTo(other, status), { ...ASK, headers, method: 'POST', body: 'secret' })
    const landed = outside.at('/landed')
    expect(landed).toHaveLength(8)
    for (const { method, headers: got, body } of landed) {
      expect([method, body.length, got.accept]).toEqual(['GET', 0, 'text/html'])
      expect(JSON.stringify(got)).not.toMatch(/secret|c=1/i)
    }
    for (const status of [307, 308])
      await expect(fetch(redirectTo(other, status), { ...ASK, method: 'POST', body: 'secret' })).rejects.toThrow(
        new OutboundRefused('The answer redirects a request with a body to another host.'),
      )
    expect(outside.at('/landed')).toHaveLength(8)
  })

  test('after a 307 to the same host it has the same method and body, after a 303 it has not', async () => {
    const { fetch } = open()
    const post = {
      ...ASK,
      method: 'POST' as const,
      body: 'kept',
      headers: { 'content-type': 'text/plain', 'x-own': '1' },
    }
    await fetch(redirectTo('/landed-307', 307), post)
    await fetch(redirectTo('/landed-303', 303), post)
    const [kept] = outside.at('/landed-307')
    expect([kept!.method, kept!.body.toString(), kept!.headers['x-own']]).toEqual(['POST', 'kept', '1'])
    const [got] = outside.at('/landed-303')
    expect([got!.method, got!.body.length, got!.headers['content-type'], got!.headers['x-own']]).toEqual([
      'GET',
      0,
      undefined,
      '1',
    ])
  })

  test('it has no cookies, and no proxy of the environment is used', async () => {
    const before = { ...process.env }
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY'])
      process.env[name] = `http://127.0.0.1:${sentinels.port}`
    process.env.NODE_USE_ENV_PROXY = '1'
    try {
      const { fetch } = open()
      expect((await fetch(`${outside.origin}/cookie`, ASK)).url).toBe(`${outside.origin}/after-cookie`)
      await fetch(`${outside.origin}/again`, ASK)
      expect(outside.arrivals.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined, undefined])
      expect((await fetch(`${outside.origin}/set-cookie`, ASK)).headers).toMatchObject({ 'x-kept': 'yes' })
      expect((await fetch(`${outside.origin}/set-cookie`, ASK)).headers).not.toHaveProperty('set-cookie')
    } finally {
      process.env = before
    }
  })

  test('when redirects are not allowed, the redirect itself is the answer', async () => {
    const reply = await open().fetch(redirectTo('http://127.0.0.1/'), { ...ASK, redirects: 0 })
    expect([reply.status, reply.headers.location, reply.body.toString()]).toEqual([
      302,
      'http://127.0.0.1/',
      'elsewhere',
    ])
  })
})
