// How long `catalog backup`, `restore` and `move` take on a large catalog, and whether the data is equal afterwards.
//   node bench/move.ts [--listings 100000]
// Everything runs on free ports and in one temporary folder that is removed afterwards. Needs PostgreSQL.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { listing, taxonomy } from './catalog.ts'
import { ADMIN_TOKEN, endAll, folder, residentMemory, startPostgres, startServer } from './processes.ts'
import { addRecords, type Checksum, exportSum, listSums } from './records.ts'

const { values } = parseArgs({ options: { listings: { type: 'string', default: '100000' } } })
const LISTINGS = Number(values.listings)
// The number of the first directory; see catalog.ts.
const DIRECTORY = 19
const MAIN = new URL('../src/main.ts', import.meta.url).pathname
const data = join(folder, 'data')
const backDir = join(folder, 'back')
const archive = join(folder, 'catalog.tar.gz')

interface CommandResult {
  seconds: number
  /** The highest resident memory of the process, in MB. */
  memory: number
  out: string
}

async function command(args: string[], settings: Record<string, string>): Promise<CommandResult> {
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

// Events go to an address of this machine. The sites of submissions do not exist; each is tried once, and the next try is a day later.
const settings = {
  OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  ENRICHMENT_RETRY_SECONDS: '90000',
  // Some answers contain this address, so it must be the same for all servers.
  PUBLIC_URL: 'https://catalog.example.com',
}

/** Checksums of what a service with these settings shows: its export, and every list of the operator API. */
async function checksumsOf(dataDir: string, more: Record<string, string> = {}): Promise<Record<string, Checksum>> {
  const server = await startServer(dataDir, { ...settings, ...more })
  const sums = { export: await exportSum(server), ...(await listSums(server)) }
  await server.end()
  return sums
}

async function fill(): Promise<void> {
  const file = join(folder, 'listings.ndjson')
  const lines = createWriteStream(file)
  const write = async (entry: object) => lines.write(`${JSON.stringify(entry)}\n`) || (await once(lines, 'drain'))
  for (const entry of taxonomy()) await write(entry)
  for (let i = 0; i < LISTINGS; i++) await write(listing(i))
  lines.end()
  await once(lines, 'close')
  const server = await startServer(data, settings)
  await command(['import', file], { CATALOG_URL: server.origin, DATA_DIR: data })
  console.error('… adding keys, submissions, conversations and events')
  await addRecords(server, listing(DIRECTORY).slug)
  await server.end()
}

const row = (what: string, { seconds, memory }: CommandResult, more = '') =>
  console.log(
    `${what.padEnd(34)} ${seconds.toFixed(1).padStart(7)} s  ${Math.round(memory).toString().padStart(5)} MB at most  ${more}`,
  )

try {
  mkdirSync(data, { mode: 0o700 })
  console.error(`… importing ${LISTINGS} listings`)
  await fill()
  const before = await checksumsOf(data)
  for (const [what, { lines, sum }] of Object.entries(before)) console.log(`${what}: ${lines} lines, checksum ${sum}`)
  const backedUp = await command(['backup', archive], { DATA_DIR: data })
  row('backup', backedUp, `${(statSync(archive).size / 1e6).toFixed(0)} MB`)
  const restored = join(folder, 'restored')
  row('restore', await command(['restore', archive], { DATA_DIR: restored }))
  const postgres = await startPostgres()
  if (!postgres) throw new Error('PostgreSQL is not installed.')
  const movedToPostgres = await command(['move', '--to', postgres.url, '--json'], { DATA_DIR: data })
  row('move to PostgreSQL', movedToPostgres, `${JSON.parse(movedToPostgres.out).rows} rows`)
  const movedBack = await command(['move', '--to', backDir, '--json'], { DATA_DIR: data, DATABASE_URL: postgres.url })
  row('move back to an embedded database', movedBack, `${JSON.parse(movedBack.out).rows} rows`)
  const after = {
    restored: await checksumsOf(restored),
    'in PostgreSQL': await checksumsOf(data, { DATABASE_URL: postgres.url }),
    back: await checksumsOf(backDir),
  }
  for (const [where, now] of Object.entries(after)) {
    const different = Object.keys(before).filter((what) => JSON.stringify(now[what]) !== JSON.stringify(before[what]))
    console.log(`${where}: ${different.length === 0 ? 'equal, byte for byte' : `DIFFERENT in ${different.join(', ')}`}`)
    if (different.length > 0) process.exitCode = 1
  }
} finally {
  await endAll()
}
process.exit()
