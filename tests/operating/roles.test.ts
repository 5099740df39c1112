// What a process does in each role, how it stops, and several servers on one machine. tests/with-servers.sh runs this file.
// @module-tag long
import { readFileSync, rmSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSubmission } from '../harness/done-work.ts'
import { type FaultProxy, startFaultProxy } from '../harness/fault-proxy.ts'
import { type ServiceProcess, spawnService, until } from '../harness/process.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { createDatabase } from '../harness/service.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { timedRequest } from '../harness/timed-requests.ts'

const { TEST_DATABASE_URL } = process.env
const SERVE = ['serve']
const SERVER = ['serve', '--no-worker']
const WORKER = ['worker']

describe.skipIf(!TEST_DATABASE_URL)('processes in different roles', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let receiver: Receiver
  const folder = temporaryFolder('roles')
  const running = new Set<ServiceProcess>()
  let proxies: FaultProxy[]
  let server: ServiceProcess
  let worker: ServiceProcess
  beforeAll(async () => {
    database = await createDatabase(TEST_DATABASE_URL!)
    receiver = await startReceiver()
    const { hostname: host, port } = new URL(database.url)
    proxies = [await startFaultProxy({ host, port: Number(port) }), await startFaultProxy({ host, port: Number(port) })]
  })
  afterAll(async () => {
    await Promise.all([...running].map((service) => service.kill()))
    await Promise.all((proxies ?? []).map((proxy) => proxy.close()))
    await receiver?.close()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  async function begin(
    command: string[],
    proxy = 0,
    environment: Record<string, string> = {},
  ): Promise<ServiceProcess> {
    const url = new URL(database.url)
    url.port = String(proxies[proxy]!.port)
    const settings = {
      DATA_DIR: folder,
      DATABASE_URL: url.href,
      KEY_PEPPER: 'a pepper that all processes share, long enough',
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      RATE_LIMIT_SCALE: '1000',
    }
    const service = await spawnService({ ...settings, ...environment }, command)
    running.add(service)
    return service
  }

  async function start(...how: Parameters<typeof begin>): Promise<ServiceProcess> {
    const [command] = how
    const service = await begin(...how)
    if (command === WORKER) await until(() => service.output().includes('"working"'), 30_000)
    else await service.ready()
    return service
  }
  /** Stops a service and returns its exit code and how long it took. */
  async function stop(service: ServiceProcess): Promise<{ code: number | null; ms: number }> {
    const begun = performance.now()
    const code = await service.kill('SIGTERM')
    return { code, ms: performance.now() - begun }
  }
  async function newKey(service: ServiceProcess): Promise<string> {
    const email = `user-${Math.random()}@example.com`
    return (await timedRequest(service, '/api/admin/keys', { body: { email } })).body.data.key
  }

  test('a server without a worker leaves events and jobs to a worker process, which serves no HTTP', async () => {
    server = await start(SERVER)
    await timedRequest(server, '/api/admin/categories/writing', { method: 'PUT', body: { name: 'Writing' } })
    const partner = { name: 'Roles', webhookUrl: `${receiver.origin}/` }
    const { key } = (await timedRequest(server, '/api/admin/partners', { body: partner })).body.data
    const body = newSubmission({ website: `${receiver.origin}/site` })
    const { id } = (await timedRequest(server, '/api/v1/submit-ai-tool', { key, body })).body.data
    await timedRequest(server, `/api/admin/submissions/${id}/done`, { body: {} })
    const states = async () => {
      const enriched = (await timedRequest(server, '/api/admin/enrichments')).body.data[0]
      const sent = (await timedRequest(server, '/api/admin/webhooks')).body.data[0]
      return { enrichment: enriched.state, attempts: enriched.attempts, event: sent.state }
    }
    await sleep(1_500)
    expect(await states()).toEqual({ enrichment: 'pending', attempts: 0, event: 'pending' })
    expect(receiver.arrivals).toEqual([])

    worker = await start(WORKER)
    await until(async () => (await states()).event === 'delivered' && (await states()).attempts > 0, 5_000)
    expect(receiver.at('/').filter(({ method }) => method === 'POST')).toHaveLength(1)
    await expect(fetch(`${worker.origin}/healthz`)).rejects.toThrow('fetch failed')
  })

  test('a process of any role that is stopped while the database hangs or is away exits with 0 within 10 s and answers every open request', async () => {
    const [both, other] = await Promise.all([start(SERVE, 1), start(WORKER, 1)])
    const [hanging, cut] = proxies as [FaultProxy, FaultProxy]
    hanging.stall()
    await cut.cut()
    const writes = [server, both].map((service) =>
      timedRequest(service, '/api/admin/tools/last', { method: 'PUT', body: { name: 'Last' } }),
    )
    await sleep(100)
    const ends = await Promise.all([server, worker, both, other].map(stop))
    console.log(`stops without a database took ${ends.map(({ ms }) => Math.round(ms)).join(', ')} ms`)
    expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 0))
    for (const { ms } of ends) expect(ms).toBeLessThan(10_000)
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(writes.map(() => 503))
    await Promise.all(proxies.map((proxy) => proxy.restore()))
  })

  describe('a single server', () => {
    beforeAll(async () => {
      server = await start(SERVE, 0, { DRAIN_SECONDS: '2', HOST: '0.0.0.0' })
    })

    test('serves metrics to this machine and to the operator, not through a proxy or to another machine', async () => {
      const key = await newKey(server)
      const status = async (where: { origin: string }, given: string | null, headers: Record<string, string> = {}) =>
        (await timedRequest(where, '/metrics', { key: given, headers })).status
      expect(await status(server, null)).toBe(200)
      for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-host'])
        expect([name, await status(server, null, { [name]: '127.0.0.1' })]).toEqual([name, 401])
      expect(await status(server, key, { 'x-forwarded-for': '127.0.0.1' })).toBe(403)
      expect((await timedRequest(server, '/metrics', { headers: { 'x-forwarded-for': '203.0.113.9' } })).status).toBe(
        200,
      )
      const address = Object.values(networkInterfaces())
        .flat()
        .find((one) => one && one.family === 'IPv4' && !one.internal)?.address
      if (!address) return
      const otherMachine = { origin: `http://${address}:${new URL(server.origin).port}` }
      expect([await status(otherMachine, null), (await timedRequest(otherMachine, '/metrics')).status]).toEqual([
        401, 200,
      ])
    })

    test('with DRAIN_SECONDS is not ready at once, but answers for that long and then exits', async () => {
      const key = await newKey(server)
      const begun = performance.now()
      const ended = stop(server)
      await until(async () => (await fetch(`${server.origin}/readyz`)).status === 503, 500)
      let answered = 0
      while (performance.now() - begun < 1_800) {
        const reply = await timedRequest(server, '/api/v1/tools', { key })
        expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close'])
        await sleep(20)
        answered++
      }
      expect(answered).toBeGreaterThan(10)
      const { code, ms } = await ended
      expect(code).toBe(0)
      expect(ms).toBeGreaterThanOrEqual(1_900)
      expect(ms).toBeLessThan(6_000)
    })
  })

  const childrenOf = ({ child }: ServiceProcess): number[] =>
    readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

  test('several servers, of which the first starts slowly: once one is ready, every request is answered by a ready one', async () => {
    const service = await begin(SERVER, 0, { WEB_CONCURRENCY: '2' })
    await until(() => childrenOf(service).length > 0, 30_000)
    const [first] = childrenOf(service)
    process.kill(first!, 'SIGSTOP')
    await sleep(3_000)
    process.kill(first!, 'SIGCONT')
    await service.ready()
    await until(async () => {
      expect((await timedRequest(service, '/readyz', { key: null, headers: { connection: 'close' } })).status).toBe(200)
      return service.output().split('"msg":"ready"').length === 3
    }, 30_000)
    expect(await stop(service)).toMatchObject({ code: 0 })
  })

  test('several servers are replaced on SIGHUP without a failed request, and each of them reports the metrics of all', {
    timeout: 180_000,
  }, async () => {
    const service = await start(SERVE, 0, { WEB_CONCURRENCY: '2' })
    const key = await newKey(service)
    // Each request uses a connection of its own, so that both servers are asked.
    const ask = (path: string, headers: Record<string, string> = {}) =>
      timedRequest(service, path, {
        key: path.startsWith('/api/v1') ? key : null,
        headers: { connection: 'close', ...headers },
      })
    // Once one server is ready, no request reaches one that is not.
    const bothReady = () => service.output().split('"msg":"ready"').length === 3
    await until(async () => {
      for (const path of ['/readyz', '/api/v1/tools']) expect((await ask(path)).status).toBe(200)
      return bothReady()
    }, 60_000)
    const before = childrenOf(service)
    expect(before).toHaveLength(2)
    const reads = async () => {
      const { text } = await ask('/metrics')
      return Number(/catalog_request_seconds_count\{surface="rest",status="200"\} (\d+)/.exec(text)?.[1] ?? 0)
    }
    const readsBefore = await reads()
    for (let i = 0; i < 30; i++) expect((await ask('/api/v1/tools')).status).toBe(200)
    for (let i = 0; i < 6; i++) expect(await reads()).toBe(readsBefore + 30)

    let going = true
    const statuses = new Map<number | string, number>()
    const loops = Array.from({ length: 4 }, async () => {
      while (going) {
        const status = await ask('/api/v1/tools').then(
          (reply) => reply.status,
          (error) => String(error.cause ?? error),
        )
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        await sleep(20)
      }
    })
    service.child.kill('SIGHUP')
    await until(() => service.output().includes('all servers are replaced'), 60_000)
    going = false
    await Promise.all(loops)
    expect([...statuses.keys()]).toEqual([200])
    // The counts of the servers that ended are not lost.
    for (let i = 0; i < 4; i++) expect(await reads()).toBe(readsBefore + 30 + statuses.get(200)!)
    const after = childrenOf(service)
    expect(after).toHaveLength(2)
    expect(after.filter((pid) => before.includes(pid))).toEqual([])
    expect(await stop(service)).toMatchObject({ code: 0 })
  })
})
