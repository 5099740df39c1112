// The official MCP clients, and requests of every protocol revision by hand, compared with REST on the same catalog.
import { request as httpRequest } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { use, useService } from '../harness/use.ts'
import { CALLS, startDemo } from './demo.ts'
import { CLIENTS, type Exchange, statusOf } from './sdk-clients.ts'

let key: string
const service = use(() => startDemo({ ALLOWED_HOSTS: 'catalog' }))
beforeAll(async () => {
  key = (await service.newKey()).key
})
const withoutOAuth = useService({ OAUTH: 'off' })

const failureOf = (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    (value) => expect.fail(`expected a failure, got ${JSON.stringify(value).slice(0, 300)}`),
    (error) => error,
  )

describe.each(CLIENTS)('$name', (client) => {
  const connection = use(() => client.connect(`${service.origin}/mcp`, key))

  test('agrees on the newest revision it knows', () => {
    expect(connection.version).toBe(client.version)
  })

  test('lists every tool with its whole description', async () => {
    const tools = await connection.tools()
    expect(tools.map(({ name }) => name)).toEqual(CALLS.map(({ tool }) => tool))
    for (const tool of tools) {
      expect(tool).toMatchObject({
        title: expect.any(String),
        description: expect.any(String),
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      })
    }
  })

  // After tools/list the clients validate every result against the tool's output schema.
  test.each(CALLS)('$tool answers what REST answers', async ({ tool, input, rest }) => {
    await connection.tools()
    const result = await connection.call(tool, input)
    const { status, body } = await service.rest(rest)
    expect(status).toBe(200)
    expect(body.data).not.toEqual([])
    expect(result.isError ?? false).toBe(false)
    expect(result.content).toHaveLength(1)
    expect(JSON.parse(result.content[0].text)).toEqual(body)
    expect(result.structuredContent).toEqual(body)
  })

  test('an unknown slug is an error result with its message', async () => {
    const result = await connection.call('get_tool', { slug: 'no-such-tool' })
    const { status, body } = await service.rest('/tools/no-such-tool')
    expect(status).toBe(404)
    expect(result.isError).toBe(true)
    expect(JSON.parse(result.content[0].text)).toEqual(body)
  })

  test.each(['no_such_tool', 'constructor', '__proto__'])('the unknown tool %s is a protocol error', async (name) => {
    expect(await failureOf(connection.call(name, {}))).toMatchObject({ code: -32602 })
  })

  test('a wrong key is an authentication error after one request, and the client looks for no OAuth server', async () => {
    const exchanges: Exchange[] = []
    const error = await failureOf(client.connect(`${service.origin}/mcp`, 'aid_wrong', exchanges))
    expect(statusOf(error)).toBe(401)
    // At the newest revision the client shows a sentence of its own, and ours is in the text of the error.
    expect(client.version < '2026' ? error.message : error.data.text).toContain('This API key is not valid')
    expect(exchanges).toEqual([{ method: 'POST', path: '/mcp', status: 401 }])
  })

  test('a client that may sign in registers and opens the page when its key is wrong', async () => {
    const exchanges: Exchange[] = []
    const done: string[] = []
    await failureOf(client.connect(`${service.origin}/mcp`, 'aid_wrong', exchanges, signIn(done)))
    expect(done).toEqual(['registered', 'opened a sign-in page'])
    expect(exchanges.filter(({ path }) => path === '/mcp')).toEqual([{ method: 'POST', path: '/mcp', status: 401 }])
    for (const { path, status } of exchanges) if (path !== '/mcp') expect(status, path).toBeLessThan(300)
  })

  test('with OAUTH=off its key works as before', async () => {
    const { key } = await withoutOAuth.newKey()
    const exchanges: Exchange[] = []
    const second = await client.connect(`${withoutOAuth.origin}/mcp`, key, exchanges, signIn([]))
    expect((await second.call('list_tags', {})).isError ?? false).toBe(false)
    await second.close()
    expect(exchanges.filter(({ path }) => path !== '/mcp')).toEqual([])
  })

  test('with OAUTH=off a client that may sign in finds no OAuth server and gives up', async () => {
    const exchanges: Exchange[] = []
    const done: string[] = []
    await failureOf(client.connect(`${withoutOAuth.origin}/mcp`, 'aid_wrong', exchanges, signIn(done)))
    expect(done).toEqual([])
    const calls = exchanges.filter(({ path }) => path === '/mcp')
    const discovery = exchanges.filter(({ path }) => path.startsWith('/.well-known/'))
    expect(calls).toEqual([{ method: 'POST', path: '/mcp', status: 401 }])
    expect(discovery.length).toBeGreaterThan(0)
    expect(exchanges.length).toBeLessThan(15)
    for (const { path, status } of exchanges) if (path !== '/mcp') expect(status, path).toBe(404)
  })

  test('a client that may sign in does not when its key is valid', async () => {
    const exchanges: Exchange[] = []
    const second = await client.connect(`${service.origin}/mcp`, key, exchanges, signIn([]))
    await second.tools()
    await second.close()
    // The earlier client also opens a stream with GET and gets the answer that there is none.
    expect(exchanges.filter(({ path }) => path !== '/mcp')).toEqual([])
    expect(exchanges.filter(({ method, status }) => status >= 400 && !(method === 'GET' && status === 405))).toEqual([])
  })
})

