// Search results as a view, for hosts that show apps in the conversation (MCP Apps). Other hosts notice nothing.
import { readFileSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { beforeAll, expect, test } from 'vitest'
import { modern } from '../harness/mcp.ts'
import { useService } from '../harness/use.ts'

const EXTENSION = 'io.modelcontextprotocol/ui'
const HTML = 'text/html;profile=mcp-app'
const VIEW = 'ui://catalog/results'

let key: string
const service = useService()
beforeAll(async () => {
  await service.load([{ kind: 'tool', slug: 'one', name: 'One', website: 'https://one.example' }])
  key = (await service.newKey()).key
})

type Extensions = Record<string, { mimeTypes?: string[] }>
async function connected(extensions: Extensions): Promise<Client> {
  const client = new Client(
    { name: 'host', version: '1' },
    { capabilities: { extensions }, versionNegotiation: { mode: 'auto' } },
  )
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.origin}/mcp`), { requestInit }))
  return client
}

test('a host that declares the extension finds the view at the searches and can read it', async () => {
  const client = await connected({ [EXTENSION]: { mimeTypes: [HTML] } })
  expect(client.getServerCapabilities()).toMatchObject({ resources: {}, extensions: { [EXTENSION]: {} } })
  const { tools } = await client.listTools()
  const withView = tools.filter(({ _meta }) => _meta).map(({ name, _meta }) => [name, _meta])
  expect(withView).toEqual(
    ['search_tools', 'get_top_tools', 'search_directories'].map((name) => [name, { ui: { resourceUri: VIEW } }]),
  )
  expect((await client.listResources()).resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([[VIEW, HTML]])
  const { contents } = await client.readResource({ uri: VIEW })
  expect(contents).toEqual([
    expect.objectContaining({ uri: VIEW, mimeType: HTML, text: expect.stringMatching(/^<!doctype html>/) }),
  ])
  await expect(client.readResource({ uri: 'ui://catalog/none' })).rejects.toThrow('There is no resource but')
  await client.close()
})

test('a host that does not declare it is told nothing of it', async () => {
  const others: Extensions[] = [{}, { [EXTENSION]: {} }, { [EXTENSION]: { mimeTypes: ['text/plain'] } }]
  for (const extensions of others) {
    const client = await connected(extensions)
    expect(client.getServerCapabilities()).toEqual({ tools: {} })
    const { tools } = await client.listTools()
    expect(tools.every(({ _meta }) => _meta === undefined)).toBe(true)
    await client.close()
  }
})

test('it adds at most 600 bytes to tools/list, and nothing to the answer of a call', async () => {
  const declared = { extensions: { [EXTENSION]: { mimeTypes: [HTML] } } }
  const ask = async (method: string, params: { name?: string }, capabilities: object) =>
    (await modern(service, key, method, { ...params }, {}, capabilities)).text.replace(/"id":\d+/, '')
  const [plain, withView] = [await ask('tools/list', {}, {}), await ask('tools/list', {}, declared)]
  expect(withView.length).toBeGreaterThan(plain.length)
  expect(withView.length - plain.length).toBeLessThanOrEqual(600)
  expect(withView.length).toBeLessThanOrEqual(12 * 1024)
  const call = { name: 'search_tools', arguments: { q: 'one' } }
  expect(await ask('tools/call', call, declared)).toBe(await ask('tools/call', call, {}))
})

test('the view names no other host and writes no text as markup', () => {
  const html = readFileSync(new URL('../../src/surfaces/mcp/results-view.html', import.meta.url), 'utf8')
  expect(html).not.toMatch(/https?:\/\/\w|innerHTML|insertAdjacentHTML|document\.write|\beval\b|<link|<img|src=/)
})
