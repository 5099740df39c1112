// What the service reveals about itself to any client: nothing that helps an attacker, and every header that protects a browser.
import { beforeAll, describe, expect, test } from 'vitest'
import { BROWSER } from '../harness/html.ts'
import { INTERNAL_DETAILS } from '../harness/internal-details.ts'
import { type PopulatedService, populateService } from '../harness/page-list.ts'
import { exchange, request, sendRaw } from '../harness/raw.ts'
import { filledPath, type ServedRoute, servedRoutes } from '../harness/routes.ts'
import { ADMIN_TOKEN, type Reply, type RequestOptions } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let populated: PopulatedService
let served: ServedRoute[]
let key: string
const service = useService()
beforeAll(async () => {
  populated = await populateService(service)
  served = await servedRoutes({ GITHUB_CLIENT_ID: 'x', GITHUB_CLIENT_SECRET: 'y' })
  key = (await service.newKey()).key
})

const fill = ({ path }: ServedRoute) => {
  try {
    return filledPath(path, {
      ...populated.known,
      media: 'x.png',
      conversations: populated.known.support!,
      sitemaps: '1.xml',
      tools: 'full-house',
    })
  } catch {
    return path.replaceAll(/:\w+/g, 'x')
  }
}

describe('headers', () => {
  const SAYS_TOO_MUCH = ['server', 'x-powered-by', 'via', 'x-aspnet-version', 'x-runtime', 'x-generator']

  test('every answer forbids content sniffing and names no program, for every caller and every outcome', async () => {
    const asks: RequestOptions[] = [
      {},
      { key },
      { key: ADMIN_TOKEN },
      { headers: { accept: BROWSER } },
      { headers: { accept: BROWSER, cookie: populated.administrator.cookieHeader() } },
    ]
    for (const route of served.filter(({ method }) => method === 'GET'))
      for (const ask of asks) {
        const { headers, status } = await service.fetch(fill(route), ask)
        const at = `${route.path} ${status}`
        expect([at, headers.get('x-content-type-options')]).toEqual([at, 'nosniff'])
        expect([at, SAYS_TOO_MUCH.filter((name) => headers.has(name))]).toEqual([at, []])
        if (status !== 204 && status !== 303 && status !== 302 && status !== 304)
          expect([at, headers.get('content-type')]).toEqual([
            at,
            expect.stringMatching(/charset=utf-8$|^image\/|^font\/|^application\/gzip$/),
          ])
      }
  })

  test('answers to unknown paths, unknown methods and invalid HTTP have the same headers', async () => {
    for (const bytes of [
      request('GET', '/no-such', ['Connection: close']),
      request('GET', '/api/v1/%ZZ', ['Connection: close']),
      request('GET', '/%ZZ', ['Connection: close']),
      request('BREW', '/', ['Connection: close']),
      request('TRACE', '/', ['Connection: close']),
      request('OPTIONS', '*', ['Connection: close']),
      Buffer.from('nonsense\r\n\r\n'),
      request('GET', '/', [`X-Long: ${'a'.repeat(20_000)}`]),
      request('POST', '/sign-in', ['Connection: close', 'Expect: something-else'], 'a=b'),
    ]) {
      const received = await exchange(service.origin, bytes, 1_000)
      expect(received).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(received).not.toMatch(/^(server|x-powered-by):/im)
      expect(received).not.toMatch(INTERNAL_DETAILS)
    }
  })

  test('no page may be framed, no page runs a script but ours, and private pages are not cached', async () => {
    for (const [who, pages] of Object.entries(populated.pages) as [keyof PopulatedService['pages'], string[]][])
      for (const path of pages) {
        const { headers, status } =
          who === 'visitor'
            ? await service.fetch(path, { headers: { accept: BROWSER } })
            : await populated[who].open(path)
        const policy = headers.get('content-security-policy') ?? ''
        const at = `${path} ${status}`
        expect([at, policy]).toEqual([at, expect.stringContaining("frame-ancestors 'none'")])
        expect(policy).toContain("default-src 'none'")
        expect(policy).toContain("script-src 'self'")
        expect(policy).not.toMatch(/unsafe|\*/)
        expect(headers.get('referrer-policy')).toBeTruthy()
        if (who !== 'visitor') {
          expect([at, headers.get('cache-control')]).toEqual([at, 'no-store'])
          expect(headers.get('x-frame-options')).toBe('DENY')
        }
        expect(headers.get('access-control-allow-origin')).toBeNull()
      }
  })

  test('no answer lets a page of another site read it with the cookies of a user, whatever the origin', async () => {
    for (const origin of ['https://evil.example', 'null'])
      for (const route of served.filter(({ method }) => method === 'GET')) {
        const cookie = populated.administrator.cookieHeader()
        const { headers } = await service.fetch(fill(route), { headers: { origin, cookie } })
        expect(headers.get('access-control-allow-credentials')).toBeNull()
        expect([null, '*']).toContain(headers.get('access-control-allow-origin'))
        if (/^\/(admin|dashboard|api\/admin)/.test(route.path))
          expect(headers.get('access-control-allow-origin')).toBeNull()
      }
  })
})

