// kill -9 of servers and workers under load on PostgreSQL. Run by `npm run test:faults`. Kills of a single process and of the embedded
// database are in tests/operating and in partners.test.ts.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSubmission } from '../harness/done-work.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { type ProductSite, productSite } from '../harness/product-site.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { createDatabase } from '../harness/service.ts'
import { timedRequest } from '../harness/timed-requests.ts'

const SERVER = ['serve', '--no-worker']
const WORKER = ['worker']
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let database: Awaited<ReturnType<typeof createDatabase>>
let receiver: Receiver
let site: ProductSite
let server: ServiceProcess
let partner: { id: string; key: string }
const folder = mkdtempSync(join(tmpdir(), 'catalog-kills-'))
const running: ServiceProcess[] = []

async function start(command: readonly string[], environment: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await spawnService(
    {
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      KEY_PEPPER: 'a pepper that all processes share, long enough',
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      RATE_LIMIT_SCALE: '100000',
      ENRICHMENT_RETRY_SECONDS: '1',
      TRUST_PROXY: '127.0.0.1',
      ...environment,
    },
    command,
  )
  running.push(service)
  if (command === WORKER) await until(() => service.output().includes('"working"'), 30_000)
  else await service.ready()
  return service
}

async function rows<Row extends object>(text: string): Promise<Row[]> {
  const client = new pg.Client(database.url)
  await client.connect()
  const result = await client.query<Row>(text)
  await client.end()
  return result.rows
}
const number = async (text: string): Promise<number> => Number((await rows<{ n: string }>(text))[0]?.n ?? 0)

beforeAll(async () => {
  database = await createDatabase(process.env.TEST_DATABASE_URL!)
  receiver = await startReceiver()
  site = await productSite({ '/': '<title>Acme</title>', '/hang': () => {} })
  server = await start(SERVER)
  await timedRequest(server, '/api/admin/categories/writing', { method: 'PUT', body: { name: 'Writing' } })
  const about = { name: 'Kills', webhookUrl: `${receiver.origin}/` }
  partner = (await timedRequest(server, '/api/admin/partners', { body: about })).body.data
})
afterAll(async () => {
  await Promise.all(running.map((service) => service.kill()))
  await Promise.all([receiver?.close(), site?.close()])
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

const submit = async (website: string): Promise<string> => {
  const body = newSubmission({ website, icon: undefined, frame: undefined })
  const reply = await timedRequest(server, '/api/v1/submit-ai-tool', { key: partner.key, body })
  expect(reply.status).toBe(201)
  return reply.body.data.id
}

let taken: string

test('after a worker is killed with a job and an event under way, the other worker goes on with everything that waits', async () => {
  const first = await start(WORKER)
  taken = await submit(`${site.url}/hang`)
  await until(() => site.asked.includes('/hang'), 5_000)
  const second = await start(WORKER)
  const ids: string[] = []
  for (let i = 0; i < 20; i++) ids.push(await submit(`${site.url}/${i}`))
  const done = ids.map((id) => timedRequest(server, `/api/admin/submissions/${id}/done`, { body: {} }))
  await until(() => receiver.arrivals.length > 3, 5_000)
  await first.kill('SIGKILL')
  const begun = performance.now()
  await Promise.all(done)
  // A partner's two attempts that were cut short count as under way for fifteen seconds.
  await until(
    async () => (await number(`select count(*) as n from webhook_deliveries where state = 'pending'`)) === 0,
    25_000,
  )
  const sent = new Map<string, number>()
  for (const { headers } of receiver.arrivals)
    sent.set(String(headers['webhook-id']), (sent.get(String(headers['webhook-id'])) ?? 0) + 1)
  expect([...sent.values()].filter((count) => count > 1)).toEqual([])
  const states = await rows<{ state: string; n: string }>(
    'select state, count(*) as n from webhook_deliveries group by 1',
  )
  console.log(
    `a worker killed: 20 events ${JSON.stringify(states.map(({ state, n }) => `${n} ${state}`))}, none waits ${Math.round(performance.now() - begun)} ms after`,
  )
  // Only the attempts that were under way at the kill may be unknown.
  expect(Number(states.find(({ state }) => state === 'unknown')?.n ?? 0)).toBeLessThanOrEqual(4)
  expect(second.child.exitCode).toBeNull()
  // A job counts as lost after two minutes, which have passed.
  site.routes['/hang'] = '<title>Acme</title>'
  await rows(`update jobs.job set started_on = started_on - interval '3 minutes' where state = 'active'`)
})

test('after a server is killed under load no acknowledged write is lost, and clicks and counted calls only of the last seconds', async () => {
  const doomed = await start(SERVER)
  const slug = 'clicked'
  await timedRequest(server, `/api/admin/tools/${slug}`, {
    method: 'PUT',
    body: { name: slug, website: 'https://example.com' },
  })
  const { key, id } = (await timedRequest(server, '/api/admin/keys', { body: { email: 'calls@example.com' } })).body
    .data
  await until(
    async () => (await timedRequest(doomed, `/api/v1/tools/${slug}`, { key: partner.key })).status === 200,
    5_000,
  )
  let visitors = 0
  const click = async () => {
    const from = `203.0.${Math.floor(++visitors / 250)}.${visitors % 250}`
    const headers = { 'x-forwarded-for': from, 'user-agent': FIREFOX }
    expect((await timedRequest(doomed, `/tools/${slug}/visit`, { key: null, headers })).status).toBe(302)
  }
  const call = async () => expect((await timedRequest(doomed, '/api/v1/tools', { key })).status).toBe(200)

  const acknowledged: string[] = []
  let going = true
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let i = 0; going; i++) {
      const name = `kept-${writer}-${i}`
      const reply = await timedRequest(doomed, `/api/admin/tools/${name}`, { method: 'PUT', body: { name } }).catch(
        () => null,
      )
      if (reply?.status === 200) acknowledged.push(name)
      if (!reply) return
    }
  })
  for (let i = 0; i < 40; i++) await Promise.all([click(), call()])
  // Counted calls are written every three seconds, clicks four times a second.
  await sleep(4_500)
  for (let i = 0; i < 20; i++) await Promise.all([click(), call()])
  await doomed.kill('SIGKILL')
  going = false
  await Promise.all(writers)

  const missing = await rows(
    `select name from unnest(array['${acknowledged.join("','")}']) as name where name not in (select slug from tools)`,
  )
  expect(acknowledged.length).toBeGreaterThan(50)
  expect(missing).toEqual([])
  const opens = await number(`select opens as n from tools where slug = '${slug}'`)
  const calls = await number(`select sum(calls) as n from key_usage where key_id = '${id}'`)
  console.log(
    `a server killed: ${acknowledged.length} writes kept, ${opens} of 60 clicks, ${calls} of 60 calls; the last 20 were sent in the last moments`,
  )
  for (const counted of [opens, calls]) expect(counted).toBeGreaterThanOrEqual(40)
  for (const counted of [opens, calls]) expect(counted).toBeLessThanOrEqual(60)
  // The other server has all of it in memory.
  await until(
    async () => (await timedRequest(server, `/api/v1/tools/${acknowledged.at(-1)}`, { key })).status === 200,
    2_000,
  )
})

