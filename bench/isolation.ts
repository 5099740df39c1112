// node bench/isolation.ts: how much one client slows down another. One client floods the service with the most expensive request of
// each route from one address with one key (and one partner key, one session) while another client reads; the limits are the real ones.
//   node bench/isolation.ts [--connections 8,32,128] [--seconds 4] [--listings 5000] [--only TEXT] [--postgres] [--markdown]
import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { toolsAmong } from './catalog.ts'
import type { Answers, Flood } from './flood.ts'
import { CASES, type FloodClient } from './isolation-cases.ts'
import { median } from './load.ts'
import { call, fillCatalog, newKey, someToolSlugs } from './operator.ts'
import {
  ADMIN_TOKEN,
  endAll,
  folder,
  processorTime,
  type Server,
  startBare,
  startPostgres,
  startServer,
} from './processes.ts'
import { HOT } from './queries.ts'

const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '8,32,128' },
    seconds: { type: 'string', default: '4' },
    listings: { type: 'string', default: '5000' },
    /** Runs only cases whose names contain this text. */
    only: { type: 'string', default: '' },
    postgres: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
  },
})
const CONNECTIONS = options.connections.split(',').map(Number)
const SECONDS = Number(options.seconds)
/** One client may make the median read of another at most this many times slower. */
const MOST_SLOWDOWN = 3

interface Reader {
  /** The duration of each read that starts before `stop`, in milliseconds. */
  during(stop: Promise<unknown>): Promise<number[]>
}

/** A read that takes longer is aborted and counts as this long. */
const READ_TIMEOUT_MS = 5_000

/**
 * Reads at a fixed rate, however slow the answers are, over its own connections from its own address. Each read uses the next key,
 * because the reads a minute of one key are limited.
 */
function createReader(
  origin: string,
  path: string,
  keys: readonly string[],
  perSecond: number,
  status: number,
): Reader {
  const agent = new Agent({ keepAlive: true, localAddress: '127.0.0.2', maxSockets: 512, scheduling: 'fifo' })
  let next = 0
  const read = () =>
    new Promise<number>((resolve, reject) => {
      const began = performance.now()
      const headers = { authorization: `Bearer ${keys[next++ % keys.length]}` }
      const sentRequest = request(origin + path, { agent, headers }, (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === status) resolve(performance.now() - began)
          else reject(new Error(`${path}: ${response.statusCode} where ${status} should be`))
        })
        response.on('error', reject)
      })
      const timeout = setTimeout(() => {
        resolve(READ_TIMEOUT_MS)
        sentRequest.destroy()
      }, READ_TIMEOUT_MS)
      sentRequest.on('error', reject).on('close', () => clearTimeout(timeout))
      sentRequest.end()
    })
  return {
    async during(stop) {
      let over = false
      void stop.then(() => (over = true))
      const times: Promise<number>[] = []
      for (let due = performance.now(); !over; due += 1000 / perSecond) {
        await sleep(Math.max(0, due - performance.now()))
        times.push(read())
      }
      return Promise.all(times)
    },
  }
}

interface Times {
  /** Reads of the catalog in memory. */
  catalog: number[]
  /** Reads that query the database. */
  database: number[]
}

async function main(): Promise<void> {
  const postgres = options.postgres ? await startPostgres() : null
  const databaseSettings: Record<string, string> = postgres ? { DATABASE_URL: postgres.url } : {}
  const dataDir = join(folder, 'data')
  await fillCatalog(dataDir, databaseSettings, Number(options.listings))
  const server = await startServer(dataDir, { ...databaseSettings, RATE_LIMIT_SCALE: '1' })
  const bare = await startBare('/healthz', PACKAGE)
  const fixtures = await createFixtures(server)
  // A real flood comes from other machines, so the flood and other work on this machine must not take processor time from the server.
  const hasPriority = raisePriority(server.pid) && raisePriority(process.pid)
  if (!hasPriority) console.error('… without the right to raise priorities: other work on this machine is measured too')
  const hot = `/api/v1/tools?${new URLSearchParams({ q: HOT, limit: '20' })}`
  const catalog = createReader(server.origin, hot, fixtures.keys, 50, 200)
  const database = createReader(server.origin, '/api/v1/ai-tools/status?slug=nothing', fixtures.partners, 10, 404)
  const measure = async (stop: Promise<unknown>): Promise<Times> => {
    const [catalogTimes, databaseTimes] = await Promise.all([catalog.during(stop), database.during(stop)])
    return { catalog: catalogTimes, database: databaseTimes }
  }
  // The first requests take longer and are not measured.
  await measure(sleep(3_000))
  const rows: FloodResult[] = []
  let serial = 0
  let before = await measure(sleep(IDLE_MS))
  for (const { name, toOtherServer } of CASES.filter((one) => one.name.includes(options.only)))
    for (const connections of CONNECTIONS) {
      const client = await newFloodClient(server, fixtures, ++serial)
      const from = `127.${1 + (serial >> 8)}.${serial & 255}.9`
      const origin = toOtherServer ? bare.origin : server.origin
      const flood = await startFlood({ origin, from, connections, name, client })
      // The time to connect is not measured.
      await sleep(300)
      const [began, processor] = [performance.now(), processorTime(server.pid)]
      const during = await measure(sleep(SECONDS * 1000))
      const seconds = (performance.now() - began) / 1000
      const busy = (processorTime(server.pid) - processor) / seconds
      const answers = await flood.stop()
      await sleep(200)
      const after = await measure(sleep(IDLE_MS))
      const row = {
        name,
        connections,
        quiet: medians({
          catalog: [...before.catalog, ...after.catalog],
          database: [...before.database, ...after.database],
        }),
        during: medians(during),
        busy,
        seconds: seconds + 0.3,
        answers,
      }
      before = after
      rows.push(row)
      console.error(resultLine(row))
    }
  print(rows)
  const slow = rows.filter(
    (row) => factorOf(row, 'catalog') > MOST_SLOWDOWN || factorOf(row, 'database') > MOST_SLOWDOWN,
  )
  console.log(`\n${rows.length - slow.length} of ${rows.length} within ${MOST_SLOWDOWN} times.`)
  process.exitCode = slow.length > 0 ? 1 : 0
}

