// Submit and Done under load while the service is killed and the database restarted. Run by `npm run test:faults`.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { restartPostgres } from '../harness/postgres-control.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { ADMIN_TOKEN, createDatabase } from '../harness/service.ts'

const KILLS = 20
const RESTARTS_AT = new Set([5, 10, 15])
const SUBMITTERS = 3
const { TEST_DATABASE_URL } = process.env

let database: Awaited<ReturnType<typeof createDatabase>>
let receiver: Server
const folder = mkdtempSync(join(tmpdir(), 'catalog-faults-'))
/** The calls of each webhook-id, with the status of each answer. */
const arrived = new Map<string, number[]>()

beforeAll(async () => {
  database = await createDatabase(TEST_DATABASE_URL!)
  let calls = 0
  receiver = createServer((request, response) => {
    const status = ++calls % 3 === 0 ? 500 : 200
    const id = request.headers['webhook-id'] as string
    arrived.set(id, [...(arrived.get(id) ?? []), status])
    request.resume()
    request.on('end', () => response.writeHead(status).end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  receiver?.close()
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

const start = async (port?: string): Promise<ServiceProcess> => {
  const service = await spawnService({
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    RATE_LIMIT_SCALE: '100000',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
    ...(port ? { PORT: port } : {}),
  })
  return service
}

test(`${KILLS} kill -9 and ${RESTARTS_AT.size} database restarts: nothing acknowledged is lost, no event arrives twice`, async () => {
  let service = await start()
  const port = new URL(service.origin).port
  await service.ready()
  await service.call('/api/admin/categories/writing', { method: 'PUT', body: { name: 'Writing' } })
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const partner = (await service.call('/api/admin/partners', { method: 'POST', body: { name: 'Faults', webhookUrl } }))
    .body.data

  const submitted = new Set<string>()
  const done = new Set<string>()
  let running = true
  const ask = (path: string, token: string, body: unknown) =>
    service.call(path, { method: 'POST', token, body }).catch(() => null)
  const submitters = Array.from({ length: SUBMITTERS }, async (_, worker) => {
    for (let i = 0; running; i++) {
      const website = `https://tool-${worker}-${i}.example.com`
      const body = {
        name: `Tool ${worker} ${i}`,
        website,
        tagline: 't',
        description: 'd',
        category: 'writing',
        pricing: 'FREE',
        founderName: 'F',
        founderEmail: 'f@example.com',
        tags: [],
        paymentType: 'starter',
      }
      const reply = await ask('/api/v1/submit-ai-tool', partner.key, body)
      if (reply?.status === 201 || reply?.status === 200) {
        submitted.add(reply.body.data.id)
        const finished = await ask(`/api/admin/submissions/${reply.body.data.id}/done`, ADMIN_TOKEN, {})
        if (finished?.status === 200) done.add(reply.body.data.id)
      } else await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })

  for (let kill = 1; kill <= KILLS; kill++) {
    await new Promise((resolve) => setTimeout(resolve, 300 + 40 * kill))
    if (RESTARTS_AT.has(kill)) await restartPostgres()
    await service.kill('SIGKILL')
    service = await start(port)
    await service.ready()
  }
  running = false
  await Promise.all(submitters)

  const pending = async () => (await service.call(`/api/admin/webhooks?state=pending`)).body.data.length as number
  await until(async () => (await pending()) === 0, 60_000)
  // The last attempts may still be under way: they count as unknown until their answer is recorded.
  expect(await service.kill('SIGTERM')).toBe(0)

  const client = new pg.Client(database.url)
  await client.connect()
  const rows = async <T>(text: string): Promise<T[]> => (await client.query(text)).rows
  const states = new Map(
    (await rows<{ tool_id: string; state: string }>('select tool_id, state from submissions')).map((row) => [
      row.tool_id,
      row.state,
    ]),
  )
  const deliveries = await rows<{ event_id: string; state: string; tool: string }>(
    `select event_id, state, body::json->'tool'->>'id' as tool from webhook_deliveries`,
  )
  await client.end()

  expect(submitted.size).toBeGreaterThan(KILLS)
  expect(done.size).toBeGreaterThan(KILLS)
  expect([...submitted].filter((id) => !states.has(id))).toEqual([])
  expect([...done].filter((id) => states.get(id) !== 'DONE')).toEqual([])
  // Every Done has exactly one stored event, whether it was acknowledged or not.
  const eventsOf = Map.groupBy(deliveries, (delivery) => delivery.tool)
  const doneTools = [...states].filter(([, state]) => state === 'DONE').map(([id]) => id)
  expect(doneTools.filter((id) => eventsOf.get(id)?.length !== 1)).toEqual([])
  expect(deliveries.length).toBe(doneTools.length)
  // No event arrives twice, and each ends in a final state that matches what the receiver recorded.
  expect([...arrived].filter(([, statuses]) => statuses.length > 1)).toEqual([])
  expect(deliveries.filter(({ state }) => !['delivered', 'failed', 'unknown'].includes(state))).toEqual([])
  expect(
    deliveries.filter(({ event_id, state }) => state === 'delivered' && arrived.get(event_id)?.[0] !== 200),
  ).toEqual([])
  const count = (state: string) => deliveries.filter((delivery) => delivery.state === state).length
  console.log(
    `${submitted.size} submissions and ${done.size} Done acknowledged; events: ${count('delivered')} delivered, ${count('failed')} failed, ${count('unknown')} unknown; ${arrived.size} arrived`,
  )
})
