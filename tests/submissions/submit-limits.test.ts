// POST /submit-ai-tool has its own write budget: 20 a minute for each key.
import { beforeAll, expect, test } from 'vitest'
import type { Reply } from '../harness/service.ts'
import { expectFailure } from '../harness/shapes.ts'
import { newTool, queue, SUBMISSION_CATALOG, statusOf, submit } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

const service = useService({ RATE_LIMIT_SCALE: '1' })
beforeAll(() => service.load(SUBMISSION_CATALOG))

const rate = ({ status, headers }: Reply) => [
  status,
  Number(headers.get('x-ratelimit-limit')),
  Number(headers.get('x-ratelimit-remaining')),
]
const times = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work))

test('20 submissions a minute, apart from rest; headers show the charged budget', async () => {
  const { id, key } = await service.newPartner()
  expect(rate(await submit(service, key, newTool()))).toEqual([201, 20, 19])
  expect(rate(await service.rest('/tags', { key }))).toEqual([200, 60, 59])
  expect(rate(await statusOf(service, key, { slug: 'x' }))).toEqual([404, 60, 58])
  // Every call is charged, whatever its answer.
  expect(rate(await submit(service, key, {}))).toEqual([400, 20, 18])
  expect(rate(await submit(service, key, '{'))).toEqual([400, 20, 17])
  expect(rate(await submit(service, key, 'x', { type: 'text/plain' }))).toEqual([415, 20, 16])
  const replies = await times(20, () => submit(service, key, newTool()))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(16)
  const refused = replies.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(4)
  for (const reply of refused) {
    expect(rate(reply)).toEqual([429, 20, 0])
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expectFailure(reply.body)
  }
  expect(await queue(service, { client: id })).toHaveLength(17)
  expect((await service.rest('/tags', { key })).status).toBe(200)
  // 429 before 400, 413 and 415.
  expect((await submit(service, key, {})).status).toBe(429)
  expect((await submit(service, key, '{')).status).toBe(429)
  expect((await submit(service, key, 'x', { type: 'text/plain' })).status).toBe(429)
  expect((await submit(service, key, newTool({ description: 'x'.repeat(300_000) }))).status).toBe(429)
})

test('a retry with the same Idempotency-Key is charged like every call', async () => {
  const { key } = await service.newPartner()
  const body = newTool()
  const headers = { 'idempotency-key': 'one' }
  expect(rate(await submit(service, key, body, { headers }))).toEqual([201, 20, 19])
  expect(rate(await submit(service, key, body, { headers }))).toEqual([201, 20, 18])
})

test('each key has its own budget', async () => {
  const [a, b] = [await service.newPartner(), await service.newPartner()]
  await times(20, () => submit(service, a.key, {}))
  expect((await submit(service, a.key, {})).status).toBe(429)
  expect(rate(await submit(service, b.key, {}))).toEqual([400, 20, 19])
})

test('403 before 429: a catalog key is charged to rest and stays a 403', async () => {
  const { key } = await service.newKey('standard')
  for (let left = 9; left >= 0; left--) expect(rate(await submit(service, key, newTool()))).toEqual([403, 10, left])
  expect((await submit(service, key, newTool())).status).toBe(403)
  expect((await statusOf(service, key, { slug: 'x' })).status).toBe(403)
  expect((await service.rest('/tags', { key })).status).toBe(429)
})

test('polling is charged to rest, 60 a minute, and 429 comes before 400 and 404', async () => {
  const { key } = await service.newPartner()
  const replies = await times(64, () => statusOf(service, key, { slug: 'nothing' }))
  expect(replies.filter(({ status }) => status === 404)).toHaveLength(60)
  expect(rate(await statusOf(service, key, {}))).toEqual([429, 60, 0])
  expect(rate(await submit(service, key, newTool()))).toEqual([201, 20, 19])
})
