// Connects Mastra and calls a tool.
import { MCPClient } from '@mastra/mcp'

const [, , url, key] = process.argv
const requestInit = { headers: { authorization: `Bearer ${key}` } }
const client = new MCPClient({ servers: { catalog: { url: new URL(url), requestInit } } })
try {
  const { toolsets, errors } = await client.listToolsetsWithErrors()
  if (errors.catalog) throw new Error(errors.catalog)
  const tools = toolsets.catalog
  const answer = await tools.search_tools.execute({ q: 'writing', limit: 2 }, {})
  console.log(JSON.stringify({ tools: Object.keys(tools), answer }))
} catch (error) {
  console.log(JSON.stringify({ message: error.message }))
} finally {
  await client.disconnect()
}
