#!/usr/bin/env node
// argv → command. It checks the runtime first, because the rest needs it to be loaded at all.
import { enableCompileCache } from 'node:module'

const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(
    `Catalog Service needs Node 24 or newer; this is ${process.version}. On Linux "npm ci" brings it along: use "npm start" or "npx catalog".`,
  )
  process.exit(1)
}
// What was compiled once need not be compiled at the next start.
enableCompileCache()
const { run } = await import('./surfaces/cli/program.ts')
await run(process.argv)
