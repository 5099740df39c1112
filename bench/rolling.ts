// Restarts two servers and a worker again and again under load: no request may fail and no acknowledged change may be lost.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from './load.ts'
import { call, fillCatalog, newKey, someToolSlugs } from './operator.ts'
import { ADMIN_TOKEN, folder, type RunningProcess, type Server, startServer, startWorker } from './processes.ts'
import { information, row, section } from './table.ts'
import { send, type TrafficOutcome } from './traffic.ts'

export type Settings = Record<string, string>

export interface RollingOptions {
  restarts: number
  rate: number
  listings: number
  logProgress(what: string): void
}

export async function rollingRestarts(
  sharedSettings: Settings,
  { restarts, rate, listings, logProgress }: RollingOptions,
): Promise<void> {
  logProgress(`${restarts} rolling restarts at ${rate} requests a second`)
  const receiver = await startReceiver()
  const settings = { ...sharedSettings, DRAIN_SECONDS: '1', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' }
  const start = (port?: string) =>
    startServer(join(folder, 'server'), { ...settings, ...(port && { PORT: port }) }, ['--no-worker'])
  await fillCatalog(join(folder, 'server'), settings, listings)
  const servers = [await start(), await start()]
  let worker = startWorker(join(folder, 'worker'), settings)
  const key = await newKey(servers[0]!)
  const partner = await call(servers[0]!, 'POST', '/api/admin/partners', {
    name: 'Launch Platform',
    webhookUrl: receiver.url,
    support: 'human',
  })
  await sleep(1_500)
  const opensBefore = await totalOpens(servers[0]!)

  const balancer = balance(servers)
  let running = true
  const sending = send(
    { pick: balancer.pick, key, partner: partner.key, slugs: someToolSlugs(listings) },
    rate,
    () => running,
  )
  const codes: (number | null)[] = []
  const stops: number[] = []
  const stop = async (process: RunningProcess) => {
    const began = performance.now()
    codes.push(await process.end())
    stops.push((performance.now() - began) / 1000)
  }
  const began = performance.now()
  for (let restart = 0; restart < restarts; restart++) {
    for (const [at, server] of servers.entries()) {
      await stop(server)
      servers[at] = await start(new URL(server.origin).port)
      await balancer.waitUntilReady(servers[at]!)
    }
    await stop(worker)
    worker = startWorker(join(folder, 'worker'), settings)
    logProgress(`restart ${restart + 1} of ${restarts}`)
  }
  running = false
  const outcome = await sending
  const seconds = (performance.now() - began) / 1000
  balancer.close()
  const unfinished = await finishAll(servers[0]!, outcome, receiver.arrived)
  // A server writes its counts within a second.
  await sleep(1_500)
  const counted = (await totalOpens(servers[0]!)) - opensBefore
  for (const process of [...servers, worker]) await stop(process)
  receiver.close()

  section(`Two servers and a worker, ${restarts} rolling restarts of all three, ${Math.round(seconds)} s`)
  information('Requests', `${outcome.sent}, ${Math.round(outcome.sent / seconds)}/s`)
  row('  failed', String(outcome.failures.length), '0', outcome.failures.length === 0)
  for (const failure of outcome.failures.slice(0, 5)) information('  ', failure)
  information(
    '  p50, p99, slowest',
    [50, 99, 100].map((p) => `${percentile(outcome.times, p).toFixed(1)} ms`).join(', '),
  )
  row(
    'Ends with exit code 0',
    `${codes.filter((code) => code === 0).length} of ${codes.length}`,
    'all',
    codes.every((code) => code === 0),
  )
  row('  slowest end', `${Math.max(...stops).toFixed(1)} s`, '≤ 10 s', Math.max(...stops) <= 10)
  row(
    'Acknowledged submissions done and announced',
    `${outcome.submitted.length - unfinished} of ${outcome.submitted.length}`,
    'all',
    unfinished === 0,
  )
  row('Clicks counted', `${counted} of ${outcome.clicks}`, 'all', counted === outcome.clicks)
}

/** Works like a load balancer: polls /readyz and sends requests to the servers that were ready. It never retries a request. */
function balance(servers: readonly Server[]) {
  const ready = new Set(servers.map(({ origin }) => origin))
  const checkReadiness = async (origin: string) => {
    const answer = await fetch(`${origin}/readyz`).catch(() => null)
    await answer?.arrayBuffer().catch(() => null)
    if (answer?.status === 200) ready.add(origin)
    else ready.delete(origin)
  }
  const timer = setInterval(() => servers.forEach(({ origin }) => void checkReadiness(origin)), 100)
  let turn = 0
  return {
    pick(): string {
      const [...choice] = ready
      if (choice.length === 0) throw new Error('no server is ready')
      return choice[turn++ % choice.length]!
    },
    async waitUntilReady({ origin }: Server) {
      while (!ready.has(origin)) await sleep(20)
    },
    close: () => clearInterval(timer),
  }
}

/** Marks every acknowledged submission done and waits for its event. Returns how many events did not arrive. */
async function finishAll(server: Server, { submitted }: TrafficOutcome, arrived: ReadonlySet<string>): Promise<number> {
  for (const id of submitted) await call(server, 'POST', `/api/admin/submissions/${id}/done`, {})
  const missing = () => submitted.filter((id) => !arrived.has(id)).length
  for (let waited = 0; waited < 300 && missing() > 0; waited++) await sleep(100)
  return missing()
}

async function startReceiver() {
  const arrived = new Set<string>()
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (piece) => (text += piece))
    request.on('end', () => {
      arrived.add(JSON.parse(text).tool.id)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, arrived, close: () => server.close().closeAllConnections() }
}

async function totalOpens(server: Server): Promise<number> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const lines = await (await fetch(`${server.origin}/api/admin/export`, { headers })).text()
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .reduce((sum, line) => sum + (JSON.parse(line).opens ?? 0), 0)
}