/** Raises the priority of all threads of a process; false when this process may not do that. */
function raisePriority(pid: number): boolean {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), -15)
    return true
  } catch {
    return false
  }
}

const PACKAGE = new URL('../package.json', import.meta.url).pathname
/** The duration of the measurement before and after each flood. */
const IDLE_MS = 1_000

type Medians = Record<keyof Times, number>
const medians = ({ catalog, database }: Times): Medians => ({ catalog: median(catalog), database: median(database) })

interface Fixtures {
  keys: string[]
  partners: string[]
  cookie: string
  picture: string
  script: string
}

/** Creates what the readers and the flood need: keys for 50 reads a second, partners for ten, a signed-in user, a picture. */
async function createFixtures(server: Server): Promise<Fixtures> {
  const keys: string[] = []
  for (let i = 0; i < 60; i++) keys.push(await newKey(server, `reader${i}@example.com`))
  const partners: string[] = []
  for (let i = 0; i < 14; i++)
    partners.push((await call(server, 'POST', '/api/admin/partners', { name: `Reader ${i}` })).key)
  const signedUp = await fetch(`${server.origin}/sign-up`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: server.origin, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ email: 'caller@example.com', password: 'correct horse battery' }),
  })
  const cookie = signedUp.headers.getSetCookie()[0]?.split(';')[0]
  if (!cookie) throw new Error(`signing up: ${signedUp.status}`)
  const noise = {
    width: 1600,
    height: 1200,
    channels: 3 as const,
    background: '#888',
    noise: { type: 'gaussian' as const, mean: 128, sigma: 40 },
  }
  const png = await sharp({ create: noise }).png().toBuffer()
  const uploaded = await fetch(`${server.origin}/api/admin/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'image/png' },
    body: new Uint8Array(png),
  })
  const { data } = (await uploaded.json()) as { data: { url: string } }
  const script = /src="(\/assets\/[^"]+)"/.exec(await (await fetch(server.origin)).text())![1]!
  return { keys, partners, cookie, picture: new URL(data.url).pathname, script }
}

/** A new client with unused budgets. */
async function newFloodClient(
  server: Server,
  { cookie, picture, script }: Fixtures,
  serial: number,
): Promise<FloodClient> {
  const key = await newKey(server, `flood${serial}@example.com`)
  const partner = (await call(server, 'POST', '/api/admin/partners', { name: `Flood ${serial}`, support: 'hybrid' }))
    .key
  const [slug] = someToolSlugs(1)
  const directory = (await call(server, 'GET', '/api/admin/directories?limit=1'))[0].slug
  return { host: new URL(server.origin).host, key, partner, cookie, picture, script, slug: slug!, directory }
}

async function startFlood(flood: Flood): Promise<{ stop(): Promise<Answers> }> {
  const child: ChildProcess = fork(new URL('./flood.ts', import.meta.url))
  // The child process would inherit our raised priority.
  setPriority(child.pid!, 5)
  const nextMessage = <T>() => new Promise<T>((resolve) => child.once('message', resolve as (message: unknown) => void))
  child.send(flood)
  await nextMessage()
  return {
    async stop() {
      child.send('stop')
      const { answers } = await nextMessage<{ answers: Answers }>()
      child.disconnect()
      child.kill()
      return answers
    },
  }
}

interface FloodResult {
  name: string
  connections: number
  quiet: Medians
  during: Medians
  /** Processor time of the server per second, all its threads together. */
  busy: number
  /** How long the flood lasted. */
  seconds: number
  answers: Answers
}

const factorOf = ({ quiet, during }: FloodResult, kind: keyof Times): number => during[kind] / quiet[kind]

function resultLine(row: FloodResult): string {
  const total = Object.values(row.answers).reduce((sum, count) => sum + count, 0)
  const [usual = '—'] = Object.entries(row.answers)
    .sort(([, a], [, b]) => b - a)
    .map(([status]) => status)
  const times = (kind: keyof Times) =>
    `${row.quiet[kind].toFixed(1)} → ${row.during[kind].toFixed(1)} ms (${factorOf(row, kind).toFixed(1)}×)`
  const rate = `${Math.round(total / row.seconds)}/s ${usual}`
  const busy = `${Math.round(row.busy * 100)} %`
  return [row.name, row.connections, rate, busy, times('catalog'), times('database')].join(' | ')
}

const HEAD = ['Flood of', 'Connections', 'Answered', 'Server busy', 'Catalog read', 'Database read']

function print(rows: readonly FloodResult[]): void {
  if (options.markdown) {
    console.log(`| ${HEAD.join(' | ')} |\n|${'---|'.repeat(HEAD.length)}`)
    for (const row of rows) console.log(`| ${resultLine(row)} |`)
    return
  }
  const table = [
    ['Flood of', 'Connections', 'Answered', 'Catalog read', 'Database read'],
    ...rows.map((row) => resultLine(row).split(' | ')),
  ]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
}

try {
  if (toolsAmong(Number(options.listings)) === 0) throw new Error('--listings must be at least 1')
  await main()
} finally {
  await endAll()
}
process.exit()
