#!/usr/bin/env node
// Entry point of the `catalog` command. The Node version is checked before anything else is imported, because an older Node cannot load the
// other files. catalog.mjs checks it for versions that cannot even load this file.
import { enableCompileCache } from 'node:module'

const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(
    `Catalog Service needs Node 24 or newer; this is ${process.version}. On Linux "npm ci" brings it along: use "npm start" or "npx catalog".`,
  )
  process.exit(1)
}
// The next start reuses the code that this one compiles.
enableCompileCache()
// Limited before the other files are loaded, because loading them creates many objects.
const { limitYoungGeneration, resolveByPath } = await import('./process/before-loading.ts')
limitYoungGeneration()
resolveByPath()
const { run } = await import('./surfaces/cli/program.ts')
await run(process.argv)
