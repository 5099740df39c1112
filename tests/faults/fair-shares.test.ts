// One partner's hanging sites and receivers do not delay another partner's enrichment or deliveries.
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { markDone, outcomesOf, submitTool, type WebhookPartner } from '../harness/done-work.ts'
import { until } from '../harness/process.ts'
import { type ProductSite, picture, productSite } from '../harness/product-site.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { startService, type TestService } from '../harness/service.ts'
import { newTool, SUBMISSION_CATALOG, submit } from '../harness/submissions.ts'

/** Another partner's enrichment or delivery is done within this time, whatever the first partner's hosts do. */
const BOUND_MS = 15_000

let service: TestService
let site: ProductSite
let receiver: Receiver
const hanging: { server: Server; sockets: Set<Socket> }[] = []

beforeAll(async () => {
  service = await startService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', ENRICHMENT_RETRY_SECONDS: '1' })
  await service.load(SUBMISSION_CATALOG)
  const icon = await picture(64, 64)
  site = await productSite({
    '/': '<link rel="icon" href="/icon.png"><meta property="og:image" content="/icon.png">',
    '/icon.png': icon,
  })
  receiver = await startReceiver()
})
afterAll(async () => {
  await service.close()
  await site.close()
  await receiver.close()
  for (const { server, sockets } of hanging) {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

/** A host that accepts connections and never answers. */
async function silentHost(): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  hanging.push({ server, sockets })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

/** Submits so many products whose sites and pictures hang. */
async function submitHanging(key: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const { url } = await silentHost()
    const pictures = {
      icon: `${url}/icon.png`,
      frame: `${url}/frame.png`,
      screenshots: [1, 2, 3, 4, 5].map((n) => `${url}/${n}.png`),
    }
    const reply = await submit(service, key, newTool({ website: url, ...(i % 2 ? pictures : {}) }))
    expect(reply.status).toBe(201)
    ids.push(reply.body.data.id)
  }
  return ids
}

const stateOf = async (id: string): Promise<string> =>
  (await service.sql(`select state from enrichments where tool_id = '${id}'`))[0].state

/** Milliseconds until another partner's listing is enriched. */
async function timeToEnrich(key: string, path = ''): Promise<number> {
  const started = performance.now()
  const reply = await submit(service, key, newTool({ website: `${site.url}/${path}` }))
  expect(reply.status).toBe(201)
  await until(async () => (await stateOf(reply.body.data.id)) === 'done', 60_000)
  return performance.now() - started
}

describe('enrichment', () => {
  test.each([20, 200])(
    'with %i hanging sites of one partner, another partner’s listing is enriched within fifteen seconds',
    async (count) => {
      const [bad, good] = [await service.newPartner(), await service.newPartner()]
      await submitHanging(bad.key, count)
      // By now the workers have started them.
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      for (const turn of ['first', 'second', 'third']) {
        const ms = await timeToEnrich(good.key, `${count}-${turn}`)
        expect(ms, `${turn} of ${count}`).toBeLessThan(BOUND_MS)
      }
    },
    180_000,
  )

  test('two partners whose sites hang, and their retries, leave a share for others', async () => {
    const [bad, worse, good] = [await service.newPartner(), await service.newPartner(), await service.newPartner()]
    await submitHanging(bad.key, 10)
    await submitHanging(worse.key, 10)
    await new Promise((resolve) => setTimeout(resolve, 12_000))
    expect((await service.sql('select max(attempts) as most from enrichments'))[0].most).toBeGreaterThan(1)
    expect(await timeToEnrich(good.key, 'beside-two')).toBeLessThan(BOUND_MS)
  }, 120_000)

  test('requests of an operator have their own share', async () => {
    await service.load([
      { kind: 'tool', slug: 'ours', name: 'Ours', description: 'Ours.', website: `${site.url}/ours` },
    ])
    const started = performance.now()
    const { data } = (await service.admin('POST', '/enrichments/ours/retry')).body
    await until(async () => (await stateOf(data.toolId)) === 'done', 60_000)
    expect(performance.now() - started).toBeLessThan(BOUND_MS)
  }, 90_000)
})

describe('deliveries', () => {
  const partnerAt = async (webhookUrl: string) =>
    (await service.newPartner({ webhookUrl })) as unknown as WebhookPartner

  /** Stores waiting events directly in the database. */
  const store = async (partnerId: string, count: number) => {
    await service.sql(`insert into webhook_deliveries (id, event_id, partner_id, event, body, state, created_at)
      select 'd-${partnerId}-' || i, 'msg-${partnerId}-' || i, '${partnerId}', 'test', '{}', 'pending', now() - interval '1 hour'
      from generate_series(1, ${count}) i`)
    await service.wake()
  }
  const underWay = async () =>
    Number((await service.sql(`select count(*) as count from webhook_deliveries where state = 'unknown'`))[0].count)

  async function timeToDeliver(partner: WebhookPartner, count = 1): Promise<number> {
    const id = await submitTool(service, partner)
    const started = performance.now()
    await markDone(service, id)
    const [newest] = await outcomesOf(service, partner, count)
    expect(newest!.state).toBe('delivered')
    return performance.now() - started
  }

  test.each([20, 200])(
    'with %i events for a receiver that hangs, another partner’s event is delivered at once',
    async (count) => {
      const bad = await partnerAt((await silentHost()).url)
      const good = await partnerAt(`${receiver.origin}/good-${count}`)
      await store(bad.id, count)
      await until(async () => (await underWay()) >= 2, 10_000)
      for (const turn of [1, 2, 3]) expect(await timeToDeliver(good, turn)).toBeLessThan(BOUND_MS)
      await service.sql(`delete from webhook_deliveries where partner_id = '${bad.id}' and state = 'pending'`)
    },
    120_000,
  )

  test('six partners with hanging receivers cannot take all delivery slots: another partner’s event is delivered within fifteen seconds', async () => {
    const bad: WebhookPartner[] = []
    for (let i = 0; i < 6; i++) bad.push(await partnerAt((await silentHost()).url))
    for (const { id } of bad) await store(id, 50)
    const good = await partnerAt(`${receiver.origin}/good-six`)
    await until(async () => (await underWay()) >= 4, 20_000)
    for (const turn of [1, 2]) expect(await timeToDeliver(good, turn)).toBeLessThan(BOUND_MS)
    // The six partners take turns too: each gets attempts although another has many events.
    await until(async () => {
      const tried = await service.sql(
        `select partner_id, count(*) as count from webhook_deliveries where attempted_at is not null group by 1`,
      )
      return bad.every(({ id }) => tried.some((row) => row.partner_id === id && Number(row.count) >= 2))
    }, 60_000)
    await service.sql(`delete from webhook_deliveries where state = 'pending'`)
  }, 180_000)
})
