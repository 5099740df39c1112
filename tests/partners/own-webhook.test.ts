// What the dashboard does with webhooks, for a partner's programs.
import { describe, expect, test } from 'vitest'
import { until } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { newSandboxPartner } from '../harness/sandbox.ts'
import { use, useService } from '../harness/use.ts'

const receiver = use(() => startReceiver({ '/fails': (response) => void response.writeHead(500).end('no') }))
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
const call = (method: string, path: string, key: string, body?: unknown, headers = {}) =>
  service.rest(path, { method, key, body, headers })

describe('GET and PUT /webhook', () => {
  test('read and set the address and the further events', async () => {
    const { id, key } = await service.newPartner()
    expect((await call('GET', '/webhook', key)).body.data).toEqual({ url: null, events: [] })
    const settings = { url: `${receiver.origin}/ok`, events: ['listing.lost', 'submission.progress'] }
    const set = { ...settings, events: ['submission.progress', 'listing.lost'] }
    expect((await call('PUT', '/webhook', key, settings)).body.data).toEqual(set)
    expect((await call('GET', '/webhook', key)).body.data).toEqual(set)
    const audit = (await service.admin('GET', `/audit?subject=partner:${id}`)).body.data
    expect(audit[0]).toMatchObject({ action: 'partner.change', actor: `key ...${key.slice(-4)}` })
    expect((await call('PUT', '/webhook', key, { url: null, events: [] })).body.data.url).toBeNull()
  })

  test('say which field is wrong', async () => {
    const { key } = await service.newPartner()
    const { status, body } = await call('PUT', '/webhook', key, { url: 'https://10.0.0.1/', events: ['none'] })
    expect([status, body.fields.map(({ field }: { field: string }) => field)]).toEqual([400, ['events.0', 'url']])
    expect((await call('PUT', '/webhook', key, {})).body.fields).toHaveLength(2)
  })

  test('a test key may read them and change nothing of live events', async () => {
    const { testKey } = await newSandboxPartner(service, { webhookUrl: `${receiver.origin}/sandbox` })
    expect((await call('GET', '/webhook', testKey)).body.data.url).toBe(`${receiver.origin}/sandbox`)
    expect((await call('PUT', '/webhook', testKey, { url: null, events: [] })).status).toBe(403)
    expect((await call('POST', '/webhook/rotate-secret', testKey, {})).status).toBe(403)
    expect((await call('POST', '/webhook/test', testKey)).body.data.state).toBe('delivered')
    expect(receiver.at('/sandbox')[0]!.headers['x-catalog-mode']).toBe('test')
  })
})

test('POST /webhook/rotate-secret answers the new secret, and the same one to a retry while it holds; no answer is stored with it', async () => {
  const { key } = await service.newPartner()
  const headers = { 'Idempotency-Key': 'rotate-1' }
  const first = await call('POST', '/webhook/rotate-secret', key, { overlapHours: 1 }, headers)
  expect(first.body.data).toEqual({
    webhookSecret: expect.stringMatching(/^whsec_/),
    previousValidUntil: expect.stringMatching(/Z$/),
  })
  expect((await call('POST', '/webhook/rotate-secret', key, { overlapHours: 1 }, headers)).text).toBe(first.text)
  const [{ count }] = await service.sql(
    `select count(*)::int as count from idempotent_answers where answer like '%${first.body.data.webhookSecret}%'`,
  )
  expect(count).toBe(0)
  const next = await call('POST', '/webhook/rotate-secret', key, { overlapHours: 0 })
  expect(next.body.data.previousValidUntil).toBeNull()
  const late = await call('POST', '/webhook/rotate-secret', key, { overlapHours: 1 }, headers)
  expect([late.status, late.body.code]).toEqual([409, 'conflict'])
  expect(late.text).not.toContain('whsec_')
  expect((await call('POST', '/webhook/rotate-secret', key, { overlapHours: 999 })).status).toBe(400)
  for (const body of [{}, undefined])
    expect((await call('POST', '/webhook/rotate-secret', key, body)).body.data).toEqual({
      webhookSecret: expect.stringMatching(/^whsec_/),
      // A day unless the partner says otherwise.
      previousValidUntil: expect.stringMatching(/Z$/),
    })
})

test('the calls of partners are charged as reads, but for corrections and submissions', async () => {
  const { key } = await service.newPartner()
  const charged = async (method: string, path: string, body?: unknown) =>
    (await call(method, path, key, body)).headers.get('ratelimit')?.split(';')[0]
  for (const [method, path, body] of [
    ['GET', '/me'],
    ['GET', '/ai-tools'],
    ['DELETE', '/ai-tools?slug=none'],
    ['GET', '/events'],
    ['GET', '/webhook-deliveries'],
    ['POST', '/webhook-deliveries/none/resend'],
    ['GET', '/webhook'],
    ['PUT', '/webhook', { url: null, events: [] }],
    ['POST', '/webhook/rotate-secret', {}],
    ['POST', '/webhook/test'],
  ] as const)
    expect([method, path, await charged(method, path, body)]).toEqual([method, path, '"rest"'])
  expect(await charged('PATCH', '/ai-tools?slug=none', { tagline: 'x' })).toBe('"submit"')
})

describe('GET /webhook-deliveries and POST /webhook-deliveries/:id/resend', () => {
  test('show what was sent, newest first, and send what failed again, once', async () => {
    const { key } = await service.newPartner({ webhookUrl: `${receiver.origin}/fails` })
    expect((await call('POST', '/webhook/test', key)).body.data).toMatchObject({ state: 'failed', status: 500 })
    const { body } = await call('GET', '/webhook-deliveries?state=failed', key)
    expect(body).toMatchObject({ data: [{ event: 'test.ping', state: 'failed', answer: 'no' }], next: null })
    expect(body.data[0]).not.toHaveProperty('clientId')
    const { id, eventId } = body.data[0]
    await call('PUT', '/webhook', key, { url: `${receiver.origin}/ok`, events: [] })
    expect((await call('POST', `/webhook-deliveries/${id}/resend`, key)).body.data).toMatchObject({ eventId })
    await until(async () => (await call('GET', '/webhook-deliveries?state=delivered', key)).body.data.length === 1)
    expect((await call('POST', `/webhook-deliveries/${id}/resend`, key)).status).toBe(400)
    const first = await call('GET', '/webhook-deliveries?limit=1', key)
    const second = await call('GET', `/webhook-deliveries?limit=1&after=${first.body.next}`, key)
    expect([first.body.data[0].state, second.body.data[0].id, second.body.next]).toEqual(['delivered', id, null])
  })

  test('are of the calling client alone', async () => {
    const own = await newSandboxPartner(service, { webhookUrl: `${receiver.origin}/fails` })
    const other = await service.newPartner()
    const { id } = (await call('POST', '/webhook/test', own.key)).body.data
    for (const key of [other.key, own.testKey]) {
      expect((await call('GET', '/webhook-deliveries', key)).body.data).toEqual([])
      expect((await call('POST', `/webhook-deliveries/${id}/resend`, key)).status).toBe(404)
      expect((await call('GET', `/webhook-deliveries?after=${id}`, key)).body.code).toBe('invalid_cursor')
    }
  })
})
