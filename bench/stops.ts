// Stops the service under load without a load balancer: every request must be answered, or its connection must be refused.
//   node bench/stops.ts                       5,000 requests started after the signal, on each set-up that this machine can run
//   node bench/stops.ts --requests 500
// WEB_CONCURRENCY=2 is measured only when PostgreSQL is installed.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { spawnService, until } from '../tests/harness/process.ts'
import { type SentRequest, startLoad } from '../tests/harness/stop-load.ts'
import { endAll, folder, startPostgres } from './processes.ts'
import { information, missed, printResults, row, section, skipped } from './table.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '5000' },
    only: { type: 'string' },
    rate: { type: 'string', default: '150' },
  },
})
const requestCount = Number(values.requests)

interface Stop {
  sent: SentRequest[]
  code: number | null
  ms: number
}

async function stopOnce(settings: Record<string, string>): Promise<Stop> {
  const service = await spawnService(settings)
  await service.ready()
  const processes = Number(settings.WEB_CONCURRENCY ?? 1)
  await until(() => (service.output().match(/"msg":"ready"/g) ?? []).length === processes, 60_000)
  const body = { email: `stops-${Math.random()}@example.com` }
  const { key } = (await service.call('/api/admin/keys', { method: 'POST', body })).body.data
  const load = startLoad(service.origin, { kept: 20, fresh: 10, rate: Number(values.rate), path: '/api/v1/tags', key })
  await sleep(700)
  const signalledAt = performance.now()
  const code = service.kill('SIGTERM').then((code) => ({ code, ms: performance.now() - signalledAt }))
  const sent = await load.ended(signalledAt)
  return { sent, ...(await code) }
}

async function measure(name: string, settings: Record<string, string>): Promise<void> {
  const after: SentRequest[] = []
  const stops: Stop[] = []
  while (after.length < requestCount) {
    const stop = await stopOnce(settings)
    stops.push(stop)
    after.push(...stop.sent.filter(({ at }) => at >= 0))
    for (const { kind, at, why, outcome } of stop.sent)
      if (outcome === 'cut off') console.error(`  ${kind}, begun ${at.toFixed(1)} ms after the signal: ${why}`)
    console.error(`… ${name}: ${after.length} requests, ended after ${Math.round(stop.ms)} ms with ${stop.code}`)
  }
  section(`${name}: ${stops.length} stops, ${after.length} requests begun after the signal`)
  const cut = (kind: SentRequest['kind']) =>
    after.filter((one) => one.kind === kind && one.outcome === 'cut off').length
  const count = (outcome: SentRequest['outcome']) => after.filter((one) => one.outcome === outcome).length
  information('answered', count('answered').toLocaleString('en'))
  information('refused, because the port is closed', String(count('refused')))
  for (const kind of ['new', 'kept alive', 'at a fixed rate'] as const)
    row(`cut off on connections: ${kind}`, String(cut(kind)), '0', cut(kind) === 0)
  const slowest = Math.max(...stops.map(({ ms }) => ms))
  row('slowest stop', `${(slowest / 1000).toFixed(1)} s`, '10 s', slowest < 10_000)
  row(
    'exit code',
    [...new Set(stops.map(({ code }) => code))].join(', '),
    '0',
    stops.every(({ code }) => code === 0),
  )
}

const common = { RATE_LIMIT_SCALE: '1000000', DATA_DIR: join(folder, 'data') }
if (values.only !== 'multi') await measure('one process, embedded database', common)
const postgres = values.only === 'one' ? null : await startPostgres()
if (postgres) {
  const shared = { ...common, DATABASE_URL: postgres.url, KEY_PEPPER: 'a pepper that all processes share, long enough' }
  await measure('WEB_CONCURRENCY=2, PostgreSQL', { ...shared, WEB_CONCURRENCY: '2' })
} else if (values.only !== 'one') skipped('WEB_CONCURRENCY=2', 'no PostgreSQL is installed')
await endAll()
printResults()
process.exitCode = missed() ? 1 : 0
