// Every block of docs/agents.md that a program on npm can read connects to the service as it is written there.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestService } from '../harness/service.ts'
import { CALLS, startDemo } from './demo.ts'
import { areToolsInstalled, endOfOutput, inTools, run, toolsFolder } from './tools.ts'

const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8')
const blocks = [
  ...page.matchAll(/### ([^\n]+)\n(?:(?!###)[\s\S])*?<!-- tested: ([\w-]+) -->\n```\w+\n([\s\S]*?)```/g),
].map(([, name, how, text]) => ({ name: name!, how: how!, text: text! }))
const blocksFor = (how: string) => blocks.filter((block) => block.how === how)
const NAMES = CALLS.map(({ tool }) => tool)
const ADDRESS = 'https://catalog.example.com'

let service: TestService
let key: string
beforeAll(async () => {
  service = await startDemo()
  key = (await service.newKey()).key
  process.env.CATALOG_KEY = key
})
afterAll(async () => {
  delete process.env.CATALOG_KEY
  await service?.close()
})
const here = (text: string) => text.replaceAll(ADDRESS, service.origin)

test('every host of the page has its section, and every marked block is found', () => {
  for (const host of [
    'Claude',
    'ChatGPT',
    'VS Code',
    'Cursor',
    'OpenAI agents',
    'Vercel AI SDK',
    'LangChain',
    'Mastra',
  ])
    expect(page).toContain(`### ${host}\n`)
  expect(blocks.length).toBe(page.split('<!-- tested:').length - 1)
  expect(blocksFor('module').map(({ name }) => name)).toEqual([
    'OpenAI agents',
    'Vercel AI SDK',
    'LangChain',
    'Mastra',
    'The official client',
  ])
})

describe.skipIf(!areToolsInstalled())('with the programs of tests/tools', () => {
  test.each(blocksFor('module'))('$name: the code lists every tool without a warning', async ({ name, text }) => {
    const folder = inTools('node_modules', '.documented')
    mkdirSync(folder, { recursive: true })
    const file = `${folder}/${name.toLowerCase().replaceAll(/\W+/g, '-')}.mjs`
    writeFileSync(file, here(text))
    const ended = await run(process.execPath, [file], toolsFolder)
    expect(ended.code, endOfOutput(ended)).toBe(0)
    expect(ended.stderr).toBe('')
    for (const tool of NAMES) expect(ended.stdout).toContain(tool)
  })

  test.each(blocksFor('mcp-remote'))(
    '$name: a desktop program reaches the tools through mcp-remote',
    async ({ text }) => {
      const { args, env, command } = JSON.parse(here(text)).mcpServers.catalog
      expect([command, ...args.slice(0, 2)]).toEqual(['npx', '-y', 'mcp-remote'])
      const script = inTools('node_modules', 'mcp-remote', 'dist', 'proxy.js')
      const transport = new StdioClientTransport({
        command: process.execPath,
        // Only a test connects without TLS.
        args: [script, ...args.slice(2), '--allow-http'],
        env: {
          PATH: process.env.PATH!,
          HOME: inTools('node_modules', '.home'),
          CATALOG_AUTHORIZATION: env.CATALOG_AUTHORIZATION.replace('aid_…', key),
        },
        stderr: 'ignore',
      })
      const client = new EarlierClient({ name: 'interop-test', version: '1' })
      await client.connect(transport)
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(NAMES)
      await client.close()
    },
  )
})

test.each(blocksFor('settings'))('$name: the settings lead to the tools', async ({ text }) => {
  const { servers, mcpServers } = JSON.parse(here(text))
  const { url, headers } = (servers ?? mcpServers).catalog
  // The program fills in the key, which it asks for or reads from the environment.
  const Authorization = headers.Authorization.replace(/\$\{(input|env):[\w-]+\}/, key)
  const client = new Client({ name: 'interop-test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization } } }))
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(NAMES)
  await client.close()
})
