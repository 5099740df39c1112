// The served OpenAPI documents in other tools: linters, client generators, and programs that use the generated clients.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADMIN_TOKEN, type TestService } from '../harness/service.ts'
import { startDemo } from './demo.ts'
import { areToolsInstalled, endOfOutput, inTools, run, runTool } from './tools.ts'

// The compiler of this project, which takes a second; the one in tests/tools takes ten.
const compiler = new URL('../../node_modules/typescript/bin/tsc', import.meta.url).pathname

const DOCUMENTS = ['openapi.json', 'operator-openapi.json'] as const

describe.skipIf(!areToolsInstalled())('the OpenAPI documents', () => {
  let service: TestService
  let folder: string
  let document: any
  const inFolder = (...path: string[]) => join(folder, ...path)
  beforeAll(async () => {
    service = await startDemo()
    // A project like a partner's: the programs, their dependencies and the documents.
    folder = mkdtempSync(join(tmpdir(), 'catalog-openapi-'))
    for (const programs of ['client', 'partner-clients'])
      cpSync(inTools(programs), inFolder(programs), { recursive: true })
    mkdirSync(inFolder('partner-clients', 'generated'))
    writeFileSync(inFolder('package.json'), '{ "type": "module" }')
    symlinkSync(inTools('node_modules'), inFolder('node_modules'))
    document = (await service.fetch('/api/v1/openapi.json')).body
    const operators = (await service.fetch('/api/admin/openapi.json', { key: ADMIN_TOKEN })).body
    writeFileSync(inFolder('openapi.json'), JSON.stringify(document, null, 2))
    writeFileSync(inFolder('operator-openapi.json'), JSON.stringify(operators, null, 2))
  })
  afterAll(async () => {
    if (folder) rmSync(folder, { recursive: true })
    await service?.close()
  })

  test.each(DOCUMENTS)('Redocly finds no problem in %s', async (name) => {
    const ended = await runTool('@redocly/cli/bin/cli.js', [
      ...['lint', inFolder(name), '--format', 'json'],
      ...['--config', inTools('redocly.yaml')],
    ])
    const { totals, problems } = JSON.parse(ended.stdout)
    const messages = problems.map((problem: any) => `${problem.severity} ${problem.ruleId}: ${problem.message}`)
    expect(messages).toEqual([])
    expect(totals).toMatchObject({ errors: 0, warnings: 0, ignored: 0 })
    expect(ended.code).toBe(0)
  })

  test('Spectral finds no problem in either', async () => {
    const ended = await runTool('@stoplight/spectral-cli/dist/index.js', [
      ...['lint', ...DOCUMENTS.map((name) => inFolder(name)), '--ruleset', inTools('spectral.yaml')],
      ...['--fail-severity', 'hint'],
    ])
    expect(ended.stdout).toContain("No results with a severity of 'hint' or higher found!")
    expect(ended.code).toBe(0)
  })

  test.each(DOCUMENTS)('the schema of OpenAPI 3.1 itself allows %s', async (name) => {
    const ended = await runTool('@seriousme/openapi-schema-validator/bin/validate-api-cli.js', [inFolder(name)])
    expect(ended.code, endOfOutput(ended)).toBe(0)
    expect(JSON.parse(ended.stdout)).toEqual({ valid: true })
  })

  test('a program written against generated types compiles, runs and reaches every endpoint', async () => {
    const client = inFolder('client')
    const generated = await runTool('openapi-typescript/bin/cli.js', ['../openapi.json', '-o', 'schema.d.ts'], client)
    expect(generated.code, endOfOutput(generated)).toBe(0)
    const compiled = await run(process.execPath, [compiler, '-p', client], client)
    expect(compiled.code, endOfOutput(compiled)).toBe(0)
    const { key } = await service.newKey()
    const ended = await run(process.execPath, ['program.ts', `${service.origin}/api/v1`, key], client)
    expect(ended.code, endOfOutput(ended)).toBe(0)
    expect(JSON.parse(ended.stdout).called.sort()).toEqual(readsOf(document).sort())
  })

  describe('a partner’s program with a generated client compiles under strict, runs, and tells success from failure', () => {
    const GENERATORS = {
      'openapi-typescript': (from: string, to: string) =>
        runTool('openapi-typescript/bin/cli.js', [from, '-o', `${to}.d.ts`]),
      oazapfts: (from: string, to: string) => runTool('oazapfts/dist/cli.js', [from, `${to}.ts`]),
      'hey-api': (from: string, to: string) =>
        runTool('@hey-api/openapi-ts/bin/run.js', ['-i', from, '-o', to, '--silent'], inFolder('partner-clients')),
    }
    // The code of the other two generators does not compile with exactOptionalPropertyTypes, for any document.
    const exactOptionalPropertyTypes = (name: string) => name === 'openapi-typescript'

    test.each(Object.entries(GENERATORS))('%s', async (name, generate) => {
      const clients = inFolder('partner-clients')
      for (const [from, to] of [
        ['openapi.json', name],
        ['operator-openapi.json', `${name}-operator`],
      ] as const) {
        const generated = await generate(inFolder(from), join(clients, 'generated', to))
        expect(generated.code, endOfOutput(generated)).toBe(0)
      }
      const project = {
        extends: './tsconfig.json',
        compilerOptions: { exactOptionalPropertyTypes: exactOptionalPropertyTypes(name) },
        include: [`${name}.ts`, `generated/${name}*`],
      }
      writeFileSync(join(clients, `tsconfig.${name}.json`), JSON.stringify(project))
      const compiled = await run(process.execPath, [compiler, '-p', `tsconfig.${name}.json`], clients)
      expect(compiled.code, endOfOutput(compiled)).toBe(0)
      const [{ key }, hybrid, human] = [
        await service.newKey(),
        await service.newPartner({ support: 'hybrid' }),
        await service.newPartner({ support: 'human' }),
      ]
      const website = `https://${name}.generated-client.example.com`
      const ended = await run(
        process.execPath,
        [join('made', `${name}.js`), service.origin, key, hybrid.key, human.key, website],
        clients,
      )
      expect(ended.code, endOfOutput(ended)).toBe(0)
      expect(JSON.parse(ended.stdout)).toEqual({
        limit: 100,
        refused: expect.stringContaining('not valid'),
        created: true,
        state: 'IN_QUEUE',
        hybrid: expect.stringMatching(/^\d of (pending|answered)$/),
        human: 'a person will answer',
      })
    })
  })
})

/** Everything that a catalog key or a client without a key may read; other programs use the partners' endpoints. */
function readsOf(document: any): string[] {
  return Object.entries<any>(document.paths).flatMap(([path, { get }]) =>
    get && ['Catalog', 'Discovery'].includes(get.tags[0]) ? [`GET ${path}`] : [],
  )
}
