// A 201 has a Location header with the address of what was made.
// @module-tag once
import { beforeAll, expect, test } from 'vitest'
import { operatorOperations, restOperations } from '../../src/features.ts'
import { FIXTURE } from '../harness/fixture.ts'
import { ADMIN_TOKEN, type Reply } from '../harness/service.ts'
import { newTool, submit } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(FIXTURE))

/** Fetches the address of the Location header. */
async function fetchLocation({ headers, status }: Reply, key: string): Promise<Reply> {
  expect(status).toBe(201)
  const location = headers.get('location')!
  expect(location.startsWith(`${service.origin}/api/`)).toBe(true)
  return service.fetch(location.slice(service.origin.length), { key })
}

test('POST /submit-ai-tool leads to the status of the submission, also while it waits for an administrator', async () => {
  const { key } = await service.newPartner()
  const tool = newTool({ paymentType: 'starter' })
  const made = await submit(service, key, tool)
  const status = await fetchLocation(made, key)
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

test("POST /keys leads to the key's row, without the key itself", async () => {
  const made = await service.admin('POST', '/keys', { email: 'ada@example.com', name: 'Production' })
  const { status, body, text } = await fetchLocation(made, ADMIN_TOKEN)
  expect([status, body.data]).toMatchObject([200, { id: made.body.data.id, name: 'Production', kind: 'catalog' }])
  expect(text).not.toContain(made.body.data.key)
})

test('POST /partners leads to the partner, without key and secret', async () => {
  const made = await service.admin('POST', '/partners', { name: 'Location' })
  const { status, body, text } = await fetchLocation(made, ADMIN_TOKEN)
  expect([status, body.data]).toMatchObject([200, { id: made.body.data.id, name: 'Location' }])
  for (const secret of [made.body.data.key, made.body.data.webhookSecret]) expect(text).not.toContain(secret)
})

test('POST /partners/:id/keys leads to the new key', async () => {
  const { id } = await service.newPartner()
  const made = await service.admin('POST', `/partners/${id}/keys`)
  const { status, body } = await fetchLocation(made, ADMIN_TOKEN)
  expect([status, body.data]).toMatchObject([200, { id: made.body.data.id, kind: 'partner' }])
})

test('GET /keys/:id of an unknown key is a 404', async () => {
  for (const id of ['3e1f0a52-91c7-4f0b-8a57-1c9f5d0f6f11', 'nonsense']) {
    const { status, body } = await service.admin('GET', `/keys/${id}`)
    expect([status, body]).toEqual([404, { success: false, error: 'Key not found.', code: 'not_found' }])
  }
})

test('every operation that answers 201 declares a location', () => {
  const without = [...restOperations, ...operatorOperations].filter(
    ({ status, location }) => status === 201 && location === undefined,
  )
  expect(without.map(({ name }) => name)).toEqual([])
})
