// Several processes on one PostgreSQL and one Redis: rolling restarts under load, exact limits, and how soon all of them refuse a revoked key.
//   node bench/multi-process.ts [--restarts 10] [--rate 200] [--listings 2000] [--revocations 1000]
// Everything runs on free ports and in one temporary folder that is removed afterwards. Needs PostgreSQL and Redis.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from './load.ts'
import { call, newKey } from './operator.ts'
import { folder, startPostgres, startRedis, startServer } from './processes.ts'
import { rollingRestarts, type Settings } from './rolling.ts'
import { runBench } from './run-bench.ts'
import { information, row, section } from './table.ts'

const { values } = parseArgs({
  options: {
    restarts: { type: 'string', default: '10' },
    rate: { type: 'string', default: '200' },
    listings: { type: 'string', default: '2000' },
    revocations: { type: 'string', default: '1000' },
  },
})
const REVOCATIONS = Number(values.revocations)

const commonSettings = { KEY_PEPPER: 'one pepper for every process of this run', TRUST_PROXY: '127.0.0.1' }
const logProgress = (what: string) => console.error(`… ${what}`)

async function main(): Promise<void> {
  const [postgres, redis] = [await startPostgres(), await startRedis()]
  if (!postgres || !redis) throw new Error('This needs PostgreSQL and Redis: apt-get install postgresql redis-server')
  const sharedSettings = { ...commonSettings, DATABASE_URL: postgres.url, REDIS_URL: redis.url }
  await rollingRestarts(sharedSettings, {
    restarts: Number(values.restarts),
    rate: Number(values.rate),
    listings: Number(values.listings),
    logProgress,
  })
  await exactLimits(sharedSettings)
  await revocations(sharedSettings)
}

const CONNECTIONS = 25
const PER_CONNECTION = 80

/** Twenty keys, each used far beyond its budget from 25 connections to each of three processes. */
async function exactLimits(sharedSettings: Settings): Promise<void> {
  logProgress('limits through three processes')
  const settings = { ...sharedSettings, RATE_LIMIT_SCALE: '1' }
  const servers = await Promise.all(['a', 'b', 'c'].map((name) => startServer(join(folder, name), settings)))
  const keys: { key: string; budget: number; allowed: number; refused: number }[] = []
  for (let i = 0; i < 20; i++) {
    const [plan, budget] = i % 2 ? (['premium', 60] as const) : (['standard', 10] as const)
    keys.push({ key: await newKey(servers[0]!, `limits-${i}@example.com`, plan), budget, allowed: 0, refused: 0 })
  }
  const began = performance.now()
  await Promise.all(
    servers.flatMap((server) =>
      Array.from({ length: CONNECTIONS }, async (_, connection) => {
        const client = createClient(server.origin, {})
        for (let i = 0; i < PER_CONNECTION; i++) {
          const key = keys[(i + connection) % keys.length]!
          const { status } = await client.send('/api/v1/tools?limit=1', {
            headers: { authorization: `Bearer ${key.key}` },
          })
          if (status === 200) key.allowed++
          else if (status === 429) key.refused++
          else throw new Error(`limits: ${status}`)
        }
        client.close()
      }),
    ),
  )
  const seconds = (performance.now() - began) / 1000
  for (const server of servers) await server.end()
  const wrong = keys.filter(({ allowed, budget }) => allowed !== budget)
  section(
    `Limits: three processes, ${CONNECTIONS} connections each, ${keys.length} keys, ${seconds.toFixed(1)} s (one window)`,
  )
  information('Calls', `${keys.reduce((sum, key) => sum + key.allowed + key.refused, 0)}`)
  information('  allowed', `${keys.reduce((sum, key) => sum + key.allowed, 0)}`)
  row('Keys with more or fewer calls than their budget', String(wrong.length), '0', wrong.length === 0)
  row('  within one window', `${seconds.toFixed(1)} s`, '< 60 s', seconds < 60)
}

/** Each key is used on one process, revoked through the other, and used again a second later. */
async function revocations(sharedSettings: Settings): Promise<void> {
  logProgress(`${REVOCATIONS} revocations`)
  const [a, b] = await Promise.all(['a', 'b'].map((name) => startServer(join(folder, name), sharedSettings)))
  const client = createClient(b!.origin, {})
  let [before, after, unrevoked] = [0, 0, 0]
  const lateMs: number[] = []
  const status = async (key: string) =>
    (await client.send('/api/v1/categories', { headers: { authorization: `Bearer ${key}` } })).status
  const pending: Promise<void>[] = []
  for (let i = 0; i < REVOCATIONS; i++) {
    const { id, key } = await call(a!, 'POST', '/api/admin/keys', {
      email: `revoked-${i}@example.com`,
      plan: 'premium',
    })
    if ((await status(key)) === 200) before++
    await call(a!, 'DELETE', `/api/admin/keys/${id}`)
    const began = performance.now()
    if ((await status(key)) !== 401) unrevoked++
    pending.push(
      sleep(1_000).then(async () => {
        if ((await status(key)) === 401) after++
        else lateMs.push(performance.now() - began)
      }),
    )
  }
  await Promise.all(pending)
  client.close()
  for (const server of [a!, b!]) await server.end()
  section(`${REVOCATIONS} revocations on one process, checked on the other`)
  information('Worked before', `${before}`)
  row('401 a second later', `${after} of ${REVOCATIONS}`, 'all', after === REVOCATIONS && before === REVOCATIONS)
  information('Still valid right after revoking', `${unrevoked}`)
}

await runBench(main)
