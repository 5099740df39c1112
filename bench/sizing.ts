// How large a machine must be: memory, disk, start and processor time by the size of the catalog, on both databases.
//   node bench/sizing.ts [--sizes 1000,10000,100000] [--seconds 30] [--rate 100]
// Everything runs on free ports and in one temporary folder that is removed afterwards. Without PostgreSQL and Redis their rows are left out.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { call, fillCatalog, newKey, someToolSlugs } from './operator.ts'
import { endAll, folder, processorTime, residentMemory, startPostgres, startRedis, startServer } from './processes.ts'
import { send } from './traffic.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    seconds: { type: 'string', default: '30' },
    rate: { type: 'string', default: '100' },
  },
})
const RATE = Number(values.rate)
const WARM_SECONDS = 5

type Settings = Record<string, string>

async function measure(name: string, count: number, settings: Settings, disk: (dataDir: string) => Promise<number>) {
  console.error(`… ${count} listings, ${name}`)
  const dataDir = join(folder, 'data')
  const all = { TRUST_PROXY: '127.0.0.1', PUBLIC_URL: 'https://catalog.example', ...settings }
  await fillCatalog(dataDir, all, count)
  const server = await startServer(dataDir, all)
  const ready = residentMemory(server.pid)
  const key = await newKey(server)
  const partner = (await call(server, 'POST', '/api/admin/partners', { name: 'Launch', support: 'hybrid' })).key
  const traffic = { pick: () => server.origin, key, partner, slugs: someToolSlugs(Math.min(count, 2_000)) }
  let running = true
  const sending = send(traffic, RATE, () => running)
  await sleep(WARM_SECONDS * 1_000)
  const [began, used] = [performance.now(), processorTime(server.pid)]
  await sleep(Number(values.seconds) * 1_000)
  const elapsed = (performance.now() - began) / 1000
  const processor = processorTime(server.pid) - used
  running = false
  const { failures } = await sending
  if (failures.length > 0) throw new Error(`${failures.length} requests failed: ${failures[0]}`)
  const columns = [
    name,
    String(count),
    `${server.readySeconds.toFixed(1)} s`,
    `${Math.round(ready)} MB`,
    `${Math.round(residentMemory(server.pid))} MB`,
    `${Math.round(await disk(dataDir))} MB`,
    `${((processor / elapsed / RATE) * 1000).toFixed(2)} ms`,
    `${Math.round((processor / elapsed) * 100)} %`,
  ]
  await server.end()
  rmSync(dataDir, { recursive: true, force: true })
  return `| ${columns.join(' | ')} |`
}

const folderSize = async (dataDir: string) => Number(execFileSync('du', ['-sm', dataDir]).toString().split('\t')[0])

async function main(): Promise<void> {
  const sizes = values.sizes.split(',').map(Number)
  console.log(
    `| Database | Listings | Ready after | Memory when ready | Memory under load | Disk | Processor time a request | Busy at ${RATE} a second |`,
  )
  console.log('|---|---|---|---|---|---|---|---|')
  for (const count of sizes) console.log(await measure('embedded', count, {}, folderSize))
  const [postgres, redis] = [await startPostgres(), await startRedis()]
  for (const count of postgres && redis ? sizes : []) {
    const { url, drop, size } = await newDatabase(postgres!.url, `sizing_${count}`)
    console.log(await measure('PostgreSQL', count, { DATABASE_URL: url, REDIS_URL: redis!.url }, size))
    await drop()
  }
}

/** Retries, because a server that was just started does not accept connections yet. */
async function connectWithRetries(server: string): Promise<pg.Client> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client(server)
    try {
      await client.connect()
      return client
    } catch (error) {
      if (attempt === 50) throw error
      await sleep(200)
    }
  }
}

async function newDatabase(server: string, name: string) {
  const query = async (statement: string) => {
    const client = await connectWithRetries(server)
    const { rows } = await client.query(statement)
    await client.end()
    return rows
  }
  await query(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    drop: () => query(`drop database ${name} with (force)`),
    size: async () => Number((await query(`select pg_database_size('${name}') / 1000000 as mb`))[0].mb),
  }
}

try {
  await main()
} finally {
  await endAll()
}
process.exit()
