// The served OpenAPI document in other people's hands: a linter, a generator of types, and a program written against those types.
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { startDemo } from './demo.ts'
import { areToolsInstalled, inTools, lastWords, run, runTool } from './tools.ts'

describe.skipIf(!areToolsInstalled())('the OpenAPI document', () => {
  let service: TestService
  let folder: string
  let document: any
  beforeAll(async () => {
    service = await startDemo()
    // A stranger's project: the program, its dependencies and the document.
    folder = mkdtempSync(join(tmpdir(), 'catalog-openapi-'))
    cpSync(inTools('client'), folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    symlinkSync(inTools('node_modules'), join(folder, 'node_modules'))
    document = (await service.fetch('/api/v1/openapi.json')).body
    writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document, null, 2))
  })
  afterAll(async () => {
    if (folder) rmSync(folder, { recursive: true })
    await service?.close()
  })

  test('Redocly finds nothing to complain about', async () => {
    const ended = await runTool('@redocly/cli/bin/cli.js', [
      ...['lint', join(folder, 'openapi.json'), '--format', 'json'],
      ...['--config', inTools('redocly.yaml')],
    ])
    const { totals, problems } = JSON.parse(ended.stdout)
    const told = problems.map((problem: any) => `${problem.severity} ${problem.ruleId}: ${problem.message}`)
    expect(told).toEqual([])
    expect(totals).toMatchObject({ errors: 0, warnings: 0, ignored: 0 })
    expect(ended.code).toBe(0)
  })

  test('a program written against generated types compiles, runs and reaches every endpoint', async () => {
    const generated = await runTool('openapi-typescript/bin/cli.js', ['openapi.json', '-o', 'schema.d.ts'], folder)
    expect(generated.code, lastWords(generated)).toBe(0)
    const compiled = await runTool('typescript/bin/tsc', ['-p', folder], folder)
    expect(compiled.code, lastWords(compiled)).toBe(0)
    const { key } = await service.newKey()
    const ended = await run(process.execPath, ['program.ts', `${service.origin}/api/v1`, key], folder)
    expect(ended.code, lastWords(ended)).toBe(0)
    expect(JSON.parse(ended.stdout).called.sort()).toEqual(readsOf(document).sort())
  })
})

/** Everything that a catalog key or nobody's key may read; partners' endpoints are another program's. */
function readsOf(document: any): string[] {
  return Object.entries<any>(document.paths).flatMap(([path, { get }]) =>
    get && ['Catalog', 'Discovery'].includes(get.tags[0]) ? [`GET ${path}`] : [],
  )
}
