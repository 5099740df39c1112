// @module-tag once
import { beforeAll, describe, expect, test } from 'vitest'
import { restOperations } from '../../src/features.ts'
import { VERSION } from '../../src/process/version.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { call, message, modern, NEWEST, rpc, VERSIONS } from '../harness/mcp.ts'
import { startService } from '../harness/service.ts'
import { STUB_KEY, startStub } from '../harness/stub.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
  await service.load(FIXTURE)
})

const ask = (body: unknown, headers: Record<string, string> = {}) => rpc(service, key, body, headers)
const errorOf = async (body: unknown, headers: Record<string, string> = {}) => {
  const reply = await ask(body, headers)
  return { status: reply.status, id: reply.body.id, code: reply.body.error?.code, message: reply.body.error?.message }
}

// Tool and inputs, copied from the specification.
const TOOLS: Record<string, string[]> = {
  search_tools: [
    'q',
    'category',
    'tag',
    'pricing',
    'minRating',
    'featured',
    'facts',
    'sort',
    'fields',
    'page',
    'limit',
  ],
  get_top_tools: ['limit', 'category', 'fields'],
  get_tool: ['slug', 'fields'],
  list_categories: ['q', 'limit'],
  list_tags: ['q', 'limit'],
  search_directories: [
    ...['q', 'category', 'cost', 'type', 'badge', 'minDomainRating', 'maxPrice'],
    ...['featured', 'facts', 'sort', 'fields', 'page', 'limit'],
  ],
  get_directory: ['slug', 'fields'],
  list_directory_categories: [],
}

