#!/usr/bin/env node
// The first file that runs, in JavaScript that older versions of Node read too: they cannot load TypeScript, and would not say why.
import nodeModule from 'node:module'

const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(
    `Catalog Service needs Node 24 or newer; this is ${process.version}. On Linux "npm ci" brings it along: use "npm start" or "npx catalog".`,
  )
  process.exit(1)
}
// Before any TypeScript is loaded: otherwise Node loads its compiler of TypeScript for the first file, which takes 10 MB.
nodeModule.enableCompileCache()
await import('./main.ts')
