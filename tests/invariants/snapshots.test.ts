// The contract as files, so that a review shows every change of it. `npx vitest run tests/invariants/snapshots.test.ts -u` writes them again.
// @module-tag once
import { beforeAll, expect, test } from 'vitest'
import { message, rpc } from '../harness/mcp.ts'
import { useService } from '../harness/use.ts'

let key: string
// The limits of the specification apply, without a scale.
const service = useService({ RATE_LIMIT_SCALE: '1' })
beforeAll(async () => {
  key = (await service.newKey()).key
})

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
