// The sandbox with its default settings, and processes that end at any moment.
// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkSignatures } from '../../src/features/webhooks/delivery/signature.rules.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { directories, newSandboxPartner } from '../harness/sandbox.ts'
import { createDatabase, startService } from '../harness/service.ts'
import { newTool, submitted } from '../harness/submissions.ts'

const { TEST_DATABASE_URL } = process.env
const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

test('from submit to the verified webhook it takes less than ten seconds', async () => {
  const receiver = await startReceiver()
  const service = await startService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
  closing.push(receiver.close, service.close)
  await service.load([{ kind: 'category', slug: 'writing', name: 'Writing' }, ...directories(100)])
  const partner = await newSandboxPartner(service, { webhookUrl: receiver.origin })
  const started = performance.now()
  const tool = await submitted(service, partner.testKey, { paymentType: 'premium' })
  await until(() => receiver.arrivals.length === 1, 10_000)
  const seconds = (performance.now() - started) / 1000
  const { headers, body } = receiver.arrivals[0]!
  expect(checkSignatures(partner.webhookSecret, headers as Record<string, string>, body)).toEqual({
    catalog: 'right',
    standard: 'right',
  })
  expect(JSON.parse(String(body))).toMatchObject({ tool: { id: tool.id }, summary: { submittedCount: 100 } })
  console.info(`submit to verified webhook: ${seconds.toFixed(2)} s`)
  expect(seconds).toBeLessThan(10)
  expect(seconds).toBeGreaterThan(7.9)
})

test('kill -9 between steps: the next process goes on, and the event arrives once', async () => {
  const receiver = await startReceiver()
  const database = TEST_DATABASE_URL ? await createDatabase(TEST_DATABASE_URL) : null
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'catalog-sandbox-'))
  closing.push(
    () => rmSync(DATA_DIR, { recursive: true, force: true }),
    () => database?.drop(),
    receiver.close,
  )
  const start = async () => {
    const process = await spawnService({
      ...{ DATA_DIR, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', RATE_LIMIT_SCALE: '100', SANDBOX_STEP_SECONDS: '0.5' },
      ...(database ? { DATABASE_URL: database.url } : {}),
    })
    closing.push(() => process.kill())
    await process.ready()
    return process
  }
  let process = await start()
  const post = async (on: ServiceProcess, path: string, body: object, token?: string) =>
    (await on.call(path, { method: 'POST', body, ...(token ? { token } : {}) })).body.data
  await process.call('/api/admin/categories/writing', { method: 'PUT', body: { name: 'Writing' } })
  await process.call('/api/admin/directories/peak', {
    method: 'PUT',
    body: { name: 'Peak', website: 'https://peak.example.org' },
  })
  const partner = await post(process, '/api/admin/partners', { name: 'P', webhookUrl: receiver.origin })
  const { key } = await post(process, `/api/admin/partners/${partner.id}/keys`, { test: true })
  const tool = await post(process, '/api/v1/submit-ai-tool', newTool({ paymentType: 'starter' }), key)
  const stateOf = async () =>
    (await process.call(`/api/v1/ai-tools/status?id=${tool.id}`, { token: key })).body.data.submissionState as string
  const order = ['IN_QUEUE', 'ASSIGNED', 'IN_PROGRESS', 'REVIEW', 'DONE']
  for (const state of ['ASSIGNED', 'REVIEW']) {
    await until(async () => order.indexOf(await stateOf()) >= order.indexOf(state), 10_000)
    const reached = await stateOf()
    await process.kill('SIGKILL')
    process = await start()
    // Nothing is lost and nothing goes back.
    expect(order.indexOf(await stateOf())).toBeGreaterThanOrEqual(order.indexOf(reached))
  }
  await until(async () => (await stateOf()) === 'DONE', 10_000)
  await until(() => receiver.arrivals.length === 1, 5_000)
  const { data } = (await process.call(`/api/v1/ai-tools/status?id=${tool.id}`, { token: key })).body
  expect(data.submissions.map(({ slug }: { slug: string }) => slug)).toEqual(['peak'])
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect(receiver.arrivals.length).toBe(1)
}, 180_000)

test.skipIf(!TEST_DATABASE_URL)(
  'two processes share the steps: each is taken once, each event arrives once',
  async () => {
    const database = await createDatabase(TEST_DATABASE_URL!)
    const receiver = await startReceiver()
    const environment = {
      ...{ DATABASE_URL: database.url, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', KEY_PEPPER: 'p'.repeat(32) },
      SANDBOX_STEP_SECONDS: '0.3',
    }
    const [one, two] = [await startService(environment), await startService(environment)]
    closing.push(() => database.drop(), receiver.close, one.close, two.close)
    await one.load([{ kind: 'category', slug: 'writing', name: 'Writing' }, ...directories(10)])
    const partner = await newSandboxPartner(one, { webhookUrl: receiver.origin })
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => submitted(i % 2 ? one : two, partner.testKey, { paymentType: 'starter' })),
    )
    await until(() => receiver.arrivals.length >= 20, 15_000)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(new Set(receiver.arrivals.map(({ headers }) => headers['webhook-id'])).size).toBe(20)
    expect(receiver.arrivals.length).toBe(20)
    for (const { body } of receiver.arrivals) expect(JSON.parse(String(body)).submissions.length).toBe(10)
  },
)