/** An OAuth provider without a token that may register, as in a new desktop program; records each step. */
const signIn = (done: string[]) => ({
  redirectUrl: 'http://127.0.0.1:9/callback',
  clientMetadata: { redirect_uris: ['http://127.0.0.1:9/callback'], client_name: 'interop-test' },
  clientInformation: () => undefined,
  saveClientInformation: () => done.push('registered'),
  tokens: () => undefined,
  saveTokens: () => done.push('got a token'),
  redirectToAuthorization: () => done.push('opened a sign-in page'),
  saveCodeVerifier: () => {},
  codeVerifier: () => '',
})

test.each([
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/oauth-protected-resource/mcp/research',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/openid-configuration',
  '/mcp/.well-known/openid-configuration',
])('with OAUTH=off %s is a true 404', async (path) => {
  const reply = await withoutOAuth.fetch(path)
  expect(reply.status).toBe(404)
  expect(reply.body).toMatchObject({ success: false })
})

test('with OAUTH=off a wrong key gets an answer that says how to authenticate, without resource metadata', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const reply = await withoutOAuth.fetch('/mcp', { method: 'POST', key: 'aid_wrong', body })
  expect(reply.status).toBe(401)
  expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer /)
  expect(reply.headers.get('www-authenticate')).not.toContain('resource_metadata')
})

describe('over quota', () => {
  const limited = useService({ RATE_LIMIT_SCALE: '1' })

  test.each(CLIENTS)('$name: 30 calls of a standard key, then 429', async (client) => {
    const { key } = await limited.newKey('standard')
    const exchanges: Exchange[] = []
    const connection = await client.connect(`${limited.origin}/mcp`, key, exchanges)
    // tools/list is free.
    for (let i = 0; i < 3; i++) await connection.tools()
    for (let i = 0; i < 30; i++) await connection.call('list_directory_categories', {})
    const error = await failureOf(connection.call('list_directory_categories', {}))
    expect(statusOf(error)).toBe(429)
    expect(error.message).toMatch(/Rate limit exceeded. Try again in \d+ seconds?\./)
    expect(exchanges.at(-1)).toEqual({ method: 'POST', path: '/mcp', status: 429 })
    // The client did not retry by itself.
    expect(exchanges.filter(({ status }) => status === 429)).toHaveLength(1)
    await connection.tools()
    await connection.close()
  })
})

test('connecting is charged to no budget', async () => {
  const { key } = await service.newKey()
  const remaining = async () => Number((await service.rest('/tags', { key })).headers.get('x-ratelimit-remaining'))
  const before = await remaining()
  for (const client of CLIENTS) {
    const connection = await client.connect(`${service.origin}/mcp`, key)
    await connection.tools()
    await connection.close()
  }
  // Clients also send these by themselves: a request for a stream, and the end of a session.
  for (const method of ['GET', 'DELETE']) expect((await service.fetch('/mcp', { method, key })).status).toBe(405)
  expect(await remaining()).toBe(before - 1)
  const { headers } = await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, {}, key)
  expect(headers.get('x-ratelimit-remaining')).toBe(headers.get('x-ratelimit-limit'))
})