describe('with initialize', () => {
  // Each case starts a service of its own, because a service caches the answer to a valid initialize.
  test.each([
    ['capabilities', { roots: 5 }],
    ['capabilities', []],
    ['clientInfo', { name: 'test', version: '1', title: 5 }],
  ])(
    'an initialize whose %s are %j gets an error that says why, and the next initialize is answered',
    async (name, wrong) => {
      const right = { protocolVersion: VERSIONS[0], capabilities: {}, clientInfo: { name: 'test', version: '1' } }
      const service = await startService()
      const { key } = await service.newKey()
      const { status, body } = await rpc(service, key, message('initialize', { ...right, [name]: wrong }))
      expect([status, body.error?.code]).toEqual([200, -32602])
      expect(body.error.message).toMatch(/^initialize needs /)
      expect((await rpc(service, key, message('initialize', right))).body.result.protocolVersion).toBe(VERSIONS[0])
      await service.close()
    },
  )

  test.each(VERSIONS)(
    'initialize, notifications/initialized, ping and tools/call work at revision %s',
    async (version) => {
      const clientInfo = { name: 'test', version: '1' }
      const { body } = await ask(message('initialize', { protocolVersion: version, capabilities: {}, clientInfo }))
      expect(body.result.protocolVersion).toBe(version)
      expect(body.result.capabilities).toHaveProperty('tools')
      expect(body.result.serverInfo).toMatchObject({
        ...{ name: 'catalog-service', title: 'Catalog Service', version: VERSION },
        ...{ description: expect.any(String), websiteUrl: service.origin },
      })
      expect(body.result.instructions).toEqual(expect.any(String))
      // From 2025-06-18 on clients name the revision in a header.
      const headers: Record<string, string> = version >= '2025-06-18' ? { 'mcp-protocol-version': version } : {}
      const noted = await ask({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
      expect([noted.status, noted.text]).toEqual([202, ''])
      expect((await ask(message('ping'), headers)).body.result).toEqual({})
      expect((await ask(message('tools/list'), headers)).body.result.tools).toHaveLength(8)
      expect((await ask(call('list_tags'), headers)).body.result.structuredContent.success).toBe(true)
    },
  )

  test('an initialize with an unknown revision is answered with a supported one', async () => {
    const params = { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    expect(VERSIONS).toContain((await ask(message('initialize', params))).body.result.protocolVersion)
  })

  test('the service answers JSON without a session, also to a plain curl', async () => {
    const reply = await ask(call('list_tags'), { accept: '*/*' })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/)
    expect(reply.headers.get('mcp-session-id')).toBeNull()
  })
})

describe(`revision ${NEWEST}`, () => {
  test('answers tools/call, tools/list and server/discover without initialize', async () => {
    const called = await modern(service, key, 'tools/call', { name: 'get_tool', arguments: { slug: 'full-house' } })
    expect(called.body.result).toMatchObject({ resultType: 'complete', structuredContent: { success: true } })
    const listed = await modern(service, key, 'tools/list')
    expect(listed.body.result).toMatchObject({ ttlMs: expect.any(Number), cacheScope: 'public' })
    expect(listed.body.result.tools).toHaveLength(8)
    const discovered = await modern(service, key, 'server/discover')
    expect(discovered.body.result.supportedVersions).toContain(NEWEST)
    expect(discovered.body.result).toMatchObject({ ttlMs: expect.any(Number), capabilities: { tools: {} } })
  })

  test('gives the same envelope as with initialize', async () => {
    const input = { name: 'search_tools', arguments: { q: 'wombat' } }
    const { body } = await modern(service, key, 'tools/call', input)
    expect(body.result.content).toEqual((await ask(message('tools/call', input))).body.result.content)
  })

  test('has no ping: −32601', async () => {
    expect((await modern(service, key, 'ping')).body.error.code).toBe(-32601)
  })

  test('refuses headers that disagree with the body', async () => {
    const input = { name: 'list_tags', arguments: {} }
    expect((await modern(service, key, 'tools/call', input, { 'mcp-name': 'other' })).status).toBe(400)
    expect((await modern(service, key, 'tools/call', input, { 'mcp-method': 'tools/list' })).status).toBe(400)
  })
})

describe('tools/list', () => {
  const list = async () => (await ask(message('tools/list'))).body.result.tools

  test('lists the tools and inputs of the specification, and what the contract adds', async () => {
    const tools = await list()
    const inputs = tools.map((tool: any) => [tool.name, Object.keys(tool.inputSchema.properties)])
    expect(Object.fromEntries(inputs)).toEqual(TOOLS)
  })

  test('gives every tool a title, description, input schema, output schema and hints', async () => {
    for (const tool of await list()) {
      expect(tool.title).toEqual(expect.any(String))
      expect(tool.description.length).toBeGreaterThan(40)
      expect(tool.inputSchema.type).toBe('object')
      expect(tool.outputSchema.type).toBe('object')
      expect(tool.annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      })
    }
  })

  test('has no input schema with anyOf, oneOf or allOf at the top, and requires only slug', async () => {
    for (const { inputSchema } of await list()) {
      for (const word of ['anyOf', 'oneOf', 'allOf']) expect(inputSchema).not.toHaveProperty(word)
      expect(inputSchema.required ?? []).toEqual('slug' in inputSchema.properties ? ['slug'] : [])
    }
  })

  test('lists only tools that are a GET of the catalog', async () => {
    for (const { name } of await list()) {
      const operation = restOperations.find((candidate) => candidate.name === name)!
      expect([operation.method, operation.access]).toEqual(['GET', 'catalog'])
    }
  })
})

describe('results', () => {
  test('content[0].text of a result is the envelope as JSON, and structuredContent is the same object', async () => {
    const { result } = (await ask(call('search_tools', { q: 'wombat' }))).body
    expect(result.content).toHaveLength(1)
    expect(result.content[0].type).toBe('text')
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
  })

  test('a call may leave out its arguments', async () => {
    const reply = await ask(message('tools/call', { name: 'list_tags' }))
    expect(reply.body.result.structuredContent.data).toHaveLength(6)
  })

  test.each([
    ['404', call('get_tool', { slug: 'no-such' }), { error: 'Tool not found.', code: 'not_found' }],
    [
      '400',
      call('search_tools', { pricing: 'x' }),
      {
        error: 'pricing must be one of FREE, FREEMIUM, PAID.',
        code: 'invalid_input',
        fields: [{ field: 'pricing', problem: 'must be one of FREE, FREEMIUM, PAID.' }],
      },
    ],
  ])(
    'a failure (%s) is a result with isError: true whose text is the error envelope',
    async (_status, body, failure) => {
      const reply = await ask(body)
      expect(reply.status).toBe(200)
      expect(reply.body.result.isError).toBe(true)
      expect(JSON.parse(reply.body.result.content[0].text)).toEqual({ success: false, ...failure })
      expect(reply.body).not.toHaveProperty('error')
    },
  )

  test.each([
    ['limit: "abc" falls back', { limit: 'abc' }, 20],
    ['limit: null falls back', { limit: null }, 20],
    ['limit: {} falls back', { limit: {} }, 20],
    ['limit: true falls back', { limit: true }, 20],
    ['limit: 1000 is clamped', { limit: 1000 }, 100],
  ])('paging is lenient as in REST: %s', async (_case, input, limit) => {
    expect((await service.tool('search_tools', input)).envelope.pagination.limit).toBe(limit)
  })

  test('an argument that is null counts as not given', async () => {
    const nothing = { q: null, category: null, tag: null, pricing: null, featured: null, page: null }
    expect((await service.tool('search_tools', nothing)).text).toBe((await service.tool('search_tools')).text)
  })
})

describe('errors', () => {
  test.each(['resources/list', 'prompts/list', 'no/such', 'tools/call/x', 'constructor', ''])(
    'an unknown method gets −32601: %s',
    async (method) => expect((await errorOf(message(method))).code).toBe(-32601),
  )

  test.each(['no_such', 'constructor', '__proto__', 'toString', 'submit_ai_tool', 'create_key', 'discover', ''])(
    'an unknown tool gets −32602: %s',
    async (name) => expect(await errorOf(call(name))).toMatchObject({ status: 200, code: -32602 }),
  )

  test.each(['{', 'nonsense', '{"jsonrpc":"2.0",}', ''])('unreadable JSON gets −32700: %s', async (body) => {
    expect(await errorOf(body)).toMatchObject({ status: 400, id: null, code: -32700 })
  })

  test.each([
    '5',
    'null',
    '"text"',
    '[]',
    '{}',
    '[1]',
    '[[]]',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"method":5}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}',
  ])('a message that is not JSON-RPC gets −32600: %s', async (body) => {
    expect(await errorOf(body)).toMatchObject({ status: 400, id: null, code: -32600 })
  })

  test.each([
    [message('tools/call', {})],
    [message('tools/call', { name: 5 })],
    [message('tools/call', { name: 'list_tags', arguments: 'x' })],
    [message('tools/call', { name: 'list_tags', arguments: [1] })],
    [message('initialize', {})],
  ])('wrong parameters get −32602: %j', async (body) => expect((await errorOf(body)).code).toBe(-32602))

  test('an internal fault gets −32603 without inner detail, and the log has the detail', async () => {
    const stub = await startStub({ error: new TypeError('inner detail') })
    const reply = await fetch(`${stub.origin}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${STUB_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(call('breaks')),
    })
    const text = await reply.text()
    expect(JSON.parse(text).error.code).toBe(-32603)
    expect(text).not.toContain('inner')
    expect(stub.logged.map(({ err }) => String(err)).join()).toContain('inner detail')
    await stub.close()
  })

  test('a call while the database is away gets a result with isError: true', async () => {
    const stub = await startStub({ error: Object.assign(new Error('inner detail'), { code: 'ECONNREFUSED' }) })
    const headers = { 'x-api-key': STUB_KEY, 'content-type': 'application/json' }
    const reply = await fetch(`${stub.origin}/mcp`, { method: 'POST', headers, body: JSON.stringify(call('breaks')) })
    const { result } = (await reply.json()) as { result: { isError: boolean; content: { text: string }[] } }
    expect(result.isError).toBe(true)
    expect(JSON.parse(result.content[0]!.text)).toEqual({
      success: false,
      error: expect.not.stringContaining('inner'),
      code: 'unavailable',
    })
    await stub.close()
  })
})
