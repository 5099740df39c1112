// The X-Request-Id of every answer finds its line in the log.
// @module-tag once
import { expect, test } from 'vitest'
import type { RequestOptions } from '../harness/service.ts'
import { useService } from '../harness/use.ts'

const service = useService()

const ANSWERS: [status: number, path: string, ask?: RequestOptions][] = [
  [200, '/api/v1'],
  [401, '/api/v1/tools'],
  [404, '/api/v1/nothing'],
  [405, '/api/v1/tools', { method: 'DELETE' }],
  [400, '/%zz'],
  [401, '/api/admin/keys'],
  [401, '/mcp', { method: 'POST', body: {} }],
  [200, '/'],
  [404, '/tools/nothing', { headers: { accept: 'text/html' } }],
]

test.each(ANSWERS)('the answer %i of %s has an X-Request-Id that is in the log', async (status, path, ask) => {
  const reply = await service.fetch(path, ask)
  const id = reply.headers.get('x-request-id')
  expect([reply.status, id]).toEqual([status, expect.stringMatching(/^[0-9a-f]{12}$/)])
  const logLine = () => service.logged.find((line) => line.id === id && line.message === 'request')
  // The service writes the line after the answer.
  await expect.poll(logLine).toMatchObject({ status, path: path.split('?')[0] })
})

test('a client cannot choose the X-Request-Id', async () => {
  const headers = { 'x-request-id': 'chosen', 'request-id': 'chosen' }
  expect((await service.fetch('/api/v1', { headers })).headers.get('x-request-id')).not.toBe('chosen')
})

test('each of fifty requests has its own X-Request-Id', async () => {
  const ids = await Promise.all(
    Array.from({ length: 50 }, async () => (await service.fetch('/api/v1')).headers.get('x-request-id')),
  )
  expect(new Set(ids).size).toBe(50)
})
