// @module-tag slow
// Remembered answers are what the protocol library would answer: random requests of every revision go to both ways, and status, headers,
// body, charges, usage, metrics and log lines are compared. MCP_REQUESTS=20000 sends that many (about a minute for 2,000).
import { Server } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { FIXTURE } from '../harness/fixture.ts'
import { call, message, modern, NEWEST, rpc, VERSIONS } from '../harness/mcp.ts'
import type { Reply, TestService } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const LIBRARY = '/mcp/library'
const COUNT = Number(process.env.MCP_REQUESTS ?? 200)
const CHUNK = 200

interface Sent {
  body: string
  headers: Record<string, string>
  type: string
}

// Requests

const TOOLS: Record<string, string[]> = {
  search_tools: ['q', 'category', 'tag', 'pricing', 'featured', 'fields', 'page', 'limit'],
  get_top_tools: ['limit', 'category', 'fields'],
  get_tool: ['slug', 'fields'],
  list_categories: ['q', 'limit'],
  list_tags: ['q', 'limit'],
  search_directories: ['q', 'category', 'cost', 'featured', 'fields', 'page', 'limit'],
  get_directory: ['slug', 'fields'],
  list_directory_categories: [],
}
const VALUES: Record<string, unknown[]> = {
  q: ['wombat', 'a sentence that finds something for wombats', 'nonexistentword', 5, ''],
  category: ['writing', 'nsfw', 'saas', 'no-such'],
  tag: ['api', 'no-such'],
  pricing: ['FREE', 'paid', 'x'],
  cost: ['Free', 'x'],
  featured: [true, 'false', 'x'],
  fields: ['name', 'name,website', 'no-such'],
  page: [1, 2, '3', -1, 1e30],
  limit: [1, 5, '20', 1000, 'abc'],
  slug: ['full-house', 'launch-list', 'plain-notes', 'no-such', 5, ''],
}

const strange = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, '', '\u2028', '\ud800', '__proto__'))
const often = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<unknown>, weight = 8): fc.Arbitrary<unknown> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: rare })

const inputOf = (tool: string): fc.Arbitrary<unknown> => {
  const names = Object.hasOwn(TOOLS, tool) ? TOOLS[tool]! : []
  const known = names.map((name) => [name, often(fc.constantFrom(...VALUES[name]!, null), strange, 12)] as const)
  const valid = fc.record(Object.fromEntries(known), { requiredKeys: [] })
  const unknown = fc.dictionary(fc.constantFrom('query', 'Limit', 'constructor', 'x'), strange, { maxKeys: 2 })
  const proto = fc.constant(JSON.parse('{"__proto__":{"q":"x"},"limit":1}'))
  return fc.oneof({ weight: 10, arbitrary: valid }, unknown, proto, fc.constantFrom(null, undefined, [], 'x', 5, [1]))
}

const callParams = fc
  .constantFrom(...Object.keys(TOOLS), ...Object.keys(TOOLS), 'no_such', 'constructor', '')
  .chain((name) =>
    fc.record({ name: often(fc.constant(name), strange, 20), arguments: inputOf(name) }, { requiredKeys: ['name'] }),
  )

const initializeParams = fc.record(
  {
    protocolVersion: often(fc.constantFrom<string>(...VERSIONS, NEWEST, '1999-01-01'), strange),
    capabilities: often(
      fc.constantFrom({}, { roots: { listChanged: true } }, { sampling: {}, elicitation: {} }),
      strange,
    ),
    clientInfo: often(
      fc.constantFrom({ name: 'a', version: '1' }, { name: 'b', version: '2', title: 'B' }, { name: 'b', version: 2 }),
      strange,
    ),
  },
  { noNullPrototype: true },
)

const METHODS: Record<string, fc.Arbitrary<unknown>> = {
  'tools/call': callParams,
  'tools/list': fc.constantFrom(undefined, {}, { cursor: 'x' }, { cursor: 5 }, { name: 'list_tags' }),
  initialize: initializeParams,
  ping: fc.constantFrom(undefined, {}, { x: 1 }),
  'server/discover': fc.constantFrom(undefined, {}, { x: 1 }),
  'notifications/initialized': fc.constantFrom(undefined, {}),
  'notifications/cancelled': fc.constantFrom({ requestId: 1 }, {}),
  'resources/list': fc.constantFrom(undefined, {}),
  'subscriptions/listen': fc.constantFrom(undefined, {}),
  'logging/setLevel': fc.constant({ level: 'info' }),
  'no/such': fc.constant({}),
  constructor: fc.constant(undefined),
}
const method = fc.oneof(
  { weight: 10, arbitrary: fc.constant('tools/call') },
  { weight: 5, arbitrary: fc.constantFrom('tools/list', 'initialize', 'ping', 'server/discover') },
  { weight: 3, arbitrary: fc.constantFrom(...Object.keys(METHODS)) },
)

