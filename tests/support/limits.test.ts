// POST /support/ask has its own write budget: 60 a minute for each key. Reading is charged to rest.
import { expect, test } from 'vitest'
import type { Reply } from '../harness/service.ts'
import { expectFailure } from '../harness/shapes.ts'
import { ask, inbox, inParallel, list, newSupportPartner, read } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

const service = useService({ RATE_LIMIT_SCALE: '1' })

const rate = ({ status, headers }: Reply) => [
  status,
  Number(headers.get('x-ratelimit-limit')),
  Number(headers.get('x-ratelimit-remaining')),
]

test('60 a minute, separate from rest and submit; the headers show the budget that was charged', async () => {
  const { id, key } = await newSupportPartner(service)
  const first = await ask(service, key, { question: 'One' })
  expect(rate(first)).toEqual([200, 60, 59])
  const reset = Number(first.headers.get('x-ratelimit-reset'))
  expect(Math.abs(reset - (Date.parse(first.headers.get('date')!) / 1000 + 60))).toBeLessThan(5)
  expect(rate(await read(service, key, first.body.data.id))).toEqual([200, 60, 59])
  expect(rate(await list(service, key))).toEqual([200, 60, 58])
  expect(rate(await service.rest('/tags', { key }))).toEqual([200, 60, 57])
  expect(rate(await service.rest('/submit-ai-tool', { method: 'POST', key, body: {} }))).toEqual([400, 20, 19])
  // Every call is charged, whatever its answer.
  expect(rate(await ask(service, key, {}))).toEqual([400, 60, 58])
  expect(rate(await ask(service, key, '{'))).toEqual([400, 60, 57])
  expect(rate(await ask(service, key, 'x', { type: 'text/plain' }))).toEqual([415, 60, 56])
  expect(rate(await ask(service, key, { question: 'q', conversationId: 'unknown' }))).toEqual([404, 60, 55])
  const replies = await inParallel(58, (i) => ask(service, key, { question: `Question ${i}` }))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(55)
  const refused = replies.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(3)
  for (const reply of refused) {
    expect(rate(reply)).toEqual([429, 60, 0])
    const wait = Number(reply.headers.get('retry-after'))
    expect(wait >= 1 && wait <= 60).toBe(true)
    expectFailure(reply.body)
  }
  // A refused question is not stored.
  expect(await inbox(service, { client: id })).toHaveLength(56)
  // 429 comes before 400, 404, 413 and 415; reading goes on.
  for (const body of [{}, '{', { question: 'q', conversationId: 'unknown' }, { question: 'x'.repeat(300_000) }])
    expect((await ask(service, key, body)).status).toBe(429)
  expect((await ask(service, key, 'x', { type: 'text/plain' })).status).toBe(429)
  expect((await list(service, key)).status).toBe(200)
})

test('each key has its own budget', async () => {
  const [a, b] = [await newSupportPartner(service), await newSupportPartner(service, 'human')]
  await inParallel(60, () => ask(service, a.key, {}))
  expect((await ask(service, a.key, {})).status).toBe(429)
  expect(rate(await ask(service, b.key, {}))).toEqual([400, 60, 59])
})

test('403 before 429: a call without access is charged to rest and stays a 403', async () => {
  const off = await newSupportPartner(service, 'off')
  expect(rate(await ask(service, off.key, { question: 'q' }))).toEqual([403, 60, 59])
  await inParallel(62, () => ask(service, off.key, {}))
  expect(rate(await ask(service, off.key, {}))).toEqual([403, 60, 0])
  expect((await service.rest('/tags', { key: off.key })).status).toBe(429)
  const { key } = await service.newKey('standard')
  for (let left = 9; left >= 0; left--) expect(rate(await ask(service, key, {}))).toEqual([403, 10, left])
  expect((await ask(service, key, {})).status).toBe(403)
  expect((await list(service, key)).status).toBe(403)
})

test('403 before 429 also when support is switched off after the budget was spent', async () => {
  const { id, key } = await newSupportPartner(service)
  await inParallel(60, () => ask(service, key, {}))
  expect((await ask(service, key, {})).status).toBe(429)
  await service.admin('PATCH', `/partners/${id}`, { support: 'off' })
  expect((await ask(service, key, {})).status).toBe(403)
})

test('polling is charged to rest, 60 a minute, and 429 comes before 400 and 404', async () => {
  const { key } = await newSupportPartner(service)
  const replies = await inParallel(64, () => read(service, key, 'nothing'))
  expect(replies.filter(({ status }) => status === 404)).toHaveLength(60)
  expect(rate(await list(service, key, { status: 'nonsense' }))).toEqual([429, 60, 0])
  expect(rate(await ask(service, key, { question: 'q' }))).toEqual([200, 60, 59])
})
