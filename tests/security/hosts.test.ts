// Which hosts the service answers for. A page of another site that points its own name at our address (DNS rebinding) names its own host in
// every request, and no surface may answer such a request.
import { beforeAll, describe, expect, test } from 'vitest'
import { PASSWORD } from '../harness/browser.ts'
import { BROWSER } from '../harness/html.ts'
import { exchange, type RawReply, sendRaw, statusesIn } from '../harness/raw.ts'
import { type ServedRoute, servedRoutes } from '../harness/routes.ts'
import { ADMIN_TOKEN, startService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let key: string
let port: string
const service = useService({ PUBLIC_URL: 'https://catalog.example', ALLOWED_HOSTS: 'catalog.internal, Other.Name' })
beforeAll(async () => {
  key = (await service.newKey()).key
  port = new URL(service.origin).port
  await service.load([{ kind: 'tool', slug: 'one', name: 'One' }])
})

const asking = (lines: readonly string[], path = '/api/v1/tags', method = 'GET', version = '1.1', body = '') =>
  sendRaw(
    service.origin,
    `${method} ${path} HTTP/${version}\r\n${[...lines, 'Connection: close'].join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
const withHost = (host: string, path?: string, more: string[] = []) =>
  asking([`Host: ${host}`, `X-API-Key: ${key}`, ...more], path)

function expectMisdirected(reply: RawReply): void {
  expect(reply.status).toBe(421)
  expect(reply.text).toContain('ALLOWED_HOSTS')
  expect(reply.text).toContain('https://catalog.example')
  expect(reply.text).not.toContain('evil')
}

describe('hosts that are ours', () => {
  test.each([
    'catalog.example',
    'catalog.example:443',
    'catalog.example:8080',
    'CATALOG.Example',
    'catalog.example.',
    'catalog.example.:443',
    'localhost',
    'localhost:3000',
    'LOCALHOST',
    'localhost.',
    'catalog.internal',
    'catalog.internal:3000',
    'other.name',
    '127.0.0.1',
    '127.0.0.1:3000',
    '10.20.30.40',
    '203.0.113.9:80',
    '[::1]',
    '[::1]:3000',
    '[2001:DB8::1]',
    '[::ffff:127.0.0.1]:80',
  ])('%s is answered', async (host) => {
    expect((await withHost(host)).status).toBe(200)
    expect((await withHost(host, '/')).status).toBe(200)
  })
})

describe('hosts that are not ours: 421', () => {
  test.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    'evil.localhost',
    'catalog.example.evil.example',
    'xcatalog.example',
    'sub.catalog.example',
    'catalog.example..',
    'internal',
    // Not the form in which browsers write an IP address, so it may be a name.
    '2130706433',
    '127.1',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.0.0.1.',
    '127.0.0.1.evil.example',
    '999.1.1.1',
    '1.2.3',
    '::1',
    '[::1',
    '[::1]evil',
    '[::1%25eth0]',
    '[127.0.0.1]',
    '[evil.example]',
    'localhost@evil.example',
    'evil.example/localhost',
    'evil.example#localhost',
    'localhost evil.example',
    'localhost:x',
    'localhost:80:80',
    'localhost,evil.example',
    '',
  ])('%j', async (host) => {
    expectMisdirected(await withHost(host))
    expectMisdirected(await withHost(host, '/'))
  })

  test('every address and method refuses foreign hosts, whatever the credential; only health checks answer', async () => {
    const routes: ServedRoute[] = await servedRoutes({ GITHUB_CLIENT_ID: 'x', GITHUB_CLIENT_SECRET: 'y' })
    const before = await service.sql('select count(*) as n from audit')
    const answered: string[] = []
    for (const { method, path } of [
      ...routes,
      { method: 'OPTIONS', path: '/api/v1/tools' },
      { method: 'PROPFIND', path: '/api/v1/tools' },
      { method: 'HEAD', path: '/' },
      { method: 'GET', path: '/no/such/page' },
      { method: 'GET', path: '/api/v1/no-such' },
      { method: 'GET', path: '/%ZZ' },
      { method: 'GET', path: '/api/v1/%ZZ' },
    ])
      for (const held of [key, ADMIN_TOKEN]) {
        const filled = path.replaceAll(/:\w+/g, 'one')
        const reply = await asking(['Host: evil.example', `Authorization: Bearer ${held}`], filled, method)
        if (reply.status !== 421) answered.push(`${method} ${path} ${reply.status}`)
      }
    expect(new Set(answered)).toEqual(new Set(['GET /healthz 200', 'GET /readyz 200']))
    expect(await service.sql('select count(*) as n from audit')).toEqual(before)
  })

  test('the refusal is an envelope on API paths and a page elsewhere, with the headers of the visitor', async () => {
    for (const path of ['/api/v1/tools', '/api/v1/no-such', '/api/admin/users', '/mcp', '/metrics']) {
      const reply = await withHost('evil.example', path)
      expect(JSON.parse(reply.text)).toEqual({
        success: false,
        error: expect.stringContaining('ALLOWED_HOSTS'),
        code: 'misdirected',
      })
      expect(reply.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/)
    }
    for (const path of ['/', '/tools/one', '/docs', '/sign-in', '/dashboard', '/admin', '/no-such']) {
      const reply = await withHost('evil.example', path, [`Accept: ${BROWSER}`])
      expect([path, reply.headers.get('content-type')]).toEqual([path, 'text/html; charset=utf-8'])
      expect(reply.text).toContain('ALLOWED_HOSTS')
      expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
    }
  })

  test('the log says so at most once a minute', async () => {
    const said = service.logged.filter(({ message }) => String(message).includes('ALLOWED_HOSTS'))
    expect(said.length).toBeGreaterThan(0)
    expect(said.length).toBeLessThanOrEqual(3)
  })
})

describe('other ways to name a host', () => {
  test('HTTP/1.0 without a host is answered: it names no other host, and load balancers send such requests', async () => {
    expect((await asking([`X-API-Key: ${key}`], '/api/v1/tags', 'GET', '1.0')).status).toBe(200)
    expect((await asking([], '/readyz', 'GET', '1.0')).status).toBe(200)
    expectMisdirected(await asking(['Host: evil.example'], '/api/v1/tags', 'GET', '1.0'))
    expect(statusesIn(await exchange(service.origin, 'GET / HTTP/1.1\r\n\r\n'))).toEqual([400])
  })

  test('a form over HTTP/1.0 without a host causes no error of the service', async () => {
    const lines = ['Origin: http://evil.example', 'Content-Type: application/x-www-form-urlencoded']
    expect((await asking(lines, '/sign-in', 'POST', '1.0', 'email=a')).status).toBe(403)
  })

  test('a whole URL as the target: its host is checked beside the header', async () => {
    const ask = (target: string, host: string) => asking([`Host: ${host}`, `X-API-Key: ${key}`], target)
    for (const target of [
      'http://localhost/api/v1/tags',
      'http://127.0.0.1:1/api/v1/tags',
      'HTTPS://Catalog.Example/api/v1/tags',
    ])
      expect([target, (await ask(target, 'localhost')).status]).toEqual([target, 200])
    for (const target of [
      'http://evil.example/api/v1/tags',
      'https://evil.example:80/',
      'http://localhost@evil.example/',
      'http:///x',
      'http://evil.example',
    ])
      expectMisdirected(await ask(target, 'localhost'))
    expectMisdirected(await ask('http://localhost/api/v1/tags', 'evil.example'))
    const unknownPath = await ask('http://localhost/api/v1/no-such', 'localhost')
    expect([unknownPath.status, JSON.parse(unknownPath.text).success]).toEqual([404, false])
  })

  test.each([
    ['localhost', 'evil.example'],
    ['evil.example', 'localhost'],
    ['localhost', 'localhost'],
  ])('two Host headers, %s and %s: 400', async (first, second) => {
    const reply = await asking([`Host: ${first}`, `X-API-Key: ${key}`, `host: ${second}`])
    expect(reply.status).toBe(400)
  })

  test('a forwarded host neither makes a host ours nor makes ours foreign, with and without a trusted proxy', async () => {
    const trusting = await startService({ TRUST_PROXY: '127.0.0.1/32' })
    try {
      for (const { origin } of [service, trusting])
        for (const header of ['X-Forwarded-Host', 'X-Host', 'X-Original-Host', 'Forwarded: host'])
          for (const [host, forwarded, status] of [
            ['evil.example', 'localhost', 421],
            ['localhost', 'evil.example', 200],
          ] as const) {
            const named = header.includes(':') ? `${header}=${forwarded}` : `${header}: ${forwarded}`
            const bytes = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n${named}\r\nConnection: close\r\n\r\n`
            expect((await sendRaw(origin, bytes.replace('/healthz', '/robots.txt'))).status).toBe(status)
          }
    } finally {
      await trusting.close()
    }
  })

  test('behind a trusted proxy a form is ours when its origin is one of our hosts, whatever host the proxy names', async () => {
    const trusting = await startService({ TRUST_PROXY: '127.0.0.1/32' })
    const post = (origin: string, forwarded: string) =>
      trusting.fetch('/sign-in', {
        method: 'POST',
        type: 'application/x-www-form-urlencoded',
        body: 'email=a%40example.com&password=x',
        headers: { origin, 'x-forwarded-host': forwarded, accept: BROWSER },
      })
    try {
      expect((await post('http://evil.example', 'evil.example')).status).toBe(403)
      expect((await post('http://localhost:9', 'localhost:9')).status).toBe(400)
    } finally {
      await trusting.close()
    }
  })
})