const id = fc.oneof(
  { weight: 40, arbitrary: fc.oneof(fc.integer(), fc.string(), fc.constantFrom(0, -0, '', 'é"\\\n', 2 ** 53 - 1)) },
  { weight: 2, arbitrary: fc.constantFrom(2 ** 53, 1e21, -(2 ** 60), '\ud800', '\u2028') },
  { weight: 1, arbitrary: fc.constantFrom(undefined, null, 1.5, {}, [], true) },
)

const VENDOR = 'io.modelcontextprotocol'
const envelope = (version: unknown, name = 'test') => ({
  [`${VENDOR}/protocolVersion`]: version,
  [`${VENDOR}/clientInfo`]: { name, version: '1' },
  [`${VENDOR}/clientCapabilities`]: {},
})
const metaExtras = fc.record(
  {
    progressToken: often(fc.oneof(fc.integer(), fc.string()), fc.constantFrom(1.5, 2 ** 60, null, {}, [])),
    'example.com/call': strange,
    traceparent: fc.constantFrom('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 5),
    [`${VENDOR}/related-task`]: often(fc.constant({ taskId: '1' }), strange),
    [`${VENDOR}/logLevel`]: often(fc.constant('info'), strange),
    [`${VENDOR}/clientInfo`]: often(fc.constant({ name: 'other', version: '2' }), strange),
  },
  { requiredKeys: [] },
)

/** One message, with the headers that a client of its revision sends, or others. */
const single = method.chain((name) =>
  fc
    .record({
      id,
      params: often(METHODS[name]!, strange, 40),
      era: often(fc.constantFrom('old', 'new'), fc.constant('mixed'), 10),
      version: often(
        fc.constantFrom<string | undefined>(undefined, ...VERSIONS),
        fc.constantFrom('1999-01-01', '', '2024-10-07', NEWEST),
      ),
      metaVersion: often(fc.constant(NEWEST), fc.constantFrom('2030-01-01', VERSIONS[3], 5, null), 20),
      extras: often(fc.constant(undefined), metaExtras, 2),
      wrongMeta: often(fc.constant(undefined), strange, 30),
      headerMethod: often(fc.constant(name), fc.constantFrom(undefined, 'ping', 'tools/list', ''), 20),
      headerName: often(
        fc.constant('same'),
        fc.constantFrom(undefined, 'list_tags', '=?base64?bGlzdF90YWdz?=', ''),
        10,
      ),
      session: often(fc.constant(undefined), fc.constantFrom('s1', 's2'), 10),
      jsonrpc: often(fc.constant('2.0'), fc.constantFrom('1.0', undefined, 2), 30),
      more: often(fc.constant({}), fc.constantFrom({ extra: 1 }, { result: {} }, { error: 5 }), 30),
    })
    .map((one) => {
      const {
        id,
        params,
        era,
        version,
        metaVersion,
        extras,
        wrongMeta,
        headerMethod,
        headerName,
        session,
        jsonrpc,
        more,
      } = one
      const meta = wrongMeta ?? (era === 'old' ? extras : { ...envelope(metaVersion), ...(extras as object) })
      const isObject = typeof params === 'object' && params !== null && !Array.isArray(params)
      const whole =
        meta === undefined || !(isObject || params === undefined) ? params : { ...(params as object), _meta: meta }
      const headers = {
        'mcp-protocol-version': era === 'old' ? version : era === 'new' ? NEWEST : (version ?? NEWEST),
        'mcp-method': era === 'old' ? undefined : headerMethod,
        'mcp-name':
          era === 'old' || name !== 'tools/call'
            ? undefined
            : headerName === 'same'
              ? (params as { name?: unknown } | undefined)?.name
              : headerName,
        'mcp-session-id': session,
      }
      return { message: { jsonrpc, id, method: name, params: whole, ...(more as object) }, headers }
    }),
)

const isHeader = (value: unknown): value is string => typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)
const sentHeaders = (headers: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => isHeader(entry[1])))

