// Starts and ends every process of a run. All files are in one folder that is removed when the run ends, even after a failure.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** BENCH_MAIN: `src/catalog.mjs` of another checkout, to compare with. */
const MAIN = process.env.BENCH_MAIN ?? new URL('../src/catalog.mjs', import.meta.url).pathname
const BARE = new URL('./bare.ts', import.meta.url).pathname
const PROBE = new URL('./probe.ts', import.meta.url).href
const POSTGRES_VERSIONS = '/usr/lib/postgresql'
export const ADMIN_TOKEN = 'bench-operator-token'

export const folder = mkdtempSync(join(tmpdir(), 'catalog-bench-'))
const children = new Set<ChildProcess>()

// An exit handler cannot wait, so it kills what still runs.
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    void endAll().finally(() => process.exit(1))
  })

/** Asks every process to end and waits for it. For PostgreSQL, SIGINT means a fast and clean shutdown. */
export async function endAll(): Promise<void> {
  await Promise.all([...children].map(end))
}

export interface RunningProcess {
  pid: number
  origin: string
  /** Sends a request to the probe inside the process; see probe.ts. */
  ask<T = unknown>(request: object): Promise<T>
  /** Ends the process and returns its exit code; null when it had to be killed. */
  end(): Promise<number | null>
}

export interface Server extends RunningProcess {
  readySeconds: number
  /** Seconds of processor time until it was ready; other work on the machine hardly changes it. */
  readyProcessor: number
}

/** Rate limits are so high that they never refuse a request. */
const settingsOf = (dataDir: string, more: Record<string, string>) => ({
  DATA_DIR: dataDir,
  ADMIN_TOKEN,
  SEED: 'none',
  // The websites of made-up listings do not exist, and nothing is asked over the network.
  HEALTH_CHECKS: 'off',
  RATE_LIMIT_SCALE: '1e6',
  LOG_LEVEL: 'info',
  LOG_FORMAT: 'json',
  ...more,
})

/** The real service, on the embedded database unless `more` names another. Its log is discarded. `main` may be that of another checkout. */
export async function startServer(
  dataDir: string,
  more: Record<string, string> = {},
  flags: string[] = [],
  main = MAIN,
): Promise<Server> {
  const port = more.PORT ?? String(await freePort())
  const origin = `http://127.0.0.1:${port}`
  const settings = settingsOf(dataDir, { PORT: port, PUBLIC_URL: origin, ...more })
  const startedAt = performance.now()
  const child = start(['--import', PROBE, main, 'serve', ...flags], settings)
  await waitUntilReady(child, `${origin}/readyz`, 120_000)
  return {
    ...runningProcess(child, origin),
    readySeconds: (performance.now() - startedAt) / 1000,
    readyProcessor: processorTime(child.pid!),
  }
}

/** `catalog worker`, which has no address; only its work shows that it runs. */
export function startWorker(dataDir: string, more: Record<string, string>): RunningProcess {
  return runningProcess(start(['--import', PROBE, MAIN, 'worker'], settingsOf(dataDir, more)), '')
}

/** A new Redis that stores nothing on disk, or null when Redis is not installed. */
export async function startRedis(): Promise<{ url: string; end(): Promise<unknown> } | null> {
  const port = await freePort()
  const redisArguments = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
  const child = spawn('redis-server', redisArguments, { stdio: 'ignore' })
  const hasStarted = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true))
    child.once('error', () => resolve(false))
  })
  if (!hasStarted) return null
  children.add(child)
  child.once('exit', () => children.delete(child))
  return { url: `redis://127.0.0.1:${port}`, end: () => end(child) }
}

/** A bare Fastify route in a process of its own that answers `path` with the bytes of a file. */
export async function startBare(path: string, bytesFile: string): Promise<RunningProcess> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const child = start(['--import', PROBE, BARE, String(port), path, bytesFile], {})
  await waitUntilReady(child, origin + path, 20_000)
  return runningProcess(child, origin)
}

/** A new PostgreSQL in the folder of this run, or null when PostgreSQL is not installed. */
export async function startPostgres(): Promise<{
  url: string
  pid: number
  version: string
  end(): Promise<unknown>
} | null> {
  const binaries = postgresBinaries()
  if (!binaries) return null
  const data = join(folder, 'postgres')
  mkdirSync(data, { mode: 0o700 })
  // PostgreSQL refuses to run as root.
  const identity: Identity | null = process.getuid?.() === 0 ? postgresUser() : {}
  if (identity === null) return null
  if (identity.uid !== undefined && identity.gid !== undefined) {
    chmodSync(folder, 0o711)
    chownSync(data, identity.uid, identity.gid)
  }
  const port = await freePort()
  execFileSync(join(binaries, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync'], {
    ...identity,
    cwd: '/',
    stdio: 'ignore',
  })
  const postgresSettings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    // Up to twenty servers at once.
    max_connections: 300,
    shared_buffers: '512MB',
    work_mem: '64MB',
  }
  const options = Object.entries(postgresSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(binaries, 'postgres'), ['-D', data, ...options], { ...identity, cwd: '/', stdio: 'ignore' })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pid: child.pid!,
    version: execFileSync(join(binaries, 'postgres'), ['--version']).toString().trim(),
    end: () => end(child),
  }
}

/** Resident memory in MB. */
export const residentMemory = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** Seconds of processor time that a process has used, all its threads together. */
export function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}
// Clock ticks a second in /proc; the same on every Linux that Node runs on.
const TICKS = 100

function start(parameters: string[], settings: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, parameters, {
    // Not the project's folder, because a developer's .env there would change the settings.
    cwd: folder,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

function runningProcess(child: ChildProcess, origin: string): RunningProcess {
  return {
    pid: child.pid!,
    origin,
    ask: (request) =>
      new Promise((resolve, reject) => {
        // The service sends messages of its own, too.
        const onMessage = (message: unknown) => {
          if (typeof message !== 'object' || message === null || !('probe' in message)) return
          child.off('message', onMessage)
          resolve(message.probe as never)
        }
        child.on('message', onMessage)
        child.send(request, (error) => error && reject(error))
      }),
    end: () => end(child),
  }
}

async function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended
  clearTimeout(timer)
  return child.exitCode
}

async function waitUntilReady(child: ChildProcess, url: string, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error(`A process ended while starting, with code ${child.exitCode}.`)
    const response = await fetch(url).catch(() => null)
    await response?.arrayBuffer()
    if (response?.status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`${url} did not answer 200 within ${timeoutMs / 1000} s.`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

function postgresBinaries(): string | null {
  const versions = existsSync(POSTGRES_VERSIONS)
    ? readdirSync(POSTGRES_VERSIONS).sort((a, b) => Number(b) - Number(a))
    : []
  const found = versions
    .map((version) => join(POSTGRES_VERSIONS, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')))
  return found ?? null
}

interface Identity {
  uid?: number
  gid?: number
}

function postgresUser(): Identity | null {
  try {
    const number = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { stdio: 'pipe' }).toString())
    return { uid: number('-u'), gid: number('-g') }
  } catch {
    return null
  }
}
