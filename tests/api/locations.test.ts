// A 201 says where what was made is from then on.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operatorOperations, restOperations } from '../../src/operations.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { ADMIN_TOKEN, type Reply, startService, type TestService } from '../harness/service.ts'
import { newTool, submit } from '../harness/submissions.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.load(FIXTURE)
})
afterAll(() => service.close())

/** What is at the address of a Location header. */
async function at({ headers, status }: Reply, key: string): Promise<Reply> {
  expect(status).toBe(201)
  const location = headers.get('location')!
  expect(location.startsWith(`${service.origin}/api/`)).toBe(true)
  return service.fetch(location.slice(service.origin.length), { key })
}

test('POST /submit-ai-tool: the status of the submission, also of one that waits for an administrator', async () => {
  const { key } = await service.newPartner()
  const tool = newTool({ paymentType: 'starter' })
  const made = await submit(service, key, tool)
  const status = await at(made, key)
  expect([status.status, status.body.data.tool.id]).toEqual([200, made.body.data.id])
  const again = await submit(service, key, tool)
  expect([again.status, again.headers.get('location')]).toEqual([200, null])
})

test('POST /submit-ai-tool with the same Idempotency-Key answers 201 with the same Location', async () => {
  const { key } = await service.newPartner()
  const ask = { key, method: 'POST', body: newTool({}), headers: { 'idempotency-key': 'order-1' } }
  const [first, second] = [await service.rest('/submit-ai-tool', ask), await service.rest('/submit-ai-tool', ask)]
  expect(second.status).toBe(201)
  expect(second.headers.get('location')).toBe(first.headers.get('location'))
})

test('POST /keys: the key, without the key itself', async () => {
  const made = await service.admin('POST', '/keys', { email: 'ada@example.com', name: 'Production' })
  const { status, body, text } = await at(made, ADMIN_TOKEN)
  expect([status, body.data]).toMatchObject([200, { id: made.body.data.id, name: 'Production', kind: 'catalog' }])
  expect(text).not.toContain(made.body.data.key)
})

test('POST /partners: the partner, without key and secret', async () => {
  const made = await service.admin('POST', '/partners', { name: 'Location' })
  const { status, body, text } = await at(made, ADMIN_TOKEN)
  expect([status, body.data]).toMatchObject([200, { id: made.body.data.id, name: 'Location' }])
  for (const secret of [made.body.data.key, made.body.data.webhookSecret]) expect(text).not.toContain(secret)
})

test('POST /partners/:id/keys: the new key', async () => {
  const { id } = await service.newPartner()
  const made = await service.admin('POST', `/partners/${id}/keys`)
  const { status, body } = await at(made, ADMIN_TOKEN)
  expect([status, body.data]).toMatchObject([200, { id: made.body.data.id, kind: 'partner' }])
})

test('GET /keys/:id of no key is a 404', async () => {
  for (const id of ['3e1f0a52-91c7-4f0b-8a57-1c9f5d0f6f11', 'nonsense']) {
    const { status, body } = await service.admin('GET', `/keys/${id}`)
    expect([status, body]).toEqual([404, { success: false, error: 'Key not found.' }])
  }
})

test('every operation that answers 201 declares an address, except those that have none of their own', () => {
  const without = [...restOperations, ...operatorOperations].filter(
    ({ status, location }) => status === 201 && location === undefined,
  )
  expect(without.map(({ name }) => name)).toEqual([])
})
