// @module-tag once
import { beforeAll, expect, test } from 'vitest'
import { useService } from '../harness/use.ts'

let key: string
const service = useService()
beforeAll(async () => {
  key = (await service.newKey()).key
})

const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
const post = (body: unknown) => service.fetch('/mcp', { method: 'POST', key, body })

test('a batch that cancels its own request is answered', async () => {
  const reply = await post([{ jsonrpc: '2.0', id: 1, method: 'ping' }, cancel])
  expect([reply.status, [reply.body].flat()[0].result]).toEqual([200, {}])
})

test('a batch of only cancellations is accepted, and an empty batch is no request', async () => {
  expect((await post([cancel])).status).toBe(202)
  expect((await post([])).body.error.code).toBe(-32600)
})

test('the error for a wrong initialize in a batch shows no inner detail', async () => {
  const reply = await post([{ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 5 } }])
  expect(reply.text).not.toMatch(/zod|invalid_type|-32603/)
})
