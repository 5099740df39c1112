// The contract as files, so that a review shows every change of it. `npx vitest run tests/invariants/snapshots.test.ts -u` writes them again.
// @module-tag once
import { afterAll, beforeAll, expect, test } from 'vitest'
import { message, rpc } from '../harness/mcp.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
let key: string
beforeAll(async () => {
  // The limits of the specification apply, without a scale.
  service = await startService({ RATE_LIMIT_SCALE: '1' })
  key = (await service.newKey()).key
})
afterAll(() => service.close())

const ORIGIN = 'https://catalog.example.com'
const toFileText = (value: unknown) => `${JSON.stringify(value, null, 2).replaceAll(service.origin, ORIGIN)}\n`

test('the OpenAPI document is the reviewed one', async () => {
  const { body } = await service.rest('/openapi.json', { key: null })
  await expect(toFileText(body)).toMatchFileSnapshot('../snapshots/openapi.json')
})

test('the MCP tool list is the reviewed one', async () => {
  const { body } = await rpc(service, key, message('tools/list'))
  await expect(toFileText(body.result)).toMatchFileSnapshot('../snapshots/mcp-tools.json')
})

test('the discovery answer is the reviewed one', async () => {
  const { body } = await service.rest('/', { key: null })
  await expect(toFileText(body)).toMatchFileSnapshot('../snapshots/discovery.json')
})
