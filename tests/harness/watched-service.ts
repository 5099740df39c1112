// A service in its own process that reports the pauses and the processor time of its main thread, so that the test's own work does not count.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnService, until } from './process.ts'
import { ADMIN_TOKEN, createDatabase, freePort, type Reply, type RequestOptions } from './service.ts'
import { copyTemplate } from './template.ts'

const MONITOR = new URL('./loop-monitor.mjs', import.meta.url).href

export interface WatchedService {
  origin: string
  fetch(path: string, ask?: RequestOptions): Promise<Reply>
  admin(method: string, path: string, body?: unknown): Promise<Reply>
  /** The longest pause of the event loop since the last call, in milliseconds. */
  longestStop(): Promise<number>
  /** Waits until the main thread has nothing left to do; the processor time that it has used since the start, in milliseconds. */
  idle(): Promise<number>
  /** The same without waiting. */
  used(): Promise<number>
  /** Every pause of at least 20 ms since the start, longest first. */
  stops(): Promise<number[]>
  /** Ends the process and starts another with the same data, at the same address. `longestStop` then tells of the time from its first answer until it is ready. */
  restart(): Promise<void>
  close(): Promise<void>
}

export async function startWatched(environment: Record<string, string> = {}): Promise<WatchedService> {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'catalog-watched-'))
  const database = process.env.TEST_DATABASE_URL ? await createDatabase(process.env.TEST_DATABASE_URL) : null
  if (!database) await copyTemplate(DATA_DIR)
  const MONITOR_PORT = String(await freePort())
  const start = async (more: Record<string, string> = {}) => {
    const started = await spawnService({
      DATA_DIR,
      MONITOR_PORT,
      NODE_OPTIONS: `--import=${MONITOR}`,
      RATE_LIMIT_SCALE: '100000',
      ...(database ? { DATABASE_URL: database.url } : {}),
      ...environment,
      ...more,
    })
    // What is loaded before the first answer is a stop that no request meets.
    await until(() => fetch(`${started.origin}/readyz`).then(Boolean, () => false), 120_000)
    await longestStop()
    await started.ready()
    return started
  }
  const monitor = async (path: string) => (await fetch(`http://127.0.0.1:${MONITOR_PORT}${path}`)).text()
  const longestStop = async () => Number(await monitor('/'))
  let service = await start()
  const ask = async (
    path: string,
    { key = null, method = 'GET', headers = {}, body, type = 'application/json' }: RequestOptions = {},
  ): Promise<Reply> => {
    const response = await fetch(service.origin + path, {
      method,
      redirect: 'manual',
      headers: {
        ...headers,
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': type }),
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  }
  return {
    origin: service.origin,
    fetch: ask,
    admin: (method, path, body) => ask(`/api/admin${path}`, { method, key: ADMIN_TOKEN, body }),
    longestStop,
    idle: async () => Number(await monitor('/idle')),
    used: async () => Number(await monitor('/used')),
    stops: async () => (JSON.parse(await monitor('/stops')) as number[]).sort((a, b) => b - a),
    async restart() {
      await service.kill('SIGTERM')
      service = await start({ PORT: new URL(service.origin).port })
    },
    async close() {
      await service.kill('SIGTERM')
      await database?.drop()
      rmSync(DATA_DIR, { recursive: true, force: true })
    },
  }
}

function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
