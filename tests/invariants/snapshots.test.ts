// The contract as files, so that a change of it is seen in review. `npx vitest run --project service -u` writes them anew.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { message, rpc } from '../harness/mcp.ts'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
let key: string
beforeAll(async () => {
  // The limits as the specification has them.
  service = await startService({ RATE_LIMIT_SCALE: '1' })
  key = (await service.newKey()).key
})
afterAll(() => service.close())

const ORIGIN = 'https://catalog.example.com'
const written = (value: unknown) => `${JSON.stringify(value, null, 2).replaceAll(service.origin, ORIGIN)}\n`

test('the OpenAPI document', async () => {
  const { body } = await service.rest('/openapi.json', { key: null })
  await expect(written(body)).toMatchFileSnapshot('../snapshots/openapi.json')
})

test('the MCP tool list', async () => {
  const { body } = await rpc(service, key, message('tools/list'))
  await expect(written(body.result)).toMatchFileSnapshot('../snapshots/mcp-tools.json')
})

test('the discovery answer', async () => {
  const { body } = await service.rest('/', { key: null })
  await expect(written(body)).toMatchFileSnapshot('../snapshots/discovery.json')
})
