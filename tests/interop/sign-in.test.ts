// Programs on npm that sign in by themselves: they open a page in the browser of their user, who allows, and then call a tool.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signedUp } from '../harness/browser.ts'
import * as oauth from '../harness/oauth.ts'
import type { TestService } from '../harness/service.ts'
import { CALLS, startDemo } from './demo.ts'
import { areToolsInstalled, inTools, toolsFolder } from './tools.ts'

const NAMES = CALLS.map(({ tool }) => tool)
const INSPECTOR = inTools('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
const MCP_REMOTE = inTools('node_modules/mcp-remote/dist/proxy.js')

describe.skipIf(!areToolsInstalled())('signing in', () => {
  let service: TestService
  const home = mkdtempSync(join(tmpdir(), 'catalog-sign-in-'))
  beforeAll(async () => {
    service = await startDemo()
  })
  afterAll(async () => {
    await service?.close()
    rmSync(home, { recursive: true, force: true })
  })

  // No program may open a real browser; each prints the address as well.
  const environment = () => ({
    PATH: process.env.PATH!,
    HOME: home,
    BROWSER: '/bin/true',
    MCP_AUTO_OPEN_ENABLED: 'true',
    MCP_INSPECTOR_SECRET_STORE: 'file',
    NO_COLOR: '1',
  })

  /** Does what the user does at the address that a program has printed. */
  async function allow(printed: string) {
    const browser = await signedUp(service)
    const page = new URL(printed)
    const answer = await oauth.decide(browser, page.pathname + page.search)
    const returned = await fetch(oauth.locationOf(answer))
    expect(returned.status).toBe(200)
    return browser
  }

  /** The address of the consent page in what a program prints. */
  const printedAddress = (stream: Readable) =>
    new Promise<string>((resolve, reject) => {
      let text = ''
      stream.on('data', (chunk) => {
        text += chunk
        const found = text.match(/http:\/\/\S+\/oauth\/authorize\?\S+/)
        if (found) resolve(found[0])
      })
      stream.once('end', () => reject(new Error(`no address in: ${text.slice(-2000)}`)))
    })

  test('mcp-remote', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MCP_REMOTE, `${service.origin}/mcp`, '--allow-http', '--transport', 'http-only'],
      env: environment(),
      stderr: 'pipe',
    })
    const client = new Client({ name: 'interop-test', version: '1' })
    const address = printedAddress(transport.stderr as Readable)
    const connected = client.connect(transport, { timeout: 60_000 })
    const browser = await allow(await address)
    await connected
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(NAMES)
    expect((await client.callTool({ name: 'list_tags' })).isError ?? false).toBe(false)
    await client.close()
    const [grant] = await oauth.grantsOf(service, browser.email)
    expect(grant.endedAt).toBeNull()
  })

  test('the inspector', async () => {
    const inspect = (...args: string[]): ChildProcess => {
      const fixed = [
        '--cli',
        `${service.origin}/mcp`,
        '--transport',
        'http',
        '--method',
        'tools/list',
        '--format',
        'json',
      ]
      const stdio = ['ignore', 'pipe', 'pipe'] as const
      return spawn(process.execPath, [INSPECTOR, ...fixed, ...args], {
        cwd: toolsFolder,
        env: environment(),
        stdio: [...stdio],
      })
    }
    const outputOf = (child: ChildProcess) =>
      new Promise<string>((resolve) => {
        let text = ''
        child.stdout!.on('data', (chunk) => (text += chunk))
        child.once('close', () => resolve(text))
      })
    const first = inspect('--callback-url', 'http://127.0.0.1:0/oauth/callback')
    const output = outputOf(first)
    const browser = await allow(await printedAddress(first.stderr!))
    expect(JSON.parse(await output).result.tools.map(({ name }: { name: string }) => name)).toEqual(NAMES)
    // The token is kept, and the next call asks for nothing.
    const kept = JSON.parse(await outputOf(inspect('--stored-auth-only')))
    expect(kept.result.tools).toHaveLength(NAMES.length)
    const [grant] = await oauth.grantsOf(service, browser.email)
    expect(grant.endedAt).toBeNull()
  })
})
