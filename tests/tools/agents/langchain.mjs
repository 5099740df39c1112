// Connects the LangChain adapters and calls a tool.
import { MultiServerMCPClient } from '@langchain/mcp-adapters'

const [, , url, key] = process.argv
const client = new MultiServerMCPClient({
  mcpServers: { catalog: { transport: 'http', url, headers: { authorization: `Bearer ${key}` } } },
})
try {
  const tools = await client.getTools()
  const search = tools.find(({ name }) => name === 'search_tools')
  const answer = await search.invoke({ q: 'writing', limit: 2 })
  console.log(JSON.stringify({ tools: tools.map(({ name }) => name), answer }))
} catch (error) {
  console.log(JSON.stringify({ message: error.message }))
} finally {
  await client.close()
}
