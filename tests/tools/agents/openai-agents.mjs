// Connects the OpenAI agents library in its strict mode, and calls a tool as a model in strict mode does: every argument is given, null when absent.
import { getAllMcpTools, MCPServerStreamableHttp, RunContext } from '@openai/agents-core'

const [, , url, key] = process.argv
const server = new MCPServerStreamableHttp({ url, requestInit: { headers: { authorization: `Bearer ${key}` } } })
try {
  await server.connect()
  const tools = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: true })
  const search = tools.find(({ name }) => name === 'search_tools')
  const input = Object.fromEntries(Object.keys(search.parameters.properties).map((name) => [name, null]))
  const answer = await search.invoke(new RunContext(), JSON.stringify({ ...input, q: 'writing', limit: 2 }))
  console.log(JSON.stringify({ strict: tools.map(({ name, strict }) => [name, strict]), answer }))
} catch (error) {
  console.log(JSON.stringify({ message: error.message }))
} finally {
  await server.close()
}
