// Ways around a budget: other spellings, methods, headers, addresses and keys. Budgets are the real ones.
import { describe, expect, test } from 'vitest'
import { KEY_MAKING_BUDGETS, MAX_LIVE_KEYS } from '../../src/features/keys/budgets.rules.ts'
import { type Browser, formIn, signedUp, userNamed } from '../harness/browser.ts'
import { call, message, rpc } from '../harness/mcp.ts'
import { exchange, request, sendRaw, statusesIn } from '../harness/raw.ts'
import { startService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const service = useService({ RATE_LIMIT_SCALE: '1' })
const proxied = useService({ RATE_LIMIT_SCALE: '1', TRUST_PROXY: '127.0.0.1/32, 10.0.0.0/8' })

const BUDGET = 10
const standard = async () => (await service.newKey('standard')).key
const counted = (statuses: number[]) => statuses.filter((status) => status !== 429).length
const keysOf = async (email: string) =>
  (await service.admin('GET', '/keys?limit=1000')).body.data.filter((key: { owner: string }) => key.owner === email)
const notRevoked = (keys: { id: string; revokedAt: string | null }[]) =>
  keys.filter(({ revokedAt }) => revokedAt === null)

describe('one key', () => {
  test('a key has one budget for every URL spelling', async () => {
    const key = await standard()
    const spelt = [
      '/api/v1/tags',
      '/api/v1/tags/',
      '/api/v1/tags//',
      '/api/v1//tags',
      '//api/v1/tags',
      '/api/v1/%74ags',
      '/api/v1/TAGS',
      '/API/V1/tags',
      '/api/v1/./tags',
      '/api/v1/x/../tags',
      '/api/v1/tags;a=b',
      '/api/v1/tags%2F',
      '/api/v1/tags?a=1',
      '/api/v1/tags#a',
      'http://127.0.0.1/api/v1/tags',
      '/api/v1/tags%',
      '/api/v1/tools/no-such',
      '/api/v1/no-such',
      '/api/v1',
      '/mcp/tags',
    ]
    const statuses: number[] = []
    for (const path of spelt)
      statuses.push((await sendRaw(service.origin, request('GET', path, [`X-API-Key: ${key}`]))).status)
    // Discovery is public and charged to the visitor, with or without a key.
    const charged = statuses.filter((_, i) => spelt[i] !== '/api/v1')
    expect(counted(charged)).toBe(BUDGET)
    expect(charged.slice(BUDGET)).toEqual(charged.slice(BUDGET).map(() => 429))
  })

  test('has one budget, whatever the method', async () => {
    const key = await standard()
    const statuses: number[] = []
    for (const method of [
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'PROPFIND',
      'QUERY',
      'GET',
      'HEAD',
      'TRACE',
      'LINK',
    ])
      statuses.push(
        ...statusesIn(
          await exchange(service.origin, request(method, '/api/v1/tags', [`X-API-Key: ${key}`, 'Connection: close'])),
        ),
      )
    expect(statuses).toHaveLength(12)
    expect(counted(statuses)).toBe(BUDGET)
    // A preflight is free and does nothing: no body, no read.
    const preflight = await service.rest('/tags', { key, method: 'OPTIONS' })
    expect([preflight.status, preflight.text]).toEqual([204, ''])
  })

  test('has one budget, whichever header carries the key and whatever surrounds it', async () => {
    const key = await standard()
    const ways = [
      [`X-API-Key: ${key}`],
      [`x-api-key:    ${key}   `],
      [`Authorization: Bearer ${key}`],
      [`authorization: BEARER   ${key}  `],
      [`Authorization: Bearer ${key}`, `X-API-Key: ${key}`],
      [`X-API-Key: ${key}`, 'X-Forwarded-For: 203.0.113.7', 'Forwarded: for=203.0.113.8', 'X-Real-IP: 203.0.113.9'],
      [`X-API-Key: ${key}`, 'Cache-Control: no-cache', 'If-None-Match: "x"', 'Range: bytes=0-1'],
    ]
    const statuses: number[] = []
    for (let round = 0; round < 3; round++)
      for (const headers of ways)
        statuses.push((await sendRaw(service.origin, request('GET', '/api/v1/tags', headers))).status)
    expect(statuses).toEqual([...Array(BUDGET).fill(200), ...Array(21 - BUDGET).fill(429)])
  })

  test('thirty requests of a key at once on one connection share one budget', async () => {
    const key = await standard()
    const one = `GET /api/v1/tags HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\n\r\n`
    const statuses = statusesIn(await exchange(service.origin, one.repeat(30), 1_000))
    expect(statuses).toEqual([...Array(BUDGET).fill(200), ...Array(20).fill(429)])
  })

  test('batches, notifications and free MCP methods give a key no more calls', async () => {
    const key = await standard()
    let served = 0
    for (let round = 0; round < 10; round++) {
      const batch = Array.from({ length: 5 }, (_, i) => [
        call('list_tags'),
        message(i === 2 ? 'tools/list' : 'ping'),
      ]).flat()
      const { body } = await rpc(service, key, batch)
      const answers = [body].flat() as { result?: { content?: unknown } }[]
      served += answers.filter(({ result }) => result?.content !== undefined).length
    }
    // A call without an id gets no answer but is charged.
    const { id, ...silent } = call('list_tags')
    await rpc(service, key, silent)
    expect(served).toBe(30)
    expect((await rpc(service, key, call('list_tags'))).status).toBe(429)
  })

  test('that is wrong is charged to the visitor, so guessing keys is slow', async () => {
    const guesses = await startService({ RATE_LIMIT_SCALE: '1' })
    const left: number[] = []
    for (let i = 0; i < 5; i++) {
      const guess = `aid_${String(i).padStart(38, '0')}`
      const reply = await guesses.rest('/tags', {
        key: null,
        headers: i % 2 ? { 'x-api-key': guess } : { authorization: `Bearer ${guess}` },
      })
      expect(reply.status).toBe(401)
      left.push(Number(reply.headers.get('x-ratelimit-remaining')))
    }
    expect(left).toEqual([59, 58, 57, 56, 55])
    await guesses.close()
  })
})

describe('many keys', () => {
  const make = async (browser: Browser, token: string) =>
    (await browser.post('/dashboard/keys', { token, agree: 'true' })).status
  const tokenOf = async (browser: Browser) => formIn((await browser.open('/dashboard')).text, '/dashboard/keys')!.token!

  test('a user has at most ten valid keys, also when forty requests at once ask for one by form and by API', async () => {
    const unlimited = await startService()
    const browser = await signedUp(unlimited)
    const token = await tokenOf(browser)
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, i) =>
        i % 2
          ? make(browser, token)
          : // Other spellings of the address belong to the same user.
            (
              await unlimited.admin('POST', '/keys', {
                email: [browser.email, ` ${browser.email.toUpperCase()} `][i % 3 ? 1 : 0],
              })
            ).status,
      ),
    )
    expect(statuses.filter((status) => status === 201)).toHaveLength(MAX_LIVE_KEYS)
    const { id } = await userNamed(unlimited, browser.email)
    const rows = await unlimited.sql(`select id from keys where user_id = '${id}' and revoked_at is null`)
    expect(rows).toHaveLength(MAX_LIVE_KEYS)
    expect(await unlimited.sql(`select id from users where lower(trim(email)) = '${browser.email}'`)).toHaveLength(1)
    await unlimited.close()
  })

  test('replacing keys does not renew the budget endlessly: a user may make twenty an hour', async () => {
    const browser = await signedUp(service)
    const token = await tokenOf(browser)
    const most = KEY_MAKING_BUDGETS[0]!.calls
    let made = 0
    for (let i = 0; i < most + 5; i++) {
      if ((await make(browser, token)) === 201) made++
      for (const { id } of notRevoked(await keysOf(browser.email)))
        await browser.post(`/dashboard/keys/${id}/revoke`, { token })
    }
    expect(made).toBe(most)
    expect((await browser.open('/dashboard')).text).toContain('Rate limit exceeded')
    // Other users can still make keys.
    const other = await signedUp(service)
    expect(await make(other, await tokenOf(other))).toBe(201)
  })
})