describe('pages', () => {
  /** Status of a ping with a chosen Host and Origin, which fetch does not allow. */
  const pingFrom = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const sent = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers }
      const request = httpRequest(`${service.origin}/mcp`, { method: 'POST', headers: sent }, (answer) => {
        answer.resume()
        resolve(answer.statusCode!)
      })
      request.on('error', reject)
      request.end('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    })

  test('a page that points its own name at the service (DNS rebinding) is refused', async () => {
    expect(await pingFrom({ host: 'evil.example.com', origin: 'http://evil.example.com' })).toBe(421)
    expect(await pingFrom({ host: 'evil.example.com:3000', origin: 'http://evil.example.com:3000' })).toBe(421)
    expect(await pingFrom({ host: 'Evil.example.com', origin: 'https://evil.example.com' })).toBe(421)
    expect(await pingFrom({ host: 'evil.example.com' })).toBe(421)
  })

  test.each([
    ['a page of another site, which has a key of its own', { origin: 'https://app.example.com' }],
    ['a page without a name', { origin: 'null' }],
    ['a page of ours under another name of this machine', { host: 'localhost:3000', origin: 'http://localhost:3000' }],
    ['a page of ours over IPv6', { host: '[::1]:3000', origin: 'http://[::1]:3000' }],
    ['a page of ours in a local network', { host: '192.168.1.5:3000', origin: 'http://192.168.1.5:3000' }],
    ['a program behind a proxy that names us otherwise', { host: 'catalog:3000' }],
    ['a page behind such a proxy', { host: 'catalog:3000', origin: 'https://catalog.example.com' }],
  ])('%s is served', async (_, headers) => {
    expect(await pingFrom(headers as Record<string, string>)).toBe(200)
  })

  test('a preflight lets a page send every header of every revision', async () => {
    const reply = await service.fetch('/mcp', {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
    })
    expect(reply.status).toBe(204)
    const allowed = reply.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
    const sent = ['authorization', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id']
    expect(allowed).toEqual(expect.arrayContaining(sent))
  })
})

// What the clients above never send: each revision by hand.

const post = (body: unknown, headers: Record<string, string> = {}, withKey = key) =>
  service.fetch('/mcp', { method: 'POST', key: withKey, body, headers })

const NEWEST_BEFORE = '2025-11-25'

describe.each(['2024-11-05', '2025-03-26', '2025-06-18', NEWEST_BEFORE])('revision %s', (version) => {
  // The header was introduced in 2025-06-18; older clients do not send it.
  const headers: Record<string, string> = version < '2025-06-18' ? {} : { 'mcp-protocol-version': version }

  test('initialize, initialized, ping, list, call', async () => {
    const opened = await post({
      jsonrpc: '2.0',
      id: 'open',
      method: 'initialize',
      params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'interop-test', version: '1' } },
    })
    expect(opened.status).toBe(200)
    expect(opened.headers.get('mcp-session-id')).toBeNull()
    expect(opened.body).toMatchObject({
      jsonrpc: '2.0',
      id: 'open',
      result: { protocolVersion: version, capabilities: { tools: {} }, serverInfo: { name: 'catalog-service' } },
    })

    const noted = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
    expect([noted.status, noted.text]).toEqual([202, ''])

    const pong = await post({ jsonrpc: '2.0', id: 0, method: 'ping' }, headers)
    expect([pong.status, pong.body]).toEqual([200, { jsonrpc: '2.0', id: 0, result: {} }])

    const listed = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
    expect(listed.body.result.tools).toHaveLength(CALLS.length)
    expect(listed.body.result).not.toHaveProperty('resultType')

    const { tool, input, rest } = CALLS[0]!
    const called = await post(
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: tool, arguments: input } },
      headers,
    )
    const { body } = await service.rest(rest)
    expect(called.body.result.structuredContent).toEqual(body)
    expect(JSON.parse(called.body.result.content[0].text)).toEqual(body)
  })

  test('an unknown method is -32601, an unknown tool -32602', async () => {
    const method = await post({ jsonrpc: '2.0', id: 1, method: 'no/such' }, headers)
    expect(method.body).toMatchObject({ id: 1, error: { code: -32601 } })
    const tool = await post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'nope' } }, headers)
    expect(tool.body).toMatchObject({ id: 2, error: { code: -32602 } })
  })
})

