// The service as the campaign runs it, and how it is killed: one process on the embedded database, or two servers on one port and a worker
// on PostgreSQL.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openEmbedded } from '../../src/platform/database/embedded.ts'
import { type ServiceProcess, START_LIMIT_MS, spawnService, until } from '../harness/process.ts'
import { createDatabase, freePort } from '../harness/service.ts'
import { POINTS, type Point } from './points.ts'

export interface Installation {
  name: string
  origin: string
  /** Kills a process and starts it again; returns what was done. */
  kill(): Promise<string>
  /** Runs SQL directly on the database. */
  sql(statement: string): Promise<any[]>
  /** Every error that was logged since the last call. */
  errors(): string[]
  remove(): Promise<void>
}

const HOOK = new URL('./points.ts', import.meta.url).href
const SETTINGS = {
  NODE_OPTIONS: `--import=${HOOK}`,
  KEY_PEPPER: 'a pepper that all processes share, long enough',
  OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
  RATE_LIMIT_SCALE: '1000000',
  SIGN_UPS_PER_DAY: '100000',
  ENRICHMENT_RETRY_SECONDS: '1',
  LOG_LEVEL: 'warn',
}

const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!
const silent = { request() {}, info() {}, warn() {}, error() {} }

/** Sends the signal that arms the crash point; kills the process anyway when it does not reach the point. */
async function killAt(pid: number, ended: () => boolean): Promise<boolean> {
  process.kill(pid, 'SIGUSR2')
  const end = Date.now() + 3_000
  while (Date.now() < end) {
    if (ended()) return true
    await sleep(5)
  }
  if (!ended()) process.kill(pid, 'SIGKILL')
  return false
}

function createErrors(): { from(service: ServiceProcess): void; take(): string[] } {
  const services: { service: ServiceProcess; read: number }[] = []
  return {
    from: (service) => void services.push({ service, read: 0 }),
    take() {
      return services.flatMap((one) => {
        const text = one.service.output().slice(one.read)
        one.read += text.length
        return text.split('\n').filter((line) => /"level":"error"/.test(line))
      })
    },
  }
}

