import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService } from '../harness/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

test('a revoked key fails on the next request in the same process', async () => {
  const { id, key } = await service.newKey()
  expect((await service.rest('/tools', { key })).status).toBe(200)
  expect((await service.admin('DELETE', `/keys/${id}`)).status).toBe(200)
  expect((await service.rest('/tools', { key })).status).toBe(401)
})
