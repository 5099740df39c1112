// Unit costs of reads, tool calls and writes on PostgreSQL and Redis; a simulation of 1, 2 and 4 servers from them, beside what was measured;
// and what that means for machines.
//   node bench/scaling.ts [--listings 5000] [--seconds 4] [--core 25] [--gigabyte 3]
// --core and --gigabyte are what a core and a gigabyte of memory cost a month. Needs PostgreSQL and Redis. Exit code 1 when the simulation is
// off by more than 20 %.
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import pg from 'pg'
import { call, fillCatalog, newKey } from './operator.ts'
import { endAll, folder, residentMemory, type Server, startPostgres, startRedis, startServer } from './processes.ts'
import { HOT_CALL, HOT_PATH, MCP_HEADERS, variedSearches } from './queries.ts'
import { simulate, type UnitCosts } from './simulation.ts'

const { values } = parseArgs({
  options: {
    listings: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '4' },
    core: { type: 'string', default: '25' },
    gigabyte: { type: 'string', default: '3' },
  },
})
const SECONDS = Number(values.seconds)
const CONNECTIONS = 16
const MOST_OFF = 0.2

interface Planned {
  path: string
  headers?: Record<string, string>
  body?: object
}
type Plan = (number: number) => Planned

interface Watched {
  redis: Redis
  database: pg.Client
}

interface Point {
  perSecond: number
  costs: UnitCosts
  /** For a request. */
  redisCommands: number
  transactions: number
  bytes: number
  cores: number
}

/** Processor time of the machine in seconds: what nobody used, since its start. */
function idleSeconds(): number {
  const [, , , idle = 0, waiting = 0] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]!
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (idle + waiting) / 100
}

async function readCounters(servers: readonly Server[], { redis, database }: Watched) {
  const microseconds = await Promise.all(servers.map((server) => server.ask<number>({ ask: 'processor' })))
  const info = await redis.info()
  const number = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0)
  const { rows } = await database.query('select sum(xact_commit) as count from pg_stat_database')
  const { user, system } = process.cpuUsage()
  return {
    servers: microseconds.reduce((sum, one) => sum + one, 0),
    client: user + system,
    redis: (number('used_cpu_user') + number('used_cpu_sys')) * 1e6,
    commands: number('total_commands_processed'),
    transactions: Number(rows[0].count),
    idle: idleSeconds(),
    postgres: postgresMicroseconds(),
  }
}

/** Processor time of every process of PostgreSQL, those that have ended included. */
function postgresMicroseconds(): number {
  if (postgresPid === 0) return 0
  const fields = (pid: string | number) =>
    readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').map(Number)
  const children = readFileSync(`/proc/${postgresPid}/task/${postgresPid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
  const ticks = [postgresPid, ...children].reduce<number>((sum, pid) => {
    try {
      const all = fields(pid)
      return sum + all[11]! + all[12]!
    } catch {
      return sum
    }
  }, 0)
  return (ticks / 100) * 1e6
}
let postgresPid = 0

async function measure(servers: readonly Server[], plan: Plan, watched: Watched, seconds = SECONDS): Promise<Point> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  await load(servers, plan, agent, 1)
  const before = await readCounters(servers, watched)
  const began = performance.now()
  const { answered, bytes } = await load(servers, plan, agent, seconds)
  const elapsed = (performance.now() - began) / 1000
  // PostgreSQL writes its statistics a moment after the transactions.
  await sleep(600)
  const after = await readCounters(servers, watched)
  agent.destroy()
  const each = (name: keyof typeof before) => (after[name] - before[name]) / answered
  const costs = { server: each('servers'), client: each('client'), redis: each('redis'), postgres: each('postgres') }
  const used = ((costs.server + costs.client + costs.redis + costs.postgres) * answered) / 1e6
  return {
    perSecond: answered / elapsed,
    costs,
    redisCommands: each('commands'),
    transactions: each('transactions'),
    bytes: bytes / answered,
    cores: (used + Math.max(0, after.idle - before.idle - 0.6 * CORES)) / elapsed,
  }
}
const CORES = readFileSync('/proc/stat', 'utf8').match(/^cpu\d+/gm)?.length ?? 1

let serial = 0
async function load(servers: readonly Server[], plan: Plan, agent: Agent, seconds: number) {
  const end = performance.now() + seconds * 1000
  const outcome = { answered: 0, bytes: 0 }
  const client = async (connection: number) => {
    const { origin } = servers[connection % servers.length]!
    while (performance.now() < end) {
      const bytes = await send(agent, origin, plan(serial++))
      outcome.bytes += bytes
      outcome.answered++
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => client(connection)))
  return outcome
}

const send = (agent: Agent, origin: string, { path, headers = {}, body }: Planned): Promise<number> =>
  new Promise((resolve, reject) => {
    const text = body && JSON.stringify(body)
    const sent = request(origin + path, {
      agent,
      method: text ? 'POST' : 'GET',
      headers: text ? { ...headers, 'content-type': 'application/json' } : headers,
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      let bytes = 0
      response.on('data', (piece: Buffer) => (bytes += piece.length))
      response.once('end', () =>
        response.statusCode! < 300 ? resolve(bytes) : reject(new Error(`${path}: ${response.statusCode}`)),
      )
    })
    sent.end(text)
  })

function plansFor(key: string, partner: string): Record<string, Plan> {
  const reader = { authorization: `Bearer ${key}` }
  const varied = variedSearches(7)
  return {
    'read, prepared': () => ({ path: HOT_PATH, headers: reader }),
    'read, each another': () => ({ path: `/api/v1/tools?${varied.next().value}`, headers: reader }),
    'tool call, prepared': () => ({ path: '/mcp', headers: { ...reader, ...MCP_HEADERS }, body: HOT_CALL }),
    'write (a submission)': (number) => ({
      path: '/api/v1/submit-ai-tool',
      headers: { authorization: `Bearer ${partner}` },
      body: {
        name: `Scaling ${number}`,
        website: `https://scaling-${process.pid}-${number}.invalid`,
        ...{ tagline: 'A tool', description: 'A tool that scales.', category: CATEGORY, pricing: 'FREE' },
        ...{ founderName: 'Ada', founderEmail: 'ada@example.com', tags: [], features: {}, faq: [] },
      },
    }),
  }
}
let CATEGORY = ''

