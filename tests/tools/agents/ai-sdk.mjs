// Connects the AI SDK and calls a tool.
import { createMCPClient } from '@ai-sdk/mcp'

const [, , url, key] = process.argv
let client
try {
  client = await createMCPClient({ transport: { type: 'http', url, headers: { authorization: `Bearer ${key}` } } })
  const tools = await client.tools()
  const answer = await tools.search_tools.execute({ q: 'writing', limit: 2 }, { toolCallId: '1', messages: [] })
  console.log(JSON.stringify({ tools: Object.keys(tools), answer }))
} catch (error) {
  console.log(JSON.stringify({ message: error.message }))
} finally {
  await client?.close()
}