describe('DNS rebinding, as a browser sends it', () => {
  /** The browser takes the request for one of the page's own origin, so only the host gives it away. */
  const fromPage = (path: string, method = 'GET', body = '', more: string[] = []) =>
    asking(
      [
        `Host: evil.example:${port}`,
        'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
        `Accept: ${BROWSER}`,
        `Referer: http://evil.example:${port}/`,
        'Sec-Fetch-Site: same-origin',
        'Sec-Fetch-Mode: cors',
        'Sec-Fetch-Dest: empty',
        ...(method === 'POST' ? [`Origin: http://evil.example:${port}`] : []),
        ...more,
      ],
      path,
      method,
      '1.1',
      body,
    )

  test('the page reads neither the catalog nor the metrics of a service that only this machine reaches', async () => {
    for (const path of ['/', '/tools/one', '/metrics', '/sign-up', '/api/v1/', '/sitemap.xml'])
      expectMisdirected(await fromPage(path))
  })

  test('the page makes no account and no key', async () => {
    const users = await service.sql('select id from users')
    const body = new URLSearchParams({ email: 'rebound@example.com', password: PASSWORD }).toString()
    const type = 'Content-Type: application/x-www-form-urlencoded'
    expectMisdirected(await fromPage('/sign-up', 'POST', body, [type]))
    expectMisdirected(await fromPage('/dashboard/keys', 'POST', 'agree=true', [type]))
    expect(await service.sql('select id from users')).toHaveLength(users.length)
  })

  test('the page calls nothing over MCP, also with a key', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const reply = await fromPage('/mcp', 'POST', body, [`X-API-Key: ${key}`, 'Content-Type: application/json'])
    expectMisdirected(reply)
  })

  test('the same holds for a service that is known only as localhost', async () => {
    const local = await startService({ PUBLIC_URL: '' })
    try {
      const bytes = (host: string) => `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
      expect((await sendRaw(local.origin, bytes(`evil.example:${new URL(local.origin).port}`))).status).toBe(421)
      expect((await sendRaw(local.origin, bytes('localhost'))).status).toBe(200)
    } finally {
      await local.close()
    }
  })
})
