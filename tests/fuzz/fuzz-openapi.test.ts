// "Fuzz every operation from the OpenAPI document": valid, nearly valid and absurd requests, made from the document that the service
// serves. No answer is a 5xx, and every answer is one that the document declares.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogOperations } from '../../src/features/catalog/operations.ts'
import { restOperations } from '../../src/features.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { type Callers, makeCallers } from '../harness/fuzz/callers.ts'
import { parsed, problemOf } from '../harness/fuzz/checks.ts'
import { curlOf } from '../harness/fuzz/curl.ts'
import { type DescribedOperation, operationAt, readDocument } from '../harness/fuzz/document.ts'
import { createEarlierValues } from '../harness/fuzz/earlier-values.ts'
import { type Answer, createSender, fuzz, type Outcome, SEED, type Sender } from '../harness/fuzz/fuzzer.ts'
import { type ToolDescription, toolCall, toolProblem, toolRequest } from '../harness/fuzz/mcp.ts'
import { type Case, caseOf, type Request, requestOf } from '../harness/fuzz/requests.ts'
import { tally } from '../harness/fuzz/tally.ts'
import { message, rpc } from '../harness/mcp.ts'
import { startService, type TestService } from '../harness/service.ts'
import { KNOWLEDGE, putArticles } from '../harness/support.ts'

const NAMES = restOperations.map(({ name }) => name)
const TOOLS = catalogOperations.filter(({ tool }) => tool).map(({ name }) => name)

let service: TestService
let sender: Sender
let described: DescribedOperation[]
let tools: ToolDescription[]
let callers: Callers
const memory = createEarlierValues()
const counts = tally()

beforeAll(async () => {
  service = await startService()
  await service.load(FIXTURE)
  await putArticles(service, null, KNOWLEDGE)
  callers = await makeCallers(service)
  sender = createSender(service.origin)
  described = readDocument((await service.rest('/openapi.json', { key: null })).body)
  tools = (await rpc(service, callers.keys.premium!, message('tools/list'))).body.result.tools
})
afterAll(async () => {
  await sender.close()
  await service.close()
})

const who = () => ({ fitting: callers.fitting, all: Object.keys(callers.keys) })
const named = (name: string): DescribedOperation => described.find((one) => one.name === name)!

async function run(operation: DescribedOperation, one: Case): Promise<Outcome> {
  const look = (field: string, number: number) => memory.look(operation.group, field, number)
  const request = requestOf(operation, one, callers.keys, look)
  const answer = await sender.send(request)
  const reached = operationAt(described, request.method, request.path)
  counts.add(reached?.name ?? 'no operation', answer.status)
  if (reached && answer.status < 300)
    for (const group of [reached.group, reached.name]) memory.learn(group, answer.text)
  return outcome(request, answer, problemOf(described, request, answer))
}

const outcome = (request: Request, answer: Answer, problem: string | null): Outcome => ({
  problem,
  shown: problem === null ? '' : `${curlOf(service.origin, request)}\n→ ${answer.status} ${answer.text.slice(0, 500)}`,
})

test('the document and tools/list name every operation', () => {
  expect(described.map(({ name }) => name).sort()).toEqual(['discover', ...NAMES, 'openapi'].sort())
  expect(tools.map(({ name }) => name)).toEqual(TOOLS)
})

describe('no 5xx, and every answer as documented', () => {
  test.each([...NAMES, 'discover', 'openapi'])('%s', { timeout: 120_000 }, async (name) => {
    const operation = named(name)
    // Operations without parameters have fewer cases; writes take longer.
    const count = operation.body ? 1_000 : operation.parameters.length > 0 ? 1_350 : 300
    await fuzz(name, caseOf(operation, who()), count, (one) => run(operation, one))
  })

  test('all operations in turn, each using values from the answers of the others', { timeout: 120_000 }, async () => {
    const mixed = fc
      .constantFrom(...described)
      .chain((operation) => fc.tuple(fc.constant(operation), caseOf(operation, who())))
    await fuzz('mixed', mixed, 2_500, ([operation, one]) => run(operation, one))
  })

  test.each(TOOLS)('%s over MCP', { timeout: 120_000 }, async (name) => {
    const tool = tools.find((one) => one.name === name)!
    const problem = toolProblem(tool)
    await fuzz(`mcp ${name}`, toolCall(tool, who()), 500, async (one) => {
      // Slugs of tags, categories and tools would leave few calls of get_directory with one that exists.
      const group = name === 'get_directory' ? 'search_directories' : 'Catalog'
      const look = (field: string, number: number) => memory.look(group, field, number)
      const request = toolRequest(tool, one, callers.keys, look)
      const answer = await sender.send(request)
      counts.add(`mcp ${name}`, parsed(answer.text)?.result?.structuredContent ? 200 : Math.max(answer.status, 400))
      return outcome(request, answer, problem(answer))
    })
  })
})

test('past the budget every operation answers 429, as documented', async () => {
  const small = await startService({ RATE_LIMIT_SCALE: '1' })
  const { key } = await small.newPartner({ support: 'hybrid' })
  const slow = createSender(small.origin)
  for (const operation of described) {
    const path = operation.path.replace(/\{\w+\}/, 'x')
    const headers = ['X-API-Key', key, ...(operation.body ? ['Content-Type', 'application/json'] : [])]
    const request = { method: operation.method, path, headers, body: operation.body ? '{}' : null }
    const statuses = new Set<number>()
    for (let i = 0; i < 62 && !statuses.has(429); i++) {
      const answer = await slow.send(request)
      statuses.add(answer.status)
      expect(problemOf(described, request, answer), curlOf(small.origin, request)).toBeNull()
    }
    expect([operation.name, statuses.has(429)]).toEqual([operation.name, true])
  }
  await slow.close()
  await small.close()
})

/** A correction needs one name of a tool and an accepted body; test events have a pause between them, and only they are resent here. */
const SELDOM_SUCCEED = new Set(['correct_ai_tool', 'test_webhook', 'resend_webhook_delivery'])

test('there were at least 20,000 cases, with successes of each operation', () => {
  process.stdout.write(`FUZZ_SEED=${SEED}\n${counts.table()}\n`)
  expect(counts.total()).toBeGreaterThanOrEqual(20_000)
  for (const name of [...described.map((one) => one.name), ...TOOLS.map((tool) => `mcp ${tool}`)])
    expect([name, counts.successes(name) > (SELDOM_SUCCEED.has(name) ? 0 : 0.02) * counts.of(name)]).toEqual([
      name,
      true,
    ])
})

test('none of them was logged as an error', () => {
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([])
})