const table = (titles: string[], rows: string[][]) =>
  console.log([titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n'), '\n')
const whole = (value: number) => Math.round(value).toLocaleString('en')

async function main(): Promise<boolean> {
  const [postgres, redisServer] = [await startPostgres(), await startRedis()]
  if (!postgres || !redisServer)
    throw new Error('This needs PostgreSQL and Redis: apt-get install postgresql redis-server')
  postgresPid = postgres.pid
  const settings = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redisServer.url,
    KEY_PEPPER: 'one pepper for every process of this run',
    PUBLIC_URL: 'https://catalog.example',
    LINK_CHECKS: 'off',
    HEALTH_CHECKS: 'off',
  }
  const dataDir = join(folder, 'data')
  const listings = Number(values.listings)
  const empty = await startServer(join(folder, 'small'), settings, ['--no-worker'])
  const smallMemory = (await empty.ask<{ heapUsed: number; external: number }>({ ask: 'live' })).heapUsed
  await empty.end()
  await fillCatalog(dataDir, settings, listings)
  const servers = [await startServer(dataDir, settings, ['--no-worker'])]
  const first = servers[0]!
  const memory = await first.ask<{ heapUsed: number; external: number; arrayBuffers: number }>({ ask: 'live' })
  const bytesEach = (memory.heapUsed + memory.external - smallMemory) / listings
  const watched = { redis: new Redis(redisServer.url), database: new pg.Client(postgres.url) }
  await watched.database.connect()
  CATEGORY = (await call(first, 'GET', '/api/admin/categories'))[0].slug
  const partner = (await call(first, 'POST', '/api/admin/partners', { name: 'Scaling' })).key
  const plans = plansFor(await newKey(first), partner)

  const points: Record<string, Point> = {}
  for (const [name, plan] of Object.entries(plans)) points[name] = await measure(servers, plan, watched)
  console.log(`Unit costs, one server, ${whole(listings)} listings, ${CONNECTIONS} connections:\n`)
  table(
    ['', 'server', 'Redis', 'PostgreSQL', 'Redis commands', 'transactions', 'answer'],
    Object.entries(points).map(([name, { costs, redisCommands, transactions, bytes }]) => [
      name,
      ...[costs.server, costs.redis, costs.postgres].map((one) => `${whole(one)} µs`),
      redisCommands.toFixed(2),
      transactions.toFixed(2),
      `${whole(bytes)} B`,
    ]),
  )
  console.log(`Memory a listing: ${whole(bytesEach)} B. Resident when ready: ${whole(residentMemory(first.pid))} MB.\n`)

  const read = plans['read, each another']!
  const rows: string[][] = []
  let fits = true
  let costs: UnitCosts | null = null
  for (const count of [1, 2, 4]) {
    while (servers.length < count)
      servers.push(await startServer(join(folder, `data-${servers.length}`), settings, ['--no-worker']))
    const point = await measure(servers, read, watched)
    costs ??= point.costs
    const predicted = simulate(costs, { cores: point.cores, servers: count, connections: CONNECTIONS })
    const off = predicted / point.perSecond - 1
    if (Math.abs(off) > MOST_OFF) fits = false
    rows.push([
      String(count),
      point.cores.toFixed(2),
      whole(point.perSecond),
      whole(predicted),
      `${(off * 100).toFixed(0)} %`,
    ])
  }
  console.log(
    'The simulation knows the unit costs of the first row and the cores that were free, and nothing else of the others:\n',
  )
  table(['servers', 'cores free', 'measured a second', 'simulated', 'off'], rows)
  capacity(points['read, each another']!, bytesEach, residentMemory(first.pid) * 1e6 - bytesEach * listings)
  watched.redis.disconnect()
  await watched.database.end()
  return fits
}

/** A server is planned at 60 % of a core, because waiting grows fast beyond that. */
const BUSY = 0.6
/** Simple commands a second that one Redis answers on one core. */
const REDIS_PER_SECOND = 100_000

function capacity({ costs, redisCommands }: Point, bytesEach: number, base: number): void {
  const rows = [1_000, 10_000, 100_000].flatMap((rate) =>
    [1e5, 1e6, 1e7].map((listings) => {
      const servers = Math.max(2, Math.ceil((rate * costs.server) / 1e6 / BUSY))
      const gigabytes = (servers * (base + listings * bytesEach)) / 1e9
      const money = servers * Number(values.core) + gigabytes * Number(values.gigabyte)
      const redis = (rate * redisCommands) / REDIS_PER_SECOND
      return [whole(rate), whole(listings), whole(servers), whole(gigabytes), redis.toFixed(1), whole(money)]
    }),
  )
  console.log(
    `Servers of one core at ${BUSY * 100} %, no cache in front; ${values.core} a core and ${values.gigabyte} a GB of memory a month:\n`,
  )
  table(['reads a second', 'listings', 'servers', 'memory, GB', 'Redis servers', 'money a month'], rows)
}

let isConfirmed = false
try {
  isConfirmed = await main()
} finally {
  await endAll()
}
process.exit(isConfirmed ? 0 : 1)