describe('errors', () => {
  test('an error says what was wrong and reveals no internal details', async () => {
    const { key: partner } = await service.newPartner({ support: 'hybrid' })
    const json = (path: string, held: string, body: string, method = 'POST', type = 'application/json') =>
      service.fetch(path, { method, key: held, body, type })
    const replies: Reply[] = await Promise.all([
      json('/api/v1/submit-ai-tool', partner, '{'),
      json('/api/v1/submit-ai-tool', partner, '[]'),
      json('/api/v1/submit-ai-tool', partner, '{"name":{"toString":1},"tags":{"length":9}}'),
      json('/api/v1/submit-ai-tool', partner, '{}', 'POST', 'application/xml'),
      json('/api/v1/submit-ai-tool', partner, `"${'a'.repeat(300_000)}"`),
      json('/api/v1/support/ask', partner, '{"question":{"$gt":""},"conversationId":"\' or 1=1 --"}'),
      json('/api/v1/support/ask', partner, `{"question":"x","conversationId":"${"'".repeat(100)}"}`),
      json('/api/admin/partners', ADMIN_TOKEN, '{"name":1,"webhookUrl":"http://127.0.0.1"}'),
      json('/api/admin/tools/x', ADMIN_TOKEN, '{"name":"x","createdAt":"+275761-01-01T00:00:00Z"}', 'PUT'),
      json('/api/admin/tools/x', ADMIN_TOKEN, '{"name":"x","opens":9007199254740993}', 'PUT'),
      json('/api/admin/import', ADMIN_TOKEN, '{"kind":"tool"\n{', 'POST', 'application/x-ndjson'),
      json('/api/admin/media', ADMIN_TOKEN, 'GIF89a', 'POST', 'image/gif'),
      service.fetch("/api/admin/keys?limit='&user='%20or%201=1--&partner=%27", { key: ADMIN_TOKEN }),
      service.fetch("/api/admin/users?q=%25'%22\\%00&role=x", { key: ADMIN_TOKEN }),
      service.fetch("/api/admin/audit?who='&page=99999999999999999999", { key: ADMIN_TOKEN }),
      service.fetch('/api/admin/audit?page=9007199254740991&limit=1000', { key: ADMIN_TOKEN }),
      service.fetch("/api/v1/ai-tools/status?id='%20union%20select%20*%20from%20users--", { key: partner }),
      service.fetch('/api/v1/ai-tools/status?website=http%3A%2F%2F%5B', { key: partner }),
      service.fetch("/api/v1/support/conversations?externalId='%7C%7Cpg_sleep(5)", { key: partner }),
      service.fetch('/api/v1/tools?pricing=x&featured=y', { key }),
      service.fetch('/api/v1/tools/%00', { key }),
      service.fetch('/link?token[]=x&token=%00'),
      service.fetch('/media/..%2f..%2fadmin-token'),
      json('/mcp', key, '{"jsonrpc":"2.0","id":{},"method":1}'),
      json('/mcp', key, '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":{}}}'),
      json('/mcp', key, '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_tool","arguments":[]}}'),
    ])
    for (const { status, text } of replies) {
      expect(status, text.slice(0, 300)).toBeLessThan(500)
      expect(text).not.toMatch(INTERNAL_DETAILS)
    }
    expect(service.logged.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('a stored text that looks like SQL is only a text', async () => {
    const before = (await service.sql('select count(*) as n from users'))[0].n
    for (const text of ["'; drop table users; --", "' or '1'='1", '%', '_', '\\', "x'||(1/0)||'"]) {
      const query = encodeURIComponent(text)
      for (const path of [
        `/users?q=${query}`,
        `/keys?q=${query}`,
        `/partners?q=${query}`,
        `/submissions?q=${query}`,
        `/tools?q=${query}`,
      ]) {
        expect([path, (await service.admin('GET', path)).status]).toEqual([path, 200])
      }
    }
    // A wildcard is a letter like any other.
    expect((await service.admin('GET', '/users?q=%25')).body.data).toEqual([])
    expect((await service.sql('select count(*) as n from users'))[0].n).toEqual(before)
  })

  test('TRACE repeats nothing, and CONNECT opens no connection', async () => {
    const traced = await sendRaw(
      service.origin,
      request('TRACE', '/api/v1/tags', [`X-API-Key: ${key}`, 'X-Canary: zqxtrace']),
    )
    expect(traced.status).toBe(405)
    expect(traced.text).not.toContain('zqxtrace')
    expect(traced.text).not.toContain(key)
    const tunnel = await exchange(service.origin, 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n', 500)
    expect(tunnel).not.toMatch(/^HTTP\/1\.1 200/)
  })
})

describe('what is not public', () => {
  test.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-host'])(
    'metrics are for the operator and for this machine, not for clients behind a proxy on it: %s',
    async (name) => {
      const headers = { [name]: '203.0.113.7' }
      expect((await service.fetch('/metrics', { headers })).status).toBe(401)
      expect((await service.fetch('/metrics', { headers, key })).status).toBe(403)
      expect((await service.fetch('/metrics', { headers, key: ADMIN_TOKEN })).status).toBe(200)
    },
  )

  test('metrics contain counts and no names', async () => {
    const { text } = await service.fetch('/metrics', { key: ADMIN_TOKEN })
    expect(text).toContain('# TYPE')
    for (const word of ['@', 'aid_', '127.0.0.1', 'full-house', 'Launchpad', key.slice(-4), service.dataDir])
      expect(text).not.toContain(word)
  })
})
