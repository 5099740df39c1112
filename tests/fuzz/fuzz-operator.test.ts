// The operator API, fuzzed from its own document like the public one: no 5xx, every success as declared, every failure with the envelope.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operatorOperations } from '../../src/features.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { type Callers, makeCallers } from '../harness/fuzz/callers.ts'
import { parsed } from '../harness/fuzz/checks.ts'
import { curlOf } from '../harness/fuzz/curl.ts'
import { type DescribedOperation, operationAt, readDocument } from '../harness/fuzz/document.ts'
import { createEarlierValues } from '../harness/fuzz/earlier-values.ts'
import { type Answer, createSender, fuzz, SEED, type Sender } from '../harness/fuzz/fuzzer.ts'
import { caseOf, type Request, requestOf } from '../harness/fuzz/requests.ts'
import { tally } from '../harness/fuzz/tally.ts'
import { startService, type TestService } from '../harness/service.ts'
import { newTool, submit } from '../harness/submissions.ts'
import { asked, KNOWLEDGE, putArticles } from '../harness/support.ts'

// Streams and files have their own tests, and a backup of the database takes long.
const operations = operatorOperations.filter(
  ({ lines, bytes, streams, name }) => !lines && !bytes && !streams && name !== 'take_snapshot',
)
// An empty name in the path makes another address, where the method may be wrong.
const FAILURES = [400, 401, 403, 404, 405, 409, 413, 415, 429]

let service: TestService
let sender: Sender
let described: DescribedOperation[]
let callers: Callers
const memory = createEarlierValues()
const counts = tally()

beforeAll(async () => {
  service = await startService()
  await service.load(FIXTURE)
  await putArticles(service, null, KNOWLEDGE)
  callers = await makeCallers(service)
  for (let i = 0; i < 5; i++) {
    await submit(service, callers.keys.hybrid!, newTool({ paymentType: 'starter' }))
    await asked(service, callers.keys.human!, { question: `Question ${i}` })
  }
  const fuzzed = new Set(operations.map(({ name }) => name))
  const document = (await service.admin('GET', '/openapi.json')).body
  described = readDocument(document, ({ operationId }) => fuzzed.has(operationId))
  sender = createSender(service.origin)
})
afterAll(async () => {
  await sender.close()
  await service.close()
})

function problemOf({ method, path }: Request, { status, text }: Answer): string | null {
  const body = parsed(text)
  if (status >= 500) return `answered ${status}`
  if (status >= 400)
    return FAILURES.includes(status) && body?.success === false && typeof body.error === 'string'
      ? null
      : `${status}: no envelope`
  if (status === 304) return null
  const promised = operationAt(described, method, path)?.answers.get(status)
  if (!promised) return `answered ${status}, which is not declared`
  return promised.problems(body)[0] ?? null
}

describe('no 5xx, and every answer as declared', () => {
  test.each(operations.map(({ name }) => name))('%s', { timeout: 60_000 }, async (name) => {
    const operation = described.find((one) => one.name === name)!
    const who = { fitting: ['operator'], all: Object.keys(callers.keys) }
    await fuzz(name, caseOf(operation, who), 120, async (one) => {
      const look = (field: string, number: number) => memory.look(operation.group, field, number)
      const request = requestOf(operation, one, callers.keys, look)
      const answer = await sender.send(request)
      counts.add(name, answer.status)
      if (answer.status < 300) memory.learn(operation.group, answer.text)
      const problem = problemOf(request, answer)
      return { problem, shown: `${curlOf(service.origin, request)}\n→ ${answer.status} ${answer.text.slice(0, 500)}` }
    })
  })
})

test('most operations succeeded at least once, and nothing was logged as an error', () => {
  process.stdout.write(`FUZZ_SEED=${SEED}\n${counts.table()}\n`)
  const shut = operations.filter(({ name }) => counts.successes(name) === 0).map(({ name }) => name)
  expect(shut.length, shut.join()).toBeLessThan(operations.length / 5)
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([])
})