const JSON_TYPE = 'application/json'
/** A message with a list in a list in a list … */
const nested = ([depth, name]: [number, string]): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${name}","params":{"name":"list_tags","x":${'['.repeat(depth)}${']'.repeat(depth)}}}`
const requests: fc.Arbitrary<Sent> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .record({
        one: single,
        type: often(fc.constant(JSON_TYPE), fc.constantFrom('application/json; charset=utf-8', 'text/plain'), 30),
      })
      .map(({ one, type }) => ({
        body: JSON.stringify(one.message),
        headers: sentHeaders(one.headers),
        type: String(type),
      })),
  },
  {
    weight: 2,
    arbitrary: fc.array(single, { maxLength: 11 }).map((all) => ({
      body: JSON.stringify(all.map((one) => one.message)),
      headers: sentHeaders(all[0]?.headers ?? {}),
      type: JSON_TYPE,
    })),
  },
  {
    weight: 1,
    arbitrary: fc
      .oneof(
        fc.constantFrom('', '{', 'null', '5', '[]', '[[]]', '{"jsonrpc":"2.0",}', '\u0000'),
        fc.json(),
        fc.tuple(fc.constantFrom(5, 1_900, 8_000, 60_000), method).map(nested),
      )
      .map((body) => ({ body, headers: {}, type: JSON_TYPE })),
  },
)

// Comparison

/** What must be the same. Times may differ by a second, because the two windows began a moment apart. */
const comparable = ({ status, headers, text }: Reply) => ({
  status,
  headers: [...headers]
    .filter(([name]) => !['date', 'x-request-id', 'x-ratelimit-reset', 'ratelimit', 'retry-after'].includes(name))
    .map(([name, value]) => `${name}: ${value}`),
  hasReset: headers.has('x-ratelimit-reset'),
  hasRetry: headers.has('retry-after'),
  text: text.replace(/in \d+ seconds?/g, 'in a while').replace(/"retryAfter":\d+/g, '"retryAfter":0'),
})

/** Sends all requests with one key, and returns the answers and everything else that they have caused. */
async function sendAll(service: TestService, path: string, key: string, sent: readonly Sent[]) {
  const before = await counted(service)
  const logged = service.logged.length
  const replies: Reply[] = []
  for (const { body, headers, type } of sent)
    replies.push(await service.fetch(path, { method: 'POST', key, body, headers, type }))
  const lines = service.logged.slice(logged)
  const after = await counted(service)
  return {
    replies,
    counts: Object.fromEntries([...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)])),
    log: lines.map(({ level, message, status, method }) => [level, message, status, method]),
  }
}

