// {mcp_url}/research: the two tools that hosts for research expect, beside the eight tools and on the same budget.
// @module-tag once
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { use } from '../harness/use.ts'
import { CALLS, startDemo } from '../interop/demo.ts'

let key: string
let client: Client
const service = use(startDemo)
beforeAll(async () => {
  key = (await service.newKey()).key
  client = await connect('/mcp/research')
})
afterAll(() => client?.close())

async function connect(path: string): Promise<Client> {
  const opened = new Client({ name: 'research-test', version: '1' })
  const headers = { authorization: `Bearer ${key}` }
  await opened.connect(
    new StreamableHTTPClientTransport(new URL(`${service.origin}${path}`), { requestInit: { headers } }),
  )
  return opened
}

/** The result of a call, which is the same as text and as an object. The client checks it against the schema of the tool. */
async function call(name: string, input: Record<string, unknown>, as = client): Promise<any> {
  const { content, structuredContent, isError } = (await as.callTool({ name, arguments: input })) as any
  expect(isError ?? false, content[0].text).toBe(false)
  expect(content).toHaveLength(1)
  expect(JSON.parse(content[0].text)).toEqual(structuredContent)
  return structuredContent
}

test('has the tools search and fetch, each with one string, and nothing else', async () => {
  const { tools } = await client.listTools()
  expect(
    tools.map(({ name, inputSchema }) => [name, inputSchema.required, Object.keys(inputSchema.properties!)]),
  ).toEqual([
    ['search', ['query'], ['query']],
    ['fetch', ['id'], ['id']],
  ])
  for (const tool of tools)
    expect(tool).toMatchObject({
      title: expect.any(String),
      description: expect.any(String),
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    })
})

test('the eight tools stay as they are', async () => {
  const other = await connect('/mcp')
  expect((await other.listTools()).tools.map(({ name }) => name)).toEqual(CALLS.map(({ tool }) => tool))
  await other.close()
})

test('search gives ids, titles and pages of tools and of directories, and fetch reads every one of them', async () => {
  const { results } = await call('search', { query: 'launch a product and write about it' })
  expect(results.length).toBeGreaterThan(5)
  const kinds = new Set(results.map(({ id }: any) => id.split(':')[0]))
  expect(kinds).toEqual(new Set(['tool', 'directory']))
  for (const result of results) {
    expect(Object.keys(result)).toEqual(['id', 'title', 'url'])
    const document = await call('fetch', { id: result.id })
    expect(Object.keys(document)).toEqual(['id', 'title', 'url', 'text', 'metadata'])
    expect(document).toMatchObject(result)
    expect(document.text).toContain(`# ${result.title}`)
    expect(document.metadata.website).toMatch(/^https?:/)
    const page = new URL(result.url)
    expect((await service.fetch(page.pathname)).status).toBe(200)
  }
})

test('search finds in the order of the search of the site', async () => {
  const { results } = await call('search', { query: 'grammarly' })
  expect(results[0]).toMatchObject({
    id: 'tool:grammarly',
    title: 'Grammarly',
    url: `${service.origin}/tools/grammarly`,
  })
  expect((await call('search', { query: 'product hunt' })).results[0].id).toBe('directory:product-hunt')
  expect((await call('search', { query: 'zqxwvu' })).results).toEqual([])
})

test('a document has what readers of the listing see', async () => {
  const { body } = await service.rest('/tools/grammarly')
  const { text, metadata } = await call('fetch', { id: 'tool:grammarly' })
  for (const value of [body.data.tagline, body.data.description, body.data.website, body.data.category.name])
    expect(text).toContain(value)
  for (const { question, answer } of body.data.faqs) expect(text).toContain(`- ${question} ${answer}`)
  expect(metadata).toMatchObject({ kind: 'AI tool', pricing: body.data.pricing, website: body.data.website })
})

test.each([
  ['fetch', { id: 'tool:no-such' }, 'Tool not found.'],
  ['fetch', { id: 'grammarly' }, 'Result not found.'],
  ['fetch', { id: 'constructor:grammarly' }, 'Result not found.'],
  ['fetch', {}, 'id is required'],
  ['search', { q: 'notes' }, '`q` is not an argument of search'],
])('%s %j is an error that says what is wrong', async (name, input, sentence) => {
  const { content, isError } = (await client.callTool({ name, arguments: input })) as any
  expect(isError).toBe(true)
  expect(JSON.parse(content[0].text).error).toContain(sentence)
})

test('it needs a key, takes only POST, and its calls use the same budget', async () => {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search', arguments: { query: 'mail' } },
  }
  const post = (path: string, body: unknown, as: string | null) =>
    service.fetch(path, { method: 'POST', key: as, body })
  expect((await post('/mcp/research', message, null)).status).toBe(401)
  expect((await post('/mcp/research', message, 'aid_wrong')).status).toBe(401)
  expect((await service.fetch('/mcp/research', { key })).status).toBe(405)
  const fresh = (await service.newKey()).key
  const remaining = async (path: string, body: unknown) =>
    Number((await post(path, body, fresh)).headers.get('x-ratelimit-remaining'))
  const first = await remaining('/mcp/research', message)
  const other = { ...message, params: { name: 'list_categories', arguments: {} } }
  expect(await remaining('/mcp', other)).toBe(first - 1)
  expect(await remaining('/mcp/research', message)).toBe(first - 2)
})