export async function embedded(withPower: boolean): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-crash-'))
  const flag = join(folder, 'power')
  const port = String(await freePort())
  const errors = createErrors()
  let service: ServiceProcess
  const begin = async (point: Point) => {
    const power: Record<string, string> = withPower ? { CRASH_POWER_FLAG: flag } : {}
    service = await spawnService({
      ...SETTINGS,
      ...power,
      DATA_DIR: join(folder, 'data'),
      PORT: port,
      CRASH_POINT: point,
    })
    errors.from(service)
  }
  await begin(any(POINTS))
  await service!.ready()

  const ways: Record<string, () => Promise<string>> = {
    async 'at random'() {
      await service.kill('SIGKILL')
      return 'at random'
    },
    async 'while starting'() {
      await service.kill('SIGKILL')
      await begin(any(POINTS))
      await sleep(Math.random() * 2_500)
      await service.kill('SIGKILL')
      return 'while starting'
    },
    async 'at a point'() {
      const point = service.point as Point
      const ended = { now: false }
      void service.ended.then(() => (ended.now = true))
      const reached = await killAt(service.child.pid!, () => ended.now)
      await service.ended
      return reached ? point : 'at random'
    },
    async 'power cut'() {
      const how = any(['all', 'some'])
      writeFileSync(flag, how)
      const ended = { now: false }
      void service.ended.then(() => (ended.now = true))
      const end = Date.now() + 5_000
      while (!ended.now && Date.now() < end) await sleep(5)
      const reached = ended.now
      if (!reached) await service.kill('SIGKILL')
      rmSync(flag, { force: true })
      return reached
        ? `power cut, ${how === 'all' ? 'everything' : 'some of what was'} not synced is lost`
        : 'at random'
    },
  }
  const chosen = withPower ? ['power cut'] : ['at random', 'at a point', 'at a point', 'at a point', 'while starting']
  return {
    name: 'embedded',
    origin: service!.origin,
    async kill() {
      const how = await ways[any(chosen)]!()
      await begin(any(POINTS))
      await service.ready()
      return how
    },
    async sql(statement) {
      await service.kill('SIGTERM')
      const store = await openEmbedded(join(folder, 'data'), silent)
      const { rows } = await store.query(statement)
      await store.close()
      await begin(any(POINTS))
      await service.ready()
      return rows as any[]
    },
    errors: errors.take,
    async remove() {
      await service.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const childrenOf = ({ child }: ServiceProcess): number[] =>
  readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const COMMITS = POINTS.filter((point) => point.includes('commit'))
const CLAIMS = POINTS.filter((point) => point.includes('claiming'))

export async function onPostgres(url: string): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-crash-'))
  const database = await createDatabase(url)
  const port = String(await freePort())
  const errors = createErrors()
  const settings = { ...SETTINGS, DATABASE_URL: database.url, DATA_DIR: folder, PORT: port, LOG_LEVEL: 'info' }
  let servers: ServiceProcess
  let worker: ServiceProcess
  const readyLines = (service: ServiceProcess) => (service.output().match(/"msg":"ready"/g) ?? []).length

  async function beginServers(): Promise<void> {
    servers = await spawnService({ ...settings, WEB_CONCURRENCY: '2', CRASH_POINT: any(COMMITS) }, [
      'serve',
      '--no-worker',
    ])
    errors.from(servers)
    await servers.ready()
    await until(() => readyLines(servers) >= 2, START_LIMIT_MS)
  }
  async function beginWorker(): Promise<void> {
    worker = await spawnService({ ...settings, CRASH_POINT: any(CLAIMS) }, ['worker'])
    errors.from(worker)
    await until(() => worker.output().includes('"working"'), START_LIMIT_MS)
  }
  async function endServers(): Promise<void> {
    const pids = childrenOf(servers)
    servers.child.kill('SIGKILL')
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    await servers.ended
    await until(() => !pids.some(isAlive), 10_000)
  }
  await beginServers()
  await beginWorker()

  const ways: Record<string, () => Promise<string>> = {
    async 'one server at random'() {
      const before = readyLines(servers)
      process.kill(any(childrenOf(servers)), 'SIGKILL')
      await until(() => readyLines(servers) > before, START_LIMIT_MS)
      return 'at random'
    },
    async 'one server at a point'() {
      const before = readyLines(servers)
      const pid = any(childrenOf(servers))
      const reached = await killAt(pid, () => !isAlive(pid))
      await until(() => readyLines(servers) > before, START_LIMIT_MS)
      return reached ? servers.point! : 'at random'
    },
    async 'all servers'() {
      await endServers()
      await beginServers()
      return 'at random'
    },
    async worker() {
      await worker.kill('SIGKILL')
      await beginWorker()
      return 'at random'
    },
    async 'worker at a point'() {
      const ended = { now: false }
      void worker.ended.then(() => (ended.now = true))
      const reached = await killAt(worker.child.pid!, () => ended.now)
      await worker.ended
      const { point } = worker
      await beginWorker()
      return reached ? point! : 'at random'
    },
    async everything() {
      worker.child.kill('SIGKILL')
      await endServers()
      await worker.ended
      await Promise.all([beginServers(), beginWorker()])
      return 'at random'
    },
  }
  const chosen = [
    ...['one server at random', 'one server at a point', 'one server at a point', 'all servers'],
    ...['worker', 'worker at a point', 'worker at a point', 'everything'],
  ]
  return {
    name: 'PostgreSQL',
    origin: servers!.origin,
    kill: () => ways[any(chosen)]!(),
    async sql(statement) {
      const client = new pg.Client(database.url)
      await client.connect()
      const { rows } = await client.query(statement)
      await client.end()
      // Restarts the servers, so that they read what was changed in the database.
      await endServers()
      await beginServers()
      return rows
    },
    errors: errors.take,
    async remove() {
      await worker.kill('SIGKILL')
      await endServers()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
