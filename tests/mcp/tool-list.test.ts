// @module-tag once
// The list of tools and the answers of the tools are short, because models pay for them by the token.
import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { callText, countToolTokens, SHORT_LIST, type TokenCount, tokenRows } from '../../bench/tool-tokens.ts'
import { restOperations } from '../../src/features.ts'
import { problemsWith } from '../harness/fuzz/document.ts'
import { LONGEST_NAMES, message, modern, rpc } from '../harness/mcp.ts'
import { use } from '../harness/use.ts'
import { CALLS, startDemo } from '../interop/demo.ts'

let key: string
let tools: any[]
const service = use(startDemo)
beforeAll(async () => {
  key = (await service.newKey()).key
  tools = (await rpc(service, key, message('tools/list'))).body.result.tools
})

test('the whole answer to tools/list is at most 12 KB in every revision, with views, and with the longest name of the site', async () => {
  const views = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }
  const { name, description } = (await service.admin('GET', '/site')).body.data
  const sizes = async () => {
    const answers = [
      await rpc(service, key, message('tools/list')),
      await modern(service, key, 'tools/list'),
      await modern(service, key, 'tools/list', {}, {}, views),
    ]
    return answers.map(({ text }) => Buffer.byteLength(text))
  }
  const before = await sizes()
  expect((await service.admin('PUT', '/site', LONGEST_NAMES)).status).toBe(200)
  const longest = await sizes()
  await service.admin('PUT', '/site', { name, description })
  if (process.env.FIGURES) console.log({ before, longest })
  expect(longest[1]).toBeGreaterThan(before[1]!)
  expect(Math.max(...before, ...longest)).toBeLessThanOrEqual(12 * 1024)
})

describe('every tool', () => {
  test('has a closed input schema whose properties have a single type, a description, and no other constraint than a closed list', () => {
    for (const { inputSchema } of tools) {
      expect(inputSchema.additionalProperties).toBe(false)
      for (const [name, property] of Object.entries<Record<string, unknown>>(inputSchema.properties)) {
        expect([name, typeof property.type, typeof property.description]).toEqual([name, 'string', 'string'])
        expect(Object.keys(property).filter((word) => !['type', 'enum', 'description'].includes(word))).toEqual([])
      }
    }
  })

  test('names every field of its answer with its type in its output schema', () => {
    for (const { name, outputSchema } of tools) {
      const operation = restOperations.find((candidate) => candidate.name === name)!
      const fieldsOf = ({ items, properties }: any): string[] => Object.keys((items ?? { properties }).properties)
      expect(fieldsOf(outputSchema.properties.data)).toEqual(fieldsOf(operation.data))
      expect(outputSchema.required).toEqual(['success', 'data', ...(operation.paged ? ['pagination'] : [])])
      const fields = outputSchema.properties.data.items ?? outputSchema.properties.data
      for (const field of Object.values<object>(fields.properties)) expect(field).toHaveProperty('type')
    }
  })

  test('answers what its output schema says, with every field and with few', async () => {
    for (const { tool, input } of CALLS) {
      const { inputSchema, outputSchema } = tools.find(({ name }) => name === tool)
      for (const fields of 'fields' in inputSchema.properties ? [undefined, 'name', 'website,icon'] : [undefined]) {
        const { envelope } = await service.tool(tool, { ...input, fields })
        expect(problemsWith(outputSchema)(envelope)).toEqual([])
      }
    }
  })

  test('that may answer with a long list tells the model to give fields', () => {
    for (const { name, description, inputSchema } of tools)
      if ('fields' in inputSchema.properties && 'limit' in inputSchema.properties)
        expect([name, description]).toEqual([name, expect.stringContaining('For a long list give fields, such as')])
  })
})

describe('tokens', () => {
  let counts: TokenCount[]
  beforeAll(async () => {
    counts = await countToolTokens(async (body) => (await rpc(service, key, body)).text)
  })

  test('a list of 100 short items has at most 6,000 tokens', () => {
    expect(counts.find(({ call }) => call === callText(SHORT_LIST))?.tokens).toBeLessThanOrEqual(6_000)
  })

  test('no default answer on the demo catalog has more than 6,000 tokens, and the list of tools has at most 1,200', () => {
    for (const { call, tokens } of counts)
      expect([call, tokens <= (call === 'tools/list' ? 1_200 : 6_000)]).toEqual([call, true])
  })

  // The ids of listings differ in each catalog, and with them the number of tokens.
  test('the table of docs/agents.md is what node bench/tokens.ts prints, within five percent', () => {
    const MANUAL = new URL('../../docs/agents.md', import.meta.url)
    const TABLE = /(?<=^\| Call \| Tokens \| Whole answer \|\n\|---\|---\|---\|\n)(?:\|.*\n)*/m
    if (process.env.UPDATE_DOCS)
      writeFileSync(
        MANUAL,
        readFileSync(MANUAL, 'utf8').replace(TABLE, () => tokenRows(counts)),
      )
    const rows = TABLE.exec(readFileSync(MANUAL, 'utf8'))![0].trimEnd().split('\n')
    const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()))
    expect(cells.map(([, call]) => call)).toEqual(counts.map(({ call }) => `\`${call}\``))
    for (const [i, { tokens }] of counts.entries()) {
      const written = Number(cells[i]![2]!.replaceAll(',', ''))
      expect(Math.abs(written - tokens)).toBeLessThanOrEqual(25 + 0.05 * tokens)
    }
  })
})
