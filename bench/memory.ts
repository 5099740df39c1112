// The memory of a server under load: a large catalog, ten minutes of mixed traffic, the resident memory of each minute.
//   node bench/memory.ts [--listings 100000] [--minutes 10] [--rate 200] [--embedded]
// Everything runs on free ports and in one temporary folder that is removed afterwards. Needs PostgreSQL and Redis, unless --embedded.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { median, percentile } from './load.ts'
import { call, fillCatalog, newKey, someToolSlugs } from './operator.ts'
import { folder, residentMemory, type Server, startPostgres, startRedis, startServer } from './processes.ts'
import { runBench } from './run-bench.ts'
import { information, row, section } from './table.ts'
import { send } from './traffic.ts'

const { values } = parseArgs({
  options: {
    listings: { type: 'string', default: '100000' },
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '200' },
    embedded: { type: 'boolean', default: false },
  },
})
const LISTINGS = Number(values.listings)
const MINUTES = Number(values.minutes)
const RATE = Number(values.rate)
const MOST_GROWTH = 0.1

const logProgress = (what: string) => console.error(`… ${what}`)

async function main(): Promise<void> {
  const settings: Record<string, string> = { TRUST_PROXY: '127.0.0.1' }
  if (!values.embedded) {
    const [postgres, redis] = [await startPostgres(), await startRedis()]
    if (!postgres || !redis) throw new Error('This needs PostgreSQL and Redis, or --embedded.')
    Object.assign(settings, { DATABASE_URL: postgres.url, REDIS_URL: redis.url })
  }
  const dataDir = join(folder, 'data')
  logProgress(`importing ${LISTINGS} listings`)
  await fillCatalog(dataDir, settings, LISTINGS)
  const server = await startServer(dataDir, settings)
  const atStart = residentMemory(server.pid)
  const key = await newKey(server)
  const partner = (await call(server, 'POST', '/api/admin/partners', { name: 'Launch', support: 'hybrid' })).key

  // The first minute fills the caches (answers, compiled code) and is not compared.
  const minutes: number[] = []
  let running = true
  const sending = send({ pick: () => server.origin, key, partner, slugs: someToolSlugs(2_000) }, RATE, () => running)
  for (let minute = 0; minute <= MINUTES; minute++) {
    minutes.push(await oneMinute(server))
    logProgress(`minute ${minute}: ${Math.round(minutes.at(-1)!)} MB`)
  }
  running = false
  const outcome = await sending
  const { heapUsed, external } = await server.ask<NodeJS.MemoryUsage>({ ask: 'memory' })
  const [, first, ...later] = minutes as [number, number, ...number[]]
  const growth = Math.max(...[first, ...later].map((memory) => Math.abs(memory / first - 1)))

  section(
    `${LISTINGS} listings, ${values.embedded ? 'embedded database' : 'PostgreSQL and Redis'}, ${RATE} requests a second`,
  )
  information('Resident when ready', megabytes(atStart))
  information('  minute by minute (medians)', minutes.map((memory) => Math.round(memory)).join(' '))
  information('  at the end: heap, buffers', `${megabytes(heapUsed / 2 ** 20)}, ${megabytes(external / 2 ** 20)}`)
  row(`Away from minute 1, at most`, `${(growth * 100).toFixed(1)} %`, '≤ 10 %', growth <= MOST_GROWTH)
  information('Requests', `${outcome.sent}`)
  row('  failed', String(outcome.failures.length), '0', outcome.failures.length === 0)
  for (const failure of outcome.failures.slice(0, 5)) information('  ', failure)
  information('  p50, p99', [50, 99].map((p) => `${percentile(outcome.times, p).toFixed(1)} ms`).join(', '))
}

async function oneMinute(server: Server): Promise<number> {
  const samples: number[] = []
  for (let second = 0; second < 60; second++) {
    await sleep(1_000)
    samples.push(residentMemory(server.pid))
  }
  return median(samples)
}

const megabytes = (mb: number) => `${Math.round(mb)} MB`

await runBench(main)
