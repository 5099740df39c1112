// The service never sends an event twice by itself: not after a crash, and not while the database is unreachable.
// @module-tag slow
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { attemptDelivery, type DeliveryContext } from '../../src/features/webhooks/delivery/deliver.ts'
import { createOutbound } from '../../src/platform/outbound/outbound.ts'
import {
  type Delivery,
  markDone,
  newSubmission,
  outcomesOf,
  submitTool,
  type WebhookPartner,
} from '../harness/done-work.ts'
import { startFaultProxy } from '../harness/fault-proxy.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { startReceiver } from '../harness/receiver.ts'
import { createDatabase, recordingLog, startService } from '../harness/service.ts'

const { TEST_DATABASE_URL } = process.env
const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

describe('a process that ends', () => {
  test('kill -9 during an attempt leaves it unknown and it is never sent again; a stop waits for the answer', {
    tags: 'long',
  }, async () => {
    const receiver = await startReceiver({
      '/hang': () => {},
      '/slow': (response) => void setTimeout(() => response.end('at last'), 1_000),
    })
    const database = TEST_DATABASE_URL ? await createDatabase(TEST_DATABASE_URL) : null
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'catalog-crash-'))
    closing.push(
      () => rmSync(DATA_DIR, { recursive: true, force: true }),
      () => database?.drop(),
      receiver.close,
    )
    const start = async () => {
      const process = await spawnService({
        ...{ DATA_DIR, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', RATE_LIMIT_SCALE: '100' },
        ...(database ? { DATABASE_URL: database.url } : {}),
      })
      closing.push(() => process.kill())
      await process.ready()
      return process
    }
    const deliveries = async (on: ServiceProcess): Promise<Delivery[]> =>
      (await on.call('/api/admin/webhooks')).body.data
    const done = async (on: ServiceProcess, path: string) => {
      const partner = (
        await on.call('/api/admin/partners', {
          method: 'POST',
          body: { name: path, webhookUrl: receiver.origin + path },
        })
      ).body.data as WebhookPartner
      const submitted = await on.call('/api/v1/submit-ai-tool', {
        method: 'POST',
        token: partner.key,
        body: newSubmission(),
      })
      expect(submitted.status).toBe(201)
      await on.call(`/api/admin/submissions/${submitted.body.data.id}/done`, { method: 'POST', body: {} })
      await until(() => receiver.at(path).length === 1, 5_000)
    }

    const first = await start()
    await first.call('/api/admin/categories/writing', { method: 'PUT', body: { name: 'Writing' } })
    await done(first, '/hang')
    // An attempt under way is not unknown: the process lives and will record the outcome.
    expect(await deliveries(first)).toMatchObject([{ state: 'pending', attemptedAt: expect.any(String) }])
    await first.kill('SIGKILL')

    const second = await start()
    // With the embedded database the worker marks it when it starts. On PostgreSQL another process may still send it, so the time limit of
    // the attempt must pass first.
    await until(async () => (await deliveries(second))[0]!.state === 'unknown', database ? 35_000 : 2_000)
    const [left] = await deliveries(second)
    expect(left).toMatchObject({ state: 'unknown', status: null, error: null })
    await done(second, '/slow')
    expect(await second.kill('SIGTERM')).toBe(0)
    // The line is logged only after the outcome was recorded.
    expect(second.output()).toMatch(/"state":"delivered","status":200,"ms":\d+,"msg":"webhook"/)
    expect([receiver.at('/hang').length, receiver.at('/slow').length]).toEqual([1, 1])
    expect(second.output()).not.toMatch(/whsec_|occurredAt/)
  })
})

