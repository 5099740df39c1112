// @module-tag once
// How programs find the MCP addresses: the list of servers, their cards, llms.txt, the REST overview and server.json say the same.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { registryFile, serverCatalog } from '../../src/surfaces/http/mcp-servers.ts'
import { catalog } from '../harness/command.ts'
import { ADMIN_TOKEN } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
})

const CATALOG = '/.well-known/mcp/catalog.json'
const OTHERS = ['ai-catalog.json', 'api-catalog', 'agent-skills/index.json', 'agent-skills/launch-a-product/SKILL.md']
const ALL_DOCUMENTS = [...OTHERS.map((name) => `/.well-known/${name}`), '/llms.txt']
const pathOf = (address: string) => address.replace(service.origin, '')
const read = async (path: string) => {
  const reply = await service.fetch(path)
  expect([path, reply.status]).toEqual([path, 200])
  return reply
}
const cards = async (): Promise<any[]> => {
  const { entries } = (await read(CATALOG)).body
  return Promise.all(entries.map(async ({ url }: any) => (await read(pathOf(url))).body))
}

// The rules that the registry's schema (2025-12-11) and its documentation have for such a file, as far as we use it.
const input = Type.Object(
  {
    description: Type.Optional(Type.String()),
    isRequired: Type.Optional(Type.Boolean()),
    isSecret: Type.Optional(Type.Boolean()),
    placeholder: Type.Optional(Type.String()),
    value: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)
const header = Type.Object(
  { ...input.properties, name: Type.String(), variables: Type.Optional(Type.Record(Type.String(), input)) },
  { additionalProperties: false },
)
const registrySchema = Type.Object(
  {
    $schema: Type.Literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
    name: Type.String({ minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' }),
    title: Type.String({ minLength: 1, maxLength: 100 }),
    description: Type.String({ minLength: 1, maxLength: 100 }),
    version: Type.String({ maxLength: 255, pattern: '^\\d+\\.\\d+\\.\\d+$' }),
    websiteUrl: Type.String({ pattern: '^https?://' }),
    remotes: Type.Array(
      Type.Object(
        {
          type: Type.Literal('streamable-http'),
          url: Type.String({ pattern: '^https?://[^\\s]+$' }),
          headers: Type.Array(header),
        },
        { additionalProperties: false },
      ),
      { minItems: 1 },
    ),
  },
  { additionalProperties: false },
)
const problemsOf = (schema: TSchema, value: unknown) => [...Compile(schema).Errors(value)]

describe('server.json', () => {
  test('has the form that the official registry takes, for every kind of address', () => {
    for (const publicUrl of [
      'https://catalog.example.com',
      'http://localhost:3000',
      'http://[::1]:3000',
      'http://10.0.0.5',
    ])
      expect(
        problemsOf(registrySchema, registryFile({ publicUrl, version: '1.2.3', agentsSignIn: true })),
        publicUrl,
      ).toEqual([])
    expect(
      registryFile({ publicUrl: 'https://catalog.example.com', version: '1.2.3', agentsSignIn: true }),
    ).toMatchObject({
      name: 'com.example.catalog/catalog',
      version: '1.2.3',
      remotes: [{ type: 'streamable-http', url: 'https://catalog.example.com/mcp' }],
    })
  })

  // The schema is not ours to copy: MCP_REGISTRY_SCHEMA names a file that was fetched from the address in `$schema`.
  const schemaFile = process.env.MCP_REGISTRY_SCHEMA ?? ''
  test.skipIf(!existsSync(schemaFile))("is valid by the registry's own schema", () => {
    const schema = JSON.parse(readFileSync(schemaFile, 'utf8'))
    expect(schema.$id).toBe('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json')
    const file = registryFile({ publicUrl: 'https://catalog.example.com', version: '1.2.3', agentsSignIn: true })
    expect(problemsOf(schema, file)).toEqual([])
    expect(problemsOf(schema, { ...file, description: 'x'.repeat(101) })).not.toEqual([])
    expect(problemsOf(schema, { ...file, name: 'no-namespace' })).not.toEqual([])
  })

  test('is printed by a command from what the running service says', async () => {
    const environment = { CATALOG_URL: service.origin, ADMIN_TOKEN }
    const { status, out, err } = await catalog(['server-json'], environment)
    expect([status, err]).toEqual([0, ''])
    const [{ version }] = (await cards()) as [any]
    expect(JSON.parse(out)).toEqual(registryFile({ publicUrl: service.origin, version, agentsSignIn: true }))
    const named = await catalog(['server-json', '--name', 'io.github.acme/catalog'], environment)
    expect(JSON.parse(named.out).name).toBe('io.github.acme/catalog')
  })
})

describe(CATALOG, () => {
  test('names a card for each MCP address, for programs on any page, and may be cached', async () => {
    const { body, headers } = await read(CATALOG)
    expect(body).toEqual(serverCatalog({ publicUrl: service.origin }))
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('cache-control')).toBe('public, max-age=3600')
    for (const { type, url, identifier } of body.entries) {
      expect(type).toBe('application/mcp-server-card+json')
      expect(identifier).toMatch(/^urn:air:[a-z0-9.-]+:[a-z-]+$/)
      const card = await read(pathOf(url))
      expect(card.headers.get('content-type')).toBe('application/mcp-server-card+json; charset=utf-8')
      expect(card.headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  test('is not sent again to a program that has it, and neither is a card, until the site is renamed', async () => {
    const [{ url }] = (await read(CATALOG)).body.entries
    const again = (path: string, etag: string | null) =>
      service.fetch(path, { headers: { 'if-none-match': etag ?? '' } })
    const paths = [CATALOG, pathOf(url), ...ALL_DOCUMENTS]
    const tags = await Promise.all(paths.map(async (path) => (await read(path)).headers.get('etag')))
    expect(new Set(tags).size).toBe(paths.length)
    for (const [at, path] of paths.entries()) {
      const { status, text, headers } = await again(path, tags[at]!)
      expect([path, status, text]).toEqual([path, 304, ''])
      expect([path, headers.has('access-control-allow-origin')]).toEqual([path, path !== '/llms.txt'])
    }
    const { name, description } = (await service.admin('GET', '/site')).body.data
    await service.admin('PUT', '/site', { name: 'Renamed', description })
    expect((await again(pathOf(url), tags[1]!)).body.title).toBe('Renamed')
    await service.admin('PUT', '/site', { name, description })
  })

  test('is charged to the address of the visitor, like a page', async () => {
    expect((await read(CATALOG)).headers.get('x-ratelimit-remaining')).not.toBeNull()
  })
})

describe('/.well-known/ai-catalog.json', () => {
  test('has the same entries as an AI catalog, and says who offers them', async () => {
    const { body, headers } = await read('/.well-known/ai-catalog.json')
    expect(headers.get('content-type')).toBe('application/ai-catalog+json; charset=utf-8')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(body.entries).toEqual((await read(CATALOG)).body.entries)
    expect(body).toMatchObject({ specVersion: '1.0', host: { displayName: expect.any(String) } })
    // Registries find an entry by them; the form of AI catalogs recommends two to five.
    for (const { representativeQueries } of body.entries)
      expect([2, 3, 4, 5]).toContain(new Set(representativeQueries).size)
  })
})

describe('/.well-known/api-catalog', () => {
  test('links REST and every MCP address to a description and documentation that are served', async () => {
    const { body, headers } = await read('/.well-known/api-catalog')
    expect(headers.get('content-type')).toMatch(
      /^application\/linkset\+json; profile="https:\/\/www\.rfc-editor\.org\/info\/rfc9727"/,
    )
    expect(body.linkset.map(({ anchor }: any) => pathOf(anchor))).toEqual(['/api/v1', '/mcp', '/mcp/research'])
    for (const links of body.linkset)
      for (const { href } of [...links['service-desc'], ...links['service-doc']]) await read(pathOf(href))
  })

  test('is named in the Link header of its answer to HEAD', async () => {
    const { status, headers } = await service.fetch('/.well-known/api-catalog', { method: 'HEAD' })
    expect([status, headers.get('link')]).toEqual([200, '</.well-known/api-catalog>; rel="api-catalog"'])
  })
})

describe('/.well-known/agent-skills/index.json', () => {
  test('names the skill with the digest of its file, whose front matter says the same', async () => {
    const { body } = await read('/.well-known/agent-skills/index.json')
    expect(body.skills).toHaveLength(1)
    const [{ name, type, description, url, digest }] = body.skills
    expect([name, type]).toEqual(['launch-a-product', 'skill-md'])
    expect(description.length).toBeLessThanOrEqual(1024)
    const { text, headers } = await read(pathOf(url))
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(digest).toBe(`sha256:${createHash('sha256').update(text).digest('hex')}`)
    const [, frontMatter, instructions] = /^---\n(.*?)\n---\n\n(.+)$/s.exec(text)!
    expect(parse(frontMatter!)).toEqual({ name, description })
    expect(instructions!.split('\n').length).toBeLessThan(500)
  })

  test('the plan that the skill begins with is served without a key', async () => {
    const { text } = await read('/.well-known/agent-skills/launch-a-product/SKILL.md')
    const [, address] = /`GET (\S+\/plan\?\S+)`/.exec(text)!
    const plan = await service.fetch(pathOf(address!), { headers: { accept: 'text/markdown' } })
    expect([plan.status, plan.text.split('\n')[0]]).toEqual([200, '# Where should I launch?'])
  })
})

test('each card says what the server says when a client connects', async () => {
  for (const card of await cards()) {
    const [remote] = card.remotes
    const client = new Client({ name: 'discovery-test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const name = remote.headers[0].name
    const value = remote.headers[0].value.replace('{api_key}', key)
    const requestInit = { headers: { [name]: value } }
    await client.connect(new StreamableHTTPClientTransport(new URL(remote.url), { requestInit }))
    expect(client.getServerVersion()).toMatchObject({ version: card.version })
    expect(remote.supportedProtocolVersions).toContain(client.getNegotiatedProtocolVersion())
    expect((await client.listTools()).tools.length).toBeGreaterThan(0)
    await client.close()
  }
})

test('the revisions on a card are those that the server accepts', async () => {
  const [card] = await cards()
  for (const revision of card.remotes[0].supportedProtocolVersions.filter((one: string) => one < '2026')) {
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
    const { result } = (await service.fetch('/mcp', { method: 'POST', key, body })).body
    expect(result.protocolVersion).toBe(revision)
  }
})

test('llms.txt, the overview of REST and the cards name the same addresses, and each of them is served', async () => {
  const llms = (await read('/llms.txt')).text
  const overview = (await read('/api/v1/')).body.data
  const addresses = (await cards()).map(({ remotes }) => remotes[0].url)
  expect(addresses).toEqual([`${service.origin}/mcp`, `${service.origin}/mcp/research`])
  expect(overview.mcp).toBe(addresses[0])
  for (const address of [...addresses, `${service.origin}${CATALOG}`]) expect(llms).toContain(`(${address})`)
  const linked = [...llms.matchAll(/\]\(([^)]+)\)/g)].map(([, address]) => address!)
  expect(linked.length).toBeGreaterThan(8)
  for (const address of linked.filter((one) => !one.includes('/categories/'))) {
    const { status } = await service.fetch(pathOf(address))
    expect([address, status]).toEqual([address, addresses.includes(address) ? 405 : 200])
  }
})