/** The counters of decisions and of MCP answers. */
async function counted(service: TestService): Promise<Map<string, number>> {
  const { text } = await service.fetch('/metrics')
  const COUNTER =
    /^(catalog_limit_decisions_total\{.*"mcp.*\}|catalog_request_seconds_count\{surface="mcp".*\}) (\d+)$/gm
  return new Map([...text.matchAll(COUNTER)].map(([, name, count]) => [name!, Number(count)]))
}

/** Compares both ways: first with answers that the library writes and that are remembered, then with remembered ones. */
async function expectSame(
  service: TestService,
  plan: 'standard' | 'premium',
  chunks: readonly (readonly Sent[])[],
): Promise<void> {
  // Every chunk has keys of its own, so that no window of their budgets ends in the middle.
  const used: { id: string; key: string }[][] = []
  for (const sent of chunks) {
    const keys = [await service.newKey(plan), await service.newKey(plan), await service.newKey(plan)]
    used.push(keys)
    const [library, ...remembering] = keys
    const expected = await sendAll(service, LIBRARY, library!.key, sent)
    for (const { key } of remembering) {
      const { replies, counts, log } = await sendAll(service, '/mcp', key, sent)
      for (const [i, reply] of replies.entries())
        expect({ request: sent[i], ...comparable(reply) }).toEqual({
          request: sent[i],
          ...comparable(expected.replies[i]!),
        })
      expect(counts).toEqual(expected.counts)
      expect(log).toEqual(expected.log)
    }
  }
  // The counts that the dashboard shows are written every few seconds.
  await vi.waitUntil(async () => {
    const calls = await callsByKey(service)
    return used.every(([first, ...others]) => {
      const expected = calls.get(first!.id)
      return expected !== undefined && others.every(({ id }) => calls.get(id) === expected)
    })
  }, 10_000)
}

const callsByKey = async (service: TestService): Promise<Map<string, number>> =>
  new Map(
    (await service.sql("select key_id, sum(calls) as calls from key_usage where surface = 'mcp' group by key_id")).map(
      ({ key_id, calls }) => [key_id, Number(calls)],
    ),
  )

const seed = Number(process.env.MCP_SEED ?? Date.now() % 1e9)
const sample = (count: number, from: number) => fc.sample(requests, { numRuns: count, seed: from })

describe('remembered answers', () => {
  const service = useService({}, { mcpLibraryPath: LIBRARY })
  beforeAll(() => service.load(FIXTURE))

  test(`are what the library answers: ${COUNT} requests of every revision (MCP_SEED=${seed})`, {
    timeout: 60_000 + COUNT * 300,
  }, async () => {
    const chunks = Array.from({ length: Math.ceil(COUNT / CHUNK) }, (_, i) =>
      sample(Math.min(CHUNK, COUNT - i * CHUNK), seed + i),
    )
    await expectSame(service, 'premium', chunks)
  })

  describe('are given without the library', () => {
    const initialize = (version: string) =>
      message('initialize', { protocolVersion: version, capabilities: {}, clientInfo: { name: 'x', version: '1' } })
    const old = (body: object) => (key: string) => rpc(service, key, body)
    const newest = (method: string, params: Record<string, unknown>) => (key: string) =>
      modern(service, key, method, params)
    const search = { name: 'search_tools', arguments: { q: 'wombat' } }
    const MESSAGES: [name: string, ask: (key: string) => Promise<Reply>][] = [
      ...VERSIONS.map((version): [string, (key: string) => Promise<Reply>] => [
        `initialize ${version}`,
        old(initialize(version)),
      ]),
      ['ping', old(message('ping'))],
      ['tools/list', old(message('tools/list'))],
      ['tools/call', old(message('tools/call', search))],
      ['tools/call with a token for progress', old(message('tools/call', { ...search, _meta: { progressToken: 7 } }))],
      ['tools/call that fails', old(message('tools/call', { name: 'get_tool', arguments: { slug: 'no-such' } }))],
      [`server/discover ${NEWEST}`, newest('server/discover', {})],
      [`tools/list ${NEWEST}`, newest('tools/list', {})],
      [`tools/call ${NEWEST}`, newest('tools/call', search)],
    ]
    test.each(MESSAGES)('%s', async (_name, ask) => {
      const { key } = await service.newKey()
      const first = await ask(key)
      const used = vi.spyOn(Server.prototype, 'setRequestHandler')
      const second = await ask(key)
      expect([second.status, second.body.result]).toEqual([200, first.body.result])
      expect(used).not.toHaveBeenCalled()
      used.mockRestore()
    })
  })

  test('a call of another tool with other arguments is of the same kind', async () => {
    const { key } = await service.newKey()
    await rpc(service, key, message('tools/call', { name: 'list_tags' }))
    const used = vi.spyOn(Server.prototype, 'setRequestHandler')
    const reply = await rpc(service, key, message('tools/call', { name: 'list_directory_categories', arguments: {} }))
    expect(reply.body.result.structuredContent.success).toBe(true)
    expect(used).not.toHaveBeenCalled()
    used.mockRestore()
  })

  test('a changed catalog is seen at once', async () => {
    const { key } = await service.newKey()
    const ask = async () =>
      (await rpc(service, key, message('tools/call', { name: 'list_directory_categories' }))).body.result
    const before = await ask()
    await service.admin('PUT', '/directory-categories/remembered', { name: 'Remembered' })
    await service.settled()
    expect(before.content[0].text).not.toContain('Remembered')
    for (const { content, structuredContent } of [await ask(), await ask()]) {
      expect(content[0].text).toContain('Remembered')
      expect(JSON.parse(content[0].text)).toEqual(structuredContent)
    }
  })

  test('ever new kinds of messages, and very long ones, are answered too', async () => {
    const { key } = await service.newKey()
    const kind = (i: number) => message('ping', { _meta: { 'io.modelcontextprotocol/x': 'x'.repeat(i) } })
    for (let i = 0; i < 600; i++) expect((await rpc(service, key, kind(i))).status).toBe(200)
    expect((await rpc(service, key, kind(100_000))).status).toBe(200)
  })
})

describe('past the limits', () => {
  const service = useService({ RATE_LIMIT_SCALE: '1' }, { mcpLibraryPath: LIBRARY })
  beforeAll(() => service.load(FIXTURE))

  test(`both ways refuse the same requests, and charge and count the others alike (MCP_SEED=${seed})`, async () => {
    const calls = Array.from({ length: 35 }, (_, i) => JSON.stringify(call('list_tags', { limit: 1 + (i % 3) })))
    const pings = Array.from({ length: 320 }, () => JSON.stringify(message('ping')))
    const plain = [...calls, ...pings].map((body) => ({ body, headers: {}, type: JSON_TYPE }))
    await expectSame(service, 'standard', [[...sample(40, seed), ...plain, ...sample(40, seed + 1)]])
  })
})
