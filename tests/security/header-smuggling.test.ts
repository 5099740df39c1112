// Requests that two servers in a row would read differently, credentials that are sent twice, and forged headers. Sent as bytes, because no
// HTTP client would send them.
import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowser, formIn, signedUp } from '../harness/browser.ts'
import { exchange, request, sendRaw, statusesIn } from '../harness/raw.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
  await service.load([{ kind: 'tool', slug: 'kept', name: 'Kept' }])
})

const INNER = () =>
  `DELETE /api/admin/tools/kept HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${ADMIN_TOKEN}\r\nX-Smuggled: yes\r\n\r\n`

/** Checks that the service did not take bytes of a body for a second request. */
async function expectOneRequest(bytes: string | Buffer): Promise<number[]> {
  const before = service.logged.filter(({ method }) => method === 'DELETE').length
  const received = await exchange(service.origin, bytes)
  expect(service.logged.filter(({ method }) => method === 'DELETE')).toHaveLength(before)
  expect((await service.admin('GET', '/tools/kept')).status).toBe(200)
  return statusesIn(received)
}

describe('the length of a body', () => {
  const post = (headers: string[], body: string) =>
    `POST /api/v1/submit-ai-tool HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`

  test.each([
    ['Content-Length and Transfer-Encoding', ['Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['Transfer-Encoding and Content-Length', ['Transfer-Encoding: chunked', 'Content-Length: 5']],
    ['two Content-Lengths that differ', ['Content-Length: 5', 'Content-Length: 0']],
    ['two Content-Lengths in one', ['Content-Length: 5, 0']],
    ['a Content-Length with a sign', ['Content-Length: +5']],
    ['a negative Content-Length', ['Content-Length: -1']],
    ['a hexadecimal Content-Length', ['Content-Length: 0x5']],
    ['a Content-Length too large for a number', ['Content-Length: 99999999999999999999999']],
    ['an empty Content-Length', ['Content-Length:']],
    ['a space before the colon', ['Transfer-Encoding : chunked']],
    ['a tab before the name', ['Content-Length: 5', '\tTransfer-Encoding: chunked']],
    ['chunked that is not last', ['Transfer-Encoding: chunked, identity']],
    ['chunked twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked']],
    ['nearly chunked', ['Transfer-Encoding: xchunked']],
    ['chunked in quotes', ['Transfer-Encoding: "chunked"']],
    ['chunked after a vertical tab', ['Transfer-Encoding: \x0bchunked']],
    ['a bare CR in a header', ['X-A: b\rTransfer-Encoding: chunked', 'Content-Length: 5']],
    ['a NUL in a header', ['X-A: b\0', 'Content-Length: 5']],
    ['a NUL in the name of a header', ['Content-Length\0: 5']],
  ])('%s: refused, the connection is closed, and what follows is not read as a request', async (_case, headers) => {
    const statuses = await expectOneRequest(post(headers, `0\r\n\r\n${INNER()}`))
    expect(statuses[0]).toBeGreaterThanOrEqual(400)
    expect(statuses).toHaveLength(1)
  })

  test.each([
    ['lines that end with LF alone', (text: string) => text.replaceAll('\r\n', '\n')],
    ['an empty name', (text: string) => text.replace('\r\n\r\n', '\r\n: x\r\n\r\n')],
    ['no colon', (text: string) => text.replace('\r\n\r\n', '\r\nnonsense\r\n\r\n')],
  ])('%s: refused', async (_case, change) => {
    const statuses = statusesIn(await exchange(service.origin, change(post(['Content-Length: 2'], '{}'))))
    expect(statuses).toEqual([400])
  })

  test('a chunk longer than its size and an invalid size are refused', async () => {
    for (const body of [
      '1\r\n{}\r\n0\r\n\r\n',
      'x\r\n{}\r\n0\r\n\r\n',
      '-2\r\n{}\r\n0\r\n\r\n',
      '2 \r\n{}x\r\n0\r\n\r\n',
    ]) {
      const statuses = await expectOneRequest(post(['Transfer-Encoding: chunked'], body + INNER()))
      expect(statuses.every((status) => status >= 400)).toBe(true)
    }
  })

  test('a trailer is no header: a key in it opens nothing', async () => {
    const bytes = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: X-API-Key\r\n\r\n2\r\n{}\r\n0\r\nX-API-Key: ${key}\r\n\r\n`
    expect(statusesIn(await exchange(service.origin, bytes))).toEqual([401])
  })

  test('an endless chunk extension is refused', async () => {
    const bytes = post(['Transfer-Encoding: chunked'], `2;${'a'.repeat(64 * 1024)}\r\n{}\r\n0\r\n\r\n`)
    const statuses = statusesIn(await exchange(service.origin, bytes))
    expect(statuses.length).toBeLessThanOrEqual(1)
    for (const status of statuses) expect([400, 403, 413]).toContain(status)
  })

  test('the body of a GET is not read as the next request', async () => {
    const bytes = request('GET', '/api/v1/tags', [`X-API-Key: ${key}`], INNER())
    const statuses = await expectOneRequest(bytes)
    expect(statuses).toHaveLength(1)
  })
})

describe('credentials', () => {
  const status = async (headers: string[]) =>
    (await sendRaw(service.origin, request('GET', '/api/v1/tags', headers))).status

  test.each([
    ['two X-API-Key headers, a right one first', (right: string) => [`X-API-Key: ${right}`, 'X-API-Key: aid_x']],
    ['two X-API-Key headers, a right one last', (right: string) => ['X-API-Key: aid_x', `X-API-Key: ${right}`]],
    ['two X-API-Key headers, both right', (right: string) => [`X-API-Key: ${right}`, `x-api-key: ${right}`]],
    [
      'two Authorization headers, a right one last',
      (right: string) => ['Authorization: Bearer aid_x', `authorization: Bearer ${right}`],
    ],
    [
      'two Authorization headers, both right',
      (right: string) => [`Authorization: Bearer ${right}`, `Authorization: Bearer ${right}`],
    ],
    [
      'an Authorization of another scheme beside a right one',
      (right: string) => ['Authorization: Basic eDp5', `Authorization: Bearer ${right}`],
    ],
    ['two keys in one header', (right: string) => [`X-API-Key: ${right}, ${right}`]],
    ['two bearers in one header', (right: string) => [`Authorization: Bearer ${right}, Bearer ${right}`]],
    ['a key inside the value of another header', (right: string) => [`X-Nothing: a\r\n X-API-Key: ${right}`]],
    ['a key after a folded line', (right: string) => [`X-Nothing: a\r\n\tAuthorization: Bearer ${right}`]],
    [
      'a key in another place',
      (right: string) => [`Proxy-Authorization: Bearer ${right}`, `Cookie: x-api-key=${right}`],
    ],
    ['a name with another dash', (right: string) => [`X_API_Key: ${right}`]],
    ['a name with a space', (right: string) => [`X-API-Key : ${right}`]],
    ['a key with a NUL', (right: string) => [`X-API-Key: ${right}\0`]],
    ['a key in quotes', (right: string) => [`X-API-Key: "${right}"`]],
  ])('%s: 401 or 400, never 200', async (_case, headers) => {
    expect([400, 401]).toContain(await status(headers(key)))
  })

  test('an operator token beside a key is refused, whichever header carries which', async () => {
    for (const headers of [
      [`Authorization: Bearer ${ADMIN_TOKEN}`, `X-API-Key: ${key}`],
      [`Authorization: Bearer ${key}`, `X-API-Key: ${ADMIN_TOKEN}`],
      [`Authorization: Bearer ${ADMIN_TOKEN}`, 'Authorization: Bearer x'],
    ])
      expect((await sendRaw(service.origin, request('GET', '/api/admin/keys', headers))).status).toBe(401)
  })
})

describe('the host of a request', () => {
  test('a target with a host in it is read as the path alone, and needs the same key', async () => {
    for (const target of ['http://localhost/api/admin/keys', 'https://127.0.0.1/api/admin/keys']) {
      expect((await sendRaw(service.origin, request('GET', target, [`X-API-Key: ${key}`]))).status).toBe(403)
      expect((await sendRaw(service.origin, request('GET', target))).status).toBe(401)
    }
    for (const target of ['http://evil.example/api/admin/keys', 'https://evil.example/api/admin/keys'])
      expect((await sendRaw(service.origin, request('GET', target, [`X-API-Key: ${key}`]))).status).toBe(421)
    for (const target of ['evil.example:80', 'file:///etc/passwd', '@evil.example/', '\\\\x\\y'])
      expect((await sendRaw(service.origin, request('GET', target))).status).toBeGreaterThanOrEqual(400)
  })

  test.each([
    'Host: evil.example',
    'X-Forwarded-Host: evil.example',
    'Forwarded: host=evil.example',
    'X-Host: evil.example',
  ])('no answer repeats a host that the client sent: %s', async (header) => {
    for (const path of [
      '/',
      '/tools/kept',
      '/sitemap.xml',
      '/robots.txt',
      '/llms.txt',
      '/api/v1/',
      '/api/v1/openapi.json',
      '/dashboard',
      '/sign-in',
      '/docs',
    ]) {
      const sent = `GET ${path} HTTP/1.1\r\n${header.startsWith('Host') ? '' : 'Host: localhost\r\n'}${header}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`
      const received = await exchange(service.origin, sent, 2_000)
      expect(statusesIn(received)).toHaveLength(1)
      expect(received).not.toContain('evil.example')
    }
  })

  test('a forwarded host does not make a form of another site ours', async () => {
    const browser = await signedUp(service)
    const { token } = formIn((await browser.open('/dashboard')).text, '/dashboard/keys')!
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    for (const headers of [
      { ...foreign, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
      { origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' },
      { origin: 'http://evil.example', forwarded: 'host=evil.example;proto=http' },
    ] as Record<string, string>[])
      expect((await browser.post('/dashboard/keys', { token: token!, agree: 'true' }, headers)).status).toBe(403)
    expect(await createBrowser(service).post('/sign-in', {}, foreign)).toMatchObject({ status: 403 })
  })

  test('the service switches to no other protocol and speaks no other version', async () => {
    const upgrade = (to: string) =>
      `GET /api/v1/tags HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: ${to}\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`
    for (const to of ['h2c', 'websocket', 'TLS/1.0']) {
      const statuses = statusesIn(await exchange(service.origin, upgrade(to)))
      expect(statuses).not.toContain(101)
    }
    for (const first of [
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'GET /api/v1/tags\r\n\r\n',
      'GET / HTTP/3.0\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
    ])
      for (const status of statusesIn(await exchange(service.origin, first))) expect(status).toBeGreaterThanOrEqual(400)
    expect(
      await exchange(service.origin, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n'),
    ).not.toMatch(/^HTTP\/1\.1 2/)
  })
})

test('none of these requests caused an error of the service', () => {
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([])
})