const childrenOf = ({ child }: ServiceProcess): number[] =>
  readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

test('when one of several servers is killed, only the requests it was answering fail, and another one replaces it', async () => {
  const several = await start(SERVER, { WEB_CONCURRENCY: '2' })
  await until(() => (several.output().match(/"msg":"ready"/g) ?? []).length === 2, 20_000)
  const failed: string[] = []
  let answered = 0
  let going = true
  const LOOPS = 4
  const loops = Array.from({ length: LOOPS }, async () => {
    while (going) {
      const reply = await timedRequest(several, '/api/v1/tools', {
        key: partner.key,
        headers: { connection: 'close' },
      }).catch((error) => String(error.cause ?? error))
      if (typeof reply !== 'string' && reply.status === 200) answered++
      else failed.push(typeof reply === 'string' ? reply : `${reply.status} ${reply.text}`)
      await sleep(25)
    }
  })
  const kills = 3
  const begun = performance.now()
  for (let i = 0; i < kills; i++) {
    await sleep(300)
    const before = childrenOf(several)
    process.kill(before[i % 2]!, 'SIGKILL')
    await until(() => (several.output().match(/"msg":"ready"/g) ?? []).length === 3 + i, 30_000)
    expect(childrenOf(several).filter((pid) => !before.includes(pid))).toHaveLength(1)
  }
  const tookMs = (performance.now() - begun) / kills
  going = false
  await Promise.all(loops)
  console.log(
    `one of several killed, ${kills} times: ${answered} answered, ${failed.length} failed ${JSON.stringify([...new Set(failed)])}; replaced after ${Math.round(tookMs)} ms`,
  )
  expect(failed.length).toBeLessThanOrEqual(kills * LOOPS)
  // No request waits without an answer, and none reaches a server that is not ready. The kernel ends the connection of a killed server with
  // a reset if something was not read yet, and otherwise as if it had been closed.
  expect(failed.filter((one) => !/ECONNRESET|other side closed/.test(one))).toEqual([])
  expect(await several.kill('SIGTERM')).toBe(0)
})

test('the other worker does the job that the killed worker had under way', async () => {
  const begun = performance.now()
  await until(
    async () =>
      (await number(`select count(*) as n from enrichments where tool_id = '${taken}' and state = 'done'`)) === 1,
    75_000,
  )
  console.log(`the job was taken over ${Math.round((performance.now() - begun) / 1000)} s after it was looked for`)
})
