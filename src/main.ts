#!/usr/bin/env node
// argv → command. The Node version is checked before anything else is imported, because an older one cannot load the other files; those that
// cannot even load this one are told by catalog.mjs.
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
// Before the other files are loaded, because loading them makes many objects.
const { limitYoungGeneration } = await import('./process/young-generation.ts')
limitYoungGeneration()
const { resolveByPath } = await import('./process/module-resolution.ts')
resolveByPath()
const { run } = await import('./surfaces/cli/program.ts')
await run(process.argv)