describe('many addresses', () => {
  const remaining = async (headers: Record<string, string>, path = '/api/v1/') =>
    Number((await proxied.fetch(path, { headers })).headers.get('x-ratelimit-remaining'))
  const forwarded = (value: string) => ({ 'x-forwarded-for': value })

  test('behind a trusted proxy the address that the proxy saw counts, whatever the client wrote before it', async () => {
    const first = await remaining(forwarded('198.51.100.1'))
    for (const [i, forged] of [
      '203.0.113.1',
      '127.0.0.1',
      '10.0.0.9',
      'unknown',
      '::1',
      '203.0.113.2, 203.0.113.3',
    ].entries())
      expect(await remaining(forwarded(`${forged}, 198.51.100.1`))).toBe(first - 1 - i)
    // Several trusted proxies in a row are skipped.
    expect(await remaining(forwarded('198.51.100.1, 10.1.2.3'))).toBe(first - 7)
  })

  test('other headers that name an address are ignored, also behind a proxy', async () => {
    const first = await remaining(forwarded('198.51.100.2'))
    for (const [i, name] of ['x-real-ip', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip', 'forwarded'].entries())
      expect(
        await remaining({ ...forwarded('198.51.100.2'), [name]: name === 'forwarded' ? 'for=9.9.9.9' : '9.9.9.9' }),
      ).toBe(first - 1 - i)
  })

  test('the addresses of one IPv6 customer are one visitor, and so are two spellings of one address', async () => {
    const first = await remaining(forwarded('2001:db8:1:2::1'))
    for (const [i, address] of [
      '2001:db8:1:2::2',
      '2001:db8:1:2:ffff::1',
      '2001:DB8:1:2:0:0:0:1',
      '2001:0db8:0001:0002::9',
      '2001:db8:1:3::1',
      '2001:db8:1:ff::1',
    ].entries())
      expect(await remaining(forwarded(address))).toBe(first - 1 - i)
    expect(await remaining(forwarded('2001:db8:1:102::1'))).toBe(first)
    const plain = await remaining(forwarded('198.51.100.3'))
    expect(await remaining(forwarded('::ffff:198.51.100.3'))).toBe(plain - 1)
    expect(await remaining(forwarded('::ffff:c633:6403'))).toBe(plain - 2)
  })

  test('all clients with an invalid address are one visitor, so that nonsense is no way around the limit', async () => {
    const first = await remaining(forwarded('nonsense'))
    for (const [i, nonsense] of ['other', '999.1.1.1', "'", '<script>', '1.2.3.4.5'].entries())
      expect(await remaining(forwarded(nonsense))).toBeLessThanOrEqual(first - 1 - i)
  })

  test('sign-in attempts from all over one IPv6 network are attempts from one address', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 12; i++)
      statuses.push(
        (
          await proxied.fetch('/sign-in', {
            method: 'POST',
            type: 'application/x-www-form-urlencoded',
            body: new URLSearchParams({ email: `guess${i}@example.com`, password: 'wrong password' }).toString(),
            headers: { origin: proxied.origin, 'x-forwarded-for': `2001:db8:9:9::${i + 1}` },
          })
        ).status,
      )
    expect(statuses).toEqual([...Array(10).fill(400), 429, 429])
  })
})
