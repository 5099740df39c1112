import { expect, test } from 'vitest'
import { useService } from '../harness/use.ts'

const service = useService()

test('a revoked key fails on the next request in the same process', async () => {
  const { id, key } = await service.newKey()
  expect((await service.rest('/tools', { key })).status).toBe(200)
  expect((await service.admin('DELETE', `/keys/${id}`)).status).toBe(200)
  expect((await service.rest('/tools', { key })).status).toBe(401)
})