test('an unknown revision is answered with the newest one that has initialize', async () => {
  const { body } = await post({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'interop-test', version: '1' } },
  })
  expect(body.result.protocolVersion).toBe(NEWEST_BEFORE)
})

test('an unknown revision in the header is a 400', async () => {
  const reply = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-protocol-version': '1999-01-01' })
  expect(reply.status).toBe(400)
  expect(reply.body).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
})

test('a batch of 2025-03-26 is answered with a batch', async () => {
  const { body } = await post([
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_top_tools', arguments: { limit: 1 } } },
  ])
  expect(body.map(({ id }: { id: number }) => id).sort()).toEqual([1, 2])
})

describe('revision 2026-07-28', () => {
  const VERSION = '2026-07-28'
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'interop-test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const message = (method: string, params: object = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: { ...params, _meta: meta },
  })
  const headersOf = (method: string, name?: string): Record<string, string> => ({
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...(name ? { 'mcp-name': name } : {}),
  })
  const call = message('tools/call', { name: 'get_top_tools', arguments: { limit: 1 } })

  test('server/discover names the revision and may be cached', async () => {
    const { status, body } = await post(message('server/discover'), headersOf('server/discover'))
    expect(status).toBe(200)
    expect(body.result).toMatchObject({ resultType: 'complete', capabilities: { tools: {} }, cacheScope: 'public' })
    expect(body.result.supportedVersions).toContain(VERSION)
    expect(body.result.ttlMs).toBeGreaterThan(0)
  })

  test('tools/list may be cached', async () => {
    const { body } = await post(message('tools/list'), headersOf('tools/list'))
    expect(body.result).toMatchObject({ resultType: 'complete', cacheScope: 'public' })
    expect(body.result.ttlMs).toBeGreaterThan(0)
    expect(body.result.tools).toHaveLength(CALLS.length)
  })

  test('tools/call answers what REST answers', async () => {
    const { body } = await post(call, headersOf('tools/call', 'get_top_tools'))
    expect(body.result.resultType).toBe('complete')
    expect(body.result.structuredContent).toEqual((await service.rest('/tools/top?limit=1')).body)
  })

  const without = (name: string) => {
    const { [name]: _, ...rest } = headersOf('tools/call', 'get_top_tools')
    return rest
  }
  test.each([
    ['another Mcp-Method', headersOf('tools/list', 'get_top_tools')],
    ['another Mcp-Name', headersOf('tools/call', 'get_tool')],
    [
      'another MCP-Protocol-Version',
      { ...headersOf('tools/call', 'get_top_tools'), 'mcp-protocol-version': '2025-11-25' },
    ],
    ['no Mcp-Method', without('mcp-method')],
    ['no Mcp-Name', without('mcp-name')],
    ['no MCP-Protocol-Version', without('mcp-protocol-version')],
  ])('%s than the body has is a 400 and costs nothing', async (_, headers) => {
    const { key } = await service.newKey()
    const before = await post(message('tools/list'), headersOf('tools/list'), key)
    const reply = await post(call, headers, key)
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ jsonrpc: '2.0', id: 1, error: { code: -32020 } })
    expect(reply.headers.get('x-ratelimit-remaining')).toBe(before.headers.get('x-ratelimit-remaining'))
  })

  test('a missing envelope is -32602', async () => {
    const reply = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, headersOf('tools/list'))
    expect([reply.status, reply.body.error.code]).toEqual([400, -32602])
  })

  test('a future revision gets an error that lists the supported ones', async () => {
    const future = '2030-01-01'
    const params = { _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': future } }
    const reply = await post(
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params },
      { ...headersOf('tools/list'), 'mcp-protocol-version': future },
    )
    expect(reply.status).toBe(400)
    expect(reply.body.error).toMatchObject({ code: -32022, data: { supported: [VERSION], requested: future } })
  })

  test.each(['ping', 'initialize', 'no/such'])('%s does not exist here', async (method) => {
    const reply = await post(message(method), headersOf(method))
    expect([reply.status, reply.body.error.code]).toEqual([404, -32601])
  })

  test('an unknown tool is -32602', async () => {
    const reply = await post(message('tools/call', { name: 'nope' }), headersOf('tools/call', 'nope'))
    expect(reply.body.error.code).toBe(-32602)
  })
})
