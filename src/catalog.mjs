#!/usr/bin/env node
// Entry point of the `catalog` command, in JavaScript that older versions of Node read too: they cannot load TypeScript, and would not say why.
import nodeModule from 'node:module'

const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(
    `Catalog Service needs Node 24 or newer; this is ${process.version}. On Linux "npm ci" brings it along: use "npm start" or "npx catalog".`,
  )
  process.exit(1)
}
// The next start reuses the code that this one compiles. Called before any TypeScript is loaded: otherwise Node's compiler of TypeScript is
// loaded for the first file, which takes 10 MB.
nodeModule.enableCompileCache()
// Limited before the other files are loaded, because loading them creates many objects.
const { limitYoungGeneration, resolveByPath } = await import('./process/before-loading.ts')
limitYoungGeneration()
resolveByPath()
const { run } = await import('./surfaces/cli/program.ts')
await run(process.argv)