describe('a database that is unreachable when the receiver answers', () => {
  const claimed = {
    id: 'd1',
    eventId: 'msg_1',
    event: 'e',
    body: '{}',
    secret: 'whsec_AAAA',
    previousSecret: null,
    test: false,
  }

  async function attempt(
    faults: unknown[],
    url: (origin: string) => string | null,
    allowed = ['127.0.0.0/8'],
    abandonMs = 60_000,
  ) {
    const receiver = await startReceiver()
    const outbound = createOutbound({ allowed })
    const noted: object[] = []
    const logged: Record<string, unknown>[] = []
    const where = async (outcome: object) => {
      if (faults.length > 0) throw faults.shift()
      noted.push(outcome)
    }
    const db = { update: () => ({ set: (outcome: object) => ({ where: () => where(outcome) }) }) }
    const ctx = { db, now: () => new Date(), log: recordingLog(logged), outbound, outboundAllowed: allowed }
    await attemptDelivery(
      ctx as unknown as DeliveryContext,
      { ...claimed, url: url(receiver.origin), at: new Date() },
      AbortSignal.timeout(abandonMs),
    )
    await receiver.close()
    await outbound.close()
    return { arrivals: receiver.arrivals.length, noted, logged }
  }
  const away = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })

  test('the outcome is recorded later, and the event is not sent again', async () => {
    const { arrivals, noted } = await attempt([away(), away()], (origin) => origin)
    expect([arrivals, noted]).toEqual([1, [expect.objectContaining({ state: 'delivered', status: 200 })]])
  })

  test('an error other than an outage is logged and not tried again', async () => {
    const { arrivals, noted, logged } = await attempt([new Error('wrong statement')], (origin) => origin)
    expect([arrivals, noted, logged.map(({ level }) => level)]).toEqual([1, [], ['error']])
  })

  test('a stop ends the attempts to record it: the delivery stays unknown', async () => {
    const { arrivals, noted } = await attempt(Array.from({ length: 100 }, away), (origin) => origin, undefined, 700)
    expect([arrivals, noted]).toEqual([1, []])
  })

  test('a URL that is not permitted anymore is not called', async () => {
    const { arrivals, noted } = await attempt([], (origin) => origin, ['10.0.0.0/8'])
    expect([arrivals, noted]).toEqual([
      0,
      [expect.objectContaining({ state: 'failed', error: 'The webhook URL must start with https://.' })],
    ])
  })

  test.skipIf(!TEST_DATABASE_URL)('the same with PostgreSQL really cut off', async () => {
    const database = await createDatabase(TEST_DATABASE_URL!)
    const url = new URL(database.url)
    const proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port) })
    const receiver = await startReceiver({
      '/cut': async (response) => {
        await proxy.cut()
        response.end('ok')
        await sleep(1_500)
        await proxy.restore()
      },
    })
    url.port = String(proxy.port)
    const service = await startService({ DATABASE_URL: url.href, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
    closing.push(() => database.drop(), proxy.close, receiver.close, service.close)
    await service.load([{ kind: 'category', slug: 'writing', name: 'Writing' }])
    const partner = (await service.newPartner({ webhookUrl: `${receiver.origin}/cut` })) as WebhookPartner
    await markDone(service, await submitTool(service, partner))
    await until(() => receiver.arrivals.length === 1, 5_000)
    await sleep(2_000)
    const [delivery] = await outcomesOf(service, partner)
    expect([delivery!.state, receiver.arrivals.length]).toEqual(['delivered', 1])
  })
})

test.skipIf(!TEST_DATABASE_URL)('two processes share the work: each event arrives once', async () => {
  const database = await createDatabase(TEST_DATABASE_URL!)
  const receiver = await startReceiver()
  const environment = { DATABASE_URL: database.url, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', KEY_PEPPER: 'p'.repeat(32) }
  const [one, two] = [await startService(environment), await startService(environment)]
  closing.push(() => database.drop(), receiver.close, one.close, two.close)
  await one.load([{ kind: 'category', slug: 'writing', name: 'Writing' }])
  const partner = (await one.newPartner({ webhookUrl: receiver.origin })) as WebhookPartner
  const tools = await Promise.all(Array.from({ length: 20 }, () => submitTool(one, partner)))
  await Promise.all(tools.map((toolId, i) => markDone(i % 2 ? one : two, toolId)))
  await outcomesOf(one, partner, 20)
  const ids = receiver.arrivals.map(({ headers }) => headers['webhook-id'])
  expect([ids.length, new Set(ids).size]).toEqual([20, 20])
  const workers = [one, two].map(({ logged }) => logged.filter(({ message }) => message === 'webhook').length)
  expect(workers[0]! + workers[1]!).toBe(20)
})
