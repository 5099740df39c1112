// "Bad input is never a 5xx": thousands of requests that no sensible client would send.
// @module-tag slow
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { restOperations } from '../../src/features.ts'
import { addressOf } from '../harness/both-transports.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { encode } from '../harness/fuzz/encode.ts'
import { call, rpc } from '../harness/mcp.ts'
import { request, sendRaw } from '../harness/raw.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
  await service.load(FIXTURE)
})

const reads = restOperations.filter(({ access }) => access === 'catalog')
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    '\0',
    'a\0b',
    '\ud800',
    'x\udfff',
    'a'.repeat(2000),
    '\u202e',
    '1e30',
    '-0',
    'NaN',
    'Infinity',
    '0x10',
    '99999999999999999999999',
    '1e400',
    "'; drop table tools; --",
    '%',
    '%00',
    '{{7*7}}',
    '../../etc/passwd',
    '__proto__',
    'constructor',
    '👩‍👩‍👧‍👦'.repeat(20),
    'ﷺ'.repeat(100),
  ),
)
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(1e308, -1e308, 2 ** 53, 2 ** 31, -1, 0, 0.1))
const anything = fc.oneof(text, number, fc.boolean(), fc.constant(null), fc.jsonValue({ maxDepth: 3 }))
const names = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'q',
      'category',
      'tag',
      'pricing',
      'featured',
      'page',
      'limit',
      'slug',
      'cost',
      'includeAdult',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'q[]', 'q.a', '') },
)
const input = (value: fc.Arbitrary<unknown>) => fc.array(fc.tuple(names, value), { maxLength: 6 })

describe('reads never answer 5xx', () => {
  test('over REST, with any text in any parameter', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...reads), input(text), text, async (operation, pairs, slug) => {
        const query = pairs.map(([name, value]) => `${encode(name)}=${encode(String(value))}`).join('&')
        const reply = await service.rest(`${operation.path.replace(':slug', encode(slug) || 'x')}?${query}`, { key })
        expect([200, 400, 404, 414]).toContain(reply.status)
        expect(reply.body.success).toBe(reply.status === 200)
      }),
      { numRuns: 500 },
    )
  })

  test('over MCP, with any value in any argument', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...reads), input(anything), async ({ name }, pairs) => {
        const { status, body } = await rpc(service, key, call(name, Object.fromEntries(pairs)))
        expect(status).toBe(200)
        if (body.error) expect(body.error.code).toBe(-32602)
        else expect(JSON.parse(body.result.content[0].text).success).toBe(!body.result.isError)
      }),
      { numRuns: 500 },
    )
  })

  test('over MCP, with any JSON as the message', { timeout: 60_000 }, async () => {
    const member = fc.oneof(anything, fc.constantFrom('2.0', 'tools/call', 'tools/list', 'initialize', 'ping'))
    const body = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.record({ jsonrpc: fc.constant('2.0'), id: member, method: member, params: member }, { requiredKeys: [] }),
      fc.record({
        jsonrpc: fc.constant('2.0'),
        id: fc.integer(),
        method: fc.constantFrom('tools/call', 'tools/list', 'ping', 'server/discover', 'logging/setLevel'),
        params: fc.dictionary(fc.constantFrom('name', 'arguments', '_meta', 'cursor', 'task'), anything),
      }),
    )
    const headers = fc.constantFrom<Record<string, string>>(
      {},
      { 'mcp-protocol-version': '2026-07-28' },
      { 'mcp-protocol-version': '2025-06-18', 'mcp-session-id': 'x' },
      { 'mcp-protocol-version': 'x', 'mcp-method': 'tools/call', 'mcp-name': 'y' },
    )
    await fc.assert(
      fc.asyncProperty(fc.oneof(body, fc.array(body, { maxLength: 3 })), headers, async (sent, given) => {
        const { status } = await rpc(service, key, JSON.stringify(sent), given)
        expect(status).toBeLessThan(500)
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    '/tools?q=%00',
    '/tools?q=%ED%A0%80',
    '/tools?q=%FF%FE',
    '/tools?q=%',
    '/tools?q=%E0%A4%A',
    '/tools?%=%&=&&&==',
    `/tools?q=${'a'.repeat(2000)}`,
    `/tools?q=${'a+'.repeat(1000)}`,
    `/tools?${'limit=1&'.repeat(500)}`,
    '/tools?page=1e30&limit=1e30',
    '/tools?page=-9223372036854775808',
    '/tools?q[]=a&q[b]=c&q.length=1',
    '/tools?__proto__=x&constructor=y&hasOwnProperty=z',
    '/tools/%00',
    '/tools/%ED%A0%80',
    '/tools/..%2f..%2fetc%2fpasswd',
    '/tools/%2e%2e',
    '/directories/%F0%9F%98%80',
  ])('with these bytes in the address: %s', async (path) => {
    const reply = await sendRaw(service.origin, request('GET', `/api/v1${path}`, [`X-API-Key: ${key}`]))
    expect([200, 400, 404]).toContain(reply.status)
    expect(JSON.parse(reply.text).success).toBe(reply.status === 200)
  })

  test.each([
    ['two X-API-Key headers', ['X-API-Key: a', 'X-API-Key: b']],
    ['two Authorization headers', ['Authorization: Bearer a', 'Authorization: Bearer b']],
    ['two If-None-Match headers', ['X-API-Key: KEY', 'If-None-Match: "a"', 'If-None-Match: *']],
    ['two Origin headers', ['X-API-Key: KEY', 'Origin: a', 'Origin: b']],
    ['a header of bytes', ['X-API-Key: \u00ff\u0080']],
    ['forged forwarding', ['X-API-Key: KEY', 'X-Forwarded-For: x, y', 'X-Forwarded-For: \u00ff', 'Forwarded: for=_']],
    ['a strange Accept', ['X-API-Key: KEY', 'Accept: ;;;q=x', 'Accept-Encoding: zip']],
  ])('with these headers: %s', async (_case, headers) => {
    const sent = headers.map((header) => header.replace('KEY', key))
    const reply = await sendRaw(service.origin, request('GET', '/api/v1/tools', sent))
    expect([200, 304, 400, 401]).toContain(reply.status)
  })
})

