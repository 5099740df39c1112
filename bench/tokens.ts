// node bench/tokens.ts: how many tokens a model reads for each tool's answer on the demo catalog, as the table of docs/agents.md.
import { join } from 'node:path'
import { importFile, newKey } from './operator.ts'
import { folder, startServer } from './processes.ts'
import { runBench } from './run-bench.ts'
import { countToolTokens, tokenRows } from './tool-tokens.ts'

async function main(): Promise<void> {
  const server = await startServer(join(folder, 'data'))
  for (const name of ['taxonomy', 'tools', 'directories'])
    await importFile(server, new URL(`../seeds/demo/${name}.ndjson`, import.meta.url).pathname)
  const key = await newKey(server)
  const counts = await countToolTokens(async (message) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    return (await fetch(`${server.origin}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })).text()
  })
  console.log(`| Call | Tokens | Whole answer |\n|---|---|---|\n${tokenRows(counts)}`)
}

await runBench(main)
