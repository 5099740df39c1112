// Runs mcp-remote as a host on the desktop does, over stdin and stdout, and calls a tool through it.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

const [, , url, key] = process.argv
const script = new URL('../node_modules/mcp-remote/dist/proxy.js', import.meta.url).pathname
// mcp-remote itself replaces the name by the value of the variable.
const header = `Authorization:\${AUTHORIZATION}`
const args = [script, url, '--allow-http', '--transport', 'http-only', '--header', header]
const env = { ...process.env, AUTHORIZATION: `Bearer ${key}` }
const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' })
let told = ''
transport.stderr?.on('data', (text) => (told += text))
const client = new Client({ name: 'interop-test', version: '1' })
try {
  await client.connect(transport, { timeout: 30_000 })
  const { tools } = await client.listTools()
  const answer = await client.callTool({ name: 'search_tools', arguments: { q: 'writing', limit: 2 } })
  console.log(JSON.stringify({ tools: tools.map(({ name }) => name), answer }))
} catch (error) {
  console.log(JSON.stringify({ message: error.message, told: told.slice(-2000) }))
} finally {
  await client.close()
}