describe('operator requests never answer 5xx', () => {
  const put = (path: string, body: string) =>
    service.fetch(`/api/admin${path}`, {
      method: path === '/keys' || path === '/partners' ? 'POST' : 'PUT',
      key: ADMIN_TOKEN,
      body,
    })
  const PATHS = [
    '/tools/bad',
    '/directories/bad',
    '/categories/bad',
    '/tags/bad',
    '/directory-categories/bad',
    '/keys',
    '/partners',
  ]

  test('with any value in any field', { timeout: 60_000 }, async () => {
    const field = fc.constantFrom(
      ...[
        'name',
        'tagline',
        'website',
        'category',
        'tags',
        'pricing',
        'rating',
        'opens',
        'socials',
        'faqs',
        'features',
      ],
      ...['createdAt', 'deal', 'cost', 'categories', 'email', 'plan', 'webhookUrl', 'support', 'screenshots', 'icon'],
    )
    const value = fc.oneof(
      anything,
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.dictionary(text, text),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...PATHS),
        fc.dictionary(field, value),
        fc.boolean(),
        async (path, body, named) => {
          const reply = await put(path, JSON.stringify(named ? { ...body, name: 'Named' } : body))
          expect(reply.status, reply.text).toBeLessThan(500)
        },
      ),
      { numRuns: 300 },
    )
    await service.settled()
    expect((await service.rest('/tools?limit=100&includeAdult=true', { key })).status).toBe(200)
  })

  test.each([
    ['deep arrays', `{"name":"x","tags":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['deep objects', `{"name":"x","socials":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`],
    ['a deep unknown field', `{"name":"x","unknown":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['__proto__', '{"name":"x","__proto__":{"published":false}}'],
    ['a nested __proto__', '{"name":"x","socials":{"__proto__":"https://x.example"}}'],
    ['constructor.prototype', '{"constructor":{"prototype":{"x":1}},"name":"x"}'],
    ['NUL', '{"name":"a\\u0000b"}'],
    ['NUL in a name', '{"name":"x","socials":{"a\\u0000":"https://x.example"}}'],
    ['half a surrogate pair', '{"name":"\\ud800"}'],
    ['a number too large for any type', '{"name":"x","rating":1e400,"opens":1e400}'],
    ['a number too small for any type', '{"name":"x","rating":1e-400,"askingPrice":5e-324}'],
    ['the same field twice', '{"name":"x","name":5}'],
    ['a byte order mark', '\ufeff{"name":"x"}'],
  ])('with %s in the body', async (_case, body) => {
    for (const path of PATHS) expect([path, (await put(path, body)).status < 500]).toEqual([path, true])
    const line = body.replace('{', '{"kind":"tool","slug":"bad",')
    const ask = { method: 'POST', key: ADMIN_TOKEN, type: 'application/x-ndjson', body: line }
    expect((await service.fetch('/api/admin/import', ask)).status).toBeLessThan(500)
  })

  test('with any identifier in the address', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (id) => {
        for (const [method, path] of [
          ['DELETE', '/keys/'],
          ['PATCH', '/users/'],
          ['PATCH', '/partners/'],
          ['DELETE', '/tools/'],
        ] as const) {
          const reply = await service.admin(method, path + (encode(id) || 'x'), method === 'PATCH' ? {} : undefined)
          expect(reply.status, `${method} ${path}${encode(id)}`).toBeLessThan(500)
        }
      }),
      { numRuns: 60, examples: [['\0'], ['a\0b'], ['\ud800'], ['a'.repeat(2000)]] },
    )
  })

  test('with any paging parameter of a list', async () => {
    for (const query of ['limit=1e400', 'page=1e308', 'page=9007199254740991&limit=1000', 'limit=\0', 'page=%00'])
      expect((await service.admin('GET', `/keys?${query.replace('\0', '%00')}`)).status).toBe(200)
  })

  test('and nothing of it is logged as an error', () => {
    expect(service.logged.filter(({ level }) => level === 'error')).toEqual([])
  })
})

test('the harness builds addresses as the operations declare them', () => {
  expect(addressOf({ path: '/tools/:slug' }, { slug: 'a/b', limit: [1, 2] })).toBe('/tools/a%2Fb?limit=1&limit=2')
})
