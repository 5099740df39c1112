// POST /support/ask with an Idempotency-Key.
import { beforeAll, expect, test } from 'vitest'
import { expectFailure } from '../harness/shapes.ts'
import { newTool, SUBMISSION_CATALOG, submit } from '../harness/submissions.ts'
import {
  ABOUT_INVOICES,
  ABOUT_REFUNDS,
  ask,
  dataOf,
  inParallel,
  KNOWLEDGE,
  newSupportPartner,
  putArticles,
  reply,
  type SupportPartner,
  thread,
  UNRELATED,
} from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let partner: SupportPartner
const service = useService()
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  partner = await newSupportPartner(service)
  await putArticles(service, null, KNOWLEDGE)
})

const keyed = (idempotencyKey: string, body: unknown, key = partner.key) =>
  ask(service, key, body, { headers: { 'idempotency-key': idempotencyKey } })
const replayed = (answer: { headers: Headers }) => answer.headers.get('idempotency-replayed')

test('the same key and body give the same answer, and the question is asked once', async () => {
  const body = { question: ABOUT_REFUNDS, externalId: 'thread-1', customer: { name: 'Ada' } }
  const first = await keyed('ask-1', body)
  expect([first.status, first.body.data.status, replayed(first)]).toEqual([200, 'answered', null])
  // What happens in the conversation afterwards does not change the answer.
  await ask(service, partner.key, { question: ABOUT_INVOICES, externalId: 'thread-1' })
  await reply(service, first.body.data.id, 'One more thing.')
  const again = await keyed('ask-1', body)
  expect([again.status, again.text, replayed(again)]).toEqual([200, first.text, 'true'])
  expect((await thread(service, first.body.data.id)).messages).toHaveLength(5)
})

test('a pending answer is repeated as it was, also after a person has replied', async () => {
  for (const support of ['hybrid', 'human'] as const) {
    const { key } = await newSupportPartner(service, support)
    const first = await keyed('ask-2', { question: UNRELATED }, key)
    expect(first.body.data.status).toBe('pending')
    await reply(service, first.body.data.id, 'Sunny.')
    const again = await keyed('ask-2', { question: UNRELATED }, key)
    expect([again.text, replayed(again)]).toEqual([first.text, 'true'])
  }
})

test('the same key and another body are a 400, and nothing is asked', async () => {
  const first = await keyed('ask-3', { question: UNRELATED, externalId: 'thread-3' })
  const other = await keyed('ask-3', { question: ABOUT_REFUNDS, externalId: 'thread-3' })
  expect([other.status, expectFailure(other.body)]).toEqual([400, expect.stringContaining('Idempotency-Key')])
  expect((await thread(service, first.body.data.id)).messages).toHaveLength(1)
})

test('a key that was used to submit a tool counts as used with another body, and the other way round', async () => {
  // One body that both operations accept.
  const body = { ...newTool(), question: UNRELATED }
  const submitKeyed = (name: string) => submit(service, partner.key, body, { headers: { 'idempotency-key': name } })
  expect((await submitKeyed('both-1')).status).toBe(201)
  expect((await keyed('both-1', body)).status).toBe(400)
  expect((await keyed('both-2', body)).status).toBe(200)
  expect((await submitKeyed('both-2')).status).toBe(400)
})

test('a key belongs to one partner, and a refused question does not use it up', async () => {
  const other = await newSupportPartner(service)
  const mine = await keyed('ask-4', { question: UNRELATED })
  const theirs = await keyed('ask-4', { question: UNRELATED }, other.key)
  expect([replayed(theirs), theirs.body.data.id === mine.body.data.id]).toEqual([null, false])
  expect((await keyed('ask-5', { question: '' })).status).toBe(400)
  expect((await keyed('ask-6', { question: UNRELATED, conversationId: mine.body.data.id }, other.key)).status).toBe(404)
  expect((await keyed('ask-5', { question: UNRELATED })).status).toBe(200)
})

test('requests with the same key at the same time ask once', async () => {
  const body = { question: ABOUT_REFUNDS, externalId: 'thread-7' }
  const replies = await inParallel(8, () => keyed('ask-7', body))
  expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(replies.filter((one) => replayed(one) === null)).toHaveLength(1)
  const [id] = new Set(replies.map(({ body }) => body.data.id))
  expect((await thread(service, id)).messages.map(({ role }: { role: string }) => role)).toEqual([
    'customer',
    'assistant',
  ])
})

test('after a crash between the question and its answer, a retry shows the conversation and asks nothing', async () => {
  const body = { question: UNRELATED, externalId: 'thread-8' }
  const { id } = dataOf(await keyed('ask-8', body))
  // As the row is while the answer is made.
  await service.sql(`update idempotent_answers set status = 0, answer = '{"id":"${id}"}' where key = 'ask-8'`)
  await reply(service, id, 'Rain.')
  const again = await keyed('ask-8', body)
  expect([again.body.data, replayed(again)]).toMatchObject([{ id, status: 'answered', reply: 'Rain.' }, 'true'])
  expect((await thread(service, id)).messages).toHaveLength(2)
})

test('what is stored for a key has no text of the conversation', async () => {
  await keyed('ask-9', { question: ABOUT_REFUNDS, customer: { name: 'zqcustomer' } })
  const [{ answer }] = await service.sql(`select answer from idempotent_answers where key = 'ask-9'`)
  expect(answer.length).toBeLessThan(500)
  expect(answer).not.toMatch(/refund|zqcustomer/i)
})
