// How long `catalog backup`, `restore` and `move` take on a large catalog, and whether it is the same afterwards.
//   node bench/move.ts [--listings 100000]
// Everything runs on free ports and in one temporary folder that is gone afterwards. Needs PostgreSQL.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { listing, taxonomy } from './catalog.ts'
import { ADMIN_TOKEN, endAll, folder, residentMemory, startPostgres, startServer } from './processes.ts'

const { values } = parseArgs({ options: { listings: { type: 'string', default: '100000' } } })
const LISTINGS = Number(values.listings)
const MAIN = new URL('../src/main.ts', import.meta.url).pathname
const data = join(folder, 'data')
const back = join(folder, 'back')
const archive = join(folder, 'catalog.tar.gz')

interface Ran {
  seconds: number
  /** The most memory that it had at any time, in MB. */
  memory: number
  out: string
}

async function command(args: string[], settings: Record<string, string>): Promise<Ran> {
  const begun = performance.now()
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ADMIN_TOKEN, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  let memory = 0
  child.stdout!.on('data', (chunk) => (out += chunk))
  const timer = setInterval(() => {
    memory = Math.max(memory, child.exitCode === null ? residentMemory(child.pid!) : 0)
  }, 50)
  const [status] = (await once(child, 'close')) as [number]
  clearInterval(timer)
  if (status !== 0) throw new Error(`catalog ${args.join(' ')} ended with ${status}: ${out}`)
  return { seconds: (performance.now() - begun) / 1000, memory, out }
}

/** What a service on these settings exports. */
async function exported(
  dataDir: string,
  settings: Record<string, string> = {},
): Promise<{ sum: string; lines: number }> {
  const server = await startServer(dataDir, settings)
  const response = await fetch(`${server.origin}/api/admin/export`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  const hash = createHash('sha256')
  let lines = 0
  for await (const chunk of response.body!) {
    hash.update(chunk)
    for (const byte of chunk) if (byte === 10) lines++
  }
  await server.end()
  return { sum: hash.digest('hex').slice(0, 16), lines }
}

async function fill(): Promise<void> {
  const file = join(folder, 'listings.ndjson')
  const lines = createWriteStream(file)
  const write = async (entry: object) => lines.write(`${JSON.stringify(entry)}\n`) || (await once(lines, 'drain'))
  for (const entry of taxonomy()) await write(entry)
  for (let i = 0; i < LISTINGS; i++) await write(listing(i))
  lines.end()
  await once(lines, 'close')
  const server = await startServer(data)
  await command(['import', file], { CATALOG_URL: server.origin, DATA_DIR: data })
  await server.end()
}

const row = (what: string, { seconds, memory }: Ran, more = '') =>
  console.log(
    `${what.padEnd(34)} ${seconds.toFixed(1).padStart(7)} s  ${Math.round(memory).toString().padStart(5)} MB at most  ${more}`,
  )

try {
  mkdirSync(data, { mode: 0o700 })
  console.error(`… importing ${LISTINGS} listings`)
  await fill()
  const before = await exported(data)
  console.log(`${before.lines} lines of export, checksum ${before.sum}`)
  const made = await command(['backup', archive], { DATA_DIR: data })
  row('backup', made, `${(statSync(archive).size / 1e6).toFixed(0)} MB`)
  const restored = join(folder, 'restored')
  row('restore', await command(['restore', archive], { DATA_DIR: restored }))
  const postgres = await startPostgres()
  if (!postgres) throw new Error('PostgreSQL is not installed.')
  const there = await command(['move', '--to', postgres.url, '--json'], { DATA_DIR: data })
  row('move to PostgreSQL', there, `${JSON.parse(there.out).rows} rows`)
  const here = await command(['move', '--to', back, '--json'], { DATA_DIR: data, DATABASE_URL: postgres.url })
  row('move back to an embedded database', here, `${JSON.parse(here.out).rows} rows`)
  const after = {
    restored: await exported(restored),
    'in PostgreSQL': await exported(data, { DATABASE_URL: postgres.url }),
    back: await exported(back),
  }
  for (const [where, { sum, lines }] of Object.entries(after)) {
    const same = sum === before.sum && lines === before.lines
    console.log(`export ${where}: ${same ? 'equal, byte for byte' : `DIFFERS (${lines} lines, ${sum})`}`)
    if (!same) process.exitCode = 1
  }
} finally {
  await endAll()
}
process.exit()
