// A whole service for a test file: real HTTP on a free port, with the embedded database, or with PostgreSQL (and Redis) when
// TEST_DATABASE_URL (and TEST_REDIS_URL) are set.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createApp, type OutsideReplacements } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { makeFirstLink } from '../../src/features/accounts/sign-in.ts'
import type { OperatorAnswers } from '../../src/features.ts'
import type { Context, Log } from '../../src/kernel/context.ts'
import { announceDue } from '../../src/kernel/database/queries.ts'
import { ANY_WORK } from '../../src/kernel/work/due-work.ts'
import { operator } from '../../src/surfaces/http/requests/callers.ts'
import './remembered-hashes.ts'
import { copyTemplate, templateOn } from './template.ts'

export const ADMIN_TOKEN = 'test-operator-token'

export interface Reply<T = any> {
  status: number
  headers: Headers
  text: string
  body: T
}

/** The answer of the operation of the operator API with this name. A call that names no operation is not typed. */
export type AnswerOf<Name extends keyof OperatorAnswers> = [Name] extends [never]
  ? any
  : { success: boolean; data: OperatorAnswers[Name] }

export interface RequestOptions {
  key?: string | null
  method?: string
  headers?: Record<string, string>
  /** An object is sent as JSON, a string unchanged. */
  body?: unknown
  type?: string
}

export interface TestService {
  origin: string
  dataDir: string
  /** Every log line, as an object. */
  logged: Record<string, unknown>[]
  fetch(path: string, ask?: RequestOptions): Promise<Reply>
  /** Path relative to {base_url}; sends a premium key unless another key is given. */
  rest(path: string, ask?: RequestOptions): Promise<Reply>
  /** Path relative to the operator API; `body` is sent as JSON. `admin<'get_user'>(…)` types the answer. */
  admin<Name extends keyof OperatorAnswers = never>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Reply<AnswerOf<Name>>>
  /** One tools/call. `envelope` is the `structuredContent`, `result` the whole result. */
  tool(
    name: string,
    input?: Record<string, unknown>,
    key?: string,
  ): Promise<{ isError: boolean; text: string; envelope: any; result: any; status: number; headers: Headers }>
  newKey(plan?: 'standard' | 'premium', email?: string): Promise<{ id: string; key: string }>
  newPartner(options?: Record<string, unknown>): Promise<{ id: string; key: string }>
  /** Imports the lines and waits until readers see them. */
  load(lines: object[]): Promise<void>
  settled(): Promise<void>
  /** The link to create the first administrator, which a start prints while there is none. */
  firstLink(): Promise<string | null>
  /** The operator's context, for what a test cannot see from outside. */
  context(): Context
  /** Runs SQL directly on the database and returns the rows. */
  sql(statement: string): Promise<any[]>
  /** Lets background work look for what SQL has made due. */
  wake(): Promise<void>
  close(): Promise<void>
}

/** A service of a test begins empty, and asks a website only in a test of that. */
export const QUIET_SETTINGS = {
  ADMIN_TOKEN,
  SEED: 'none',
  LINK_CHECKS: 'off',
  HEALTH_CHECKS: 'off',
  MIRROR_PICTURES: 'off',
  SITE_PICTURES: 'off',
}

let serial = 0

/** Budgets are a thousand times larger than the real ones unless RATE_LIMIT_SCALE is given. */
export async function startService(
  environment: Record<string, string> = {},
  outside: OutsideReplacements = {},
): Promise<TestService> {
  const dataDir = environment.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'catalog-test-'))
  const port = Number(environment.PORT ?? (await freePort()))
  const origin = `http://127.0.0.1:${port}`
  const database =
    process.env.TEST_DATABASE_URL && !environment.DATABASE_URL
      ? await createDatabase(process.env.TEST_DATABASE_URL, await templateOn(process.env.TEST_DATABASE_URL))
      : null
  const redisUrl =
    process.env.TEST_REDIS_URL && !environment.REDIS_URL ? await cleanRedis(process.env.TEST_REDIS_URL) : undefined
  const config = readConfig({
    PORT: String(port),
    PUBLIC_URL: origin,
    DATA_DIR: dataDir,
    DATABASE_URL: database?.url,
    REDIS_URL: redisUrl,
    ...QUIET_SETTINGS,
    // No client is connected any more when a test is over.
    DRAIN_SECONDS: '0',
    RATE_LIMIT_SCALE: '1000',
    ...environment,
  })
  const logged: Record<string, unknown>[] = []
  const log = recordingLog(logged)
  if (!config.DATABASE_URL && !environment.DATA_DIR) await copyTemplate(dataDir)
  const app = await createApp(config, log, 'both', outside)
  await app.server.listen({ host: '127.0.0.1', port })
  await app.start()

  async function call(
    path: string,
    { key = null, method = 'GET', headers = {}, body, type = 'application/json' }: RequestOptions = {},
  ): Promise<Reply> {
    const sent: Record<string, string> = { ...headers }
    if (key) sent.authorization = `Bearer ${key}`
    if (body !== undefined) sent['content-type'] ??= type
    const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(origin + path, {
      method,
      headers: sent,
      body: payload as string | undefined,
      redirect: 'manual',
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  }
  const service: TestService = {
    origin,
    dataDir,
    logged,
    fetch: call,
    rest: async (path, ask = {}) =>
      call(`/api/v1${path}`, { ...ask, key: ask.key === undefined ? (await sharedKey()).key : ask.key }),
    admin: (method, path, body) => call(`/api/admin${path}`, { method, key: ADMIN_TOKEN, body }),
    async tool(name, input = {}, key) {
      const reply = await call('/mcp', {
        method: 'POST',
        key: key ?? (await sharedKey()).key,
        headers: { accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: ++serial, method: 'tools/call', params: { name, arguments: input } },
      })
      const result = reply.body?.result
      return {
        isError: result?.isError === true,
        text: result?.content?.[0]?.text,
        envelope: result?.structuredContent,
        result: reply.body,
        status: reply.status,
        headers: reply.headers,
      }
    },
    async newKey(plan = 'premium', email = `user${++serial}-${process.pid}@example.com`) {
      return must(await service.admin('POST', '/keys', { email, plan }), 201)
    },
    async newPartner(options = {}) {
      return must(await service.admin('POST', '/partners', { name: `Partner ${++serial}`, ...options }), 201)
    },
    async load(lines) {
      const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
      must(
        await call('/api/admin/import', { method: 'POST', key: ADMIN_TOKEN, type: 'application/x-ndjson', body }),
        200,
      )
      await service.settled()
    },
    // Changes are announced through the database; on PostgreSQL a process applies them a moment after the answer.
    async settled() {
      if (database) await new Promise((resolve) => setTimeout(resolve, 100))
      await app.settled()
    },
    firstLink: () => makeFirstLink(app.context(operator)),
    context: () => app.context(operator),
    async sql(statement) {
      return ((await app.context(operator).db.execute(statement)) as { rows?: any[] }).rows ?? []
    },
    async wake() {
      await announceDue(app.context(operator).db, ANY_WORK)
    },
    async close() {
      await app.close()
      await database?.drop()
      if (!environment.DATA_DIR) rmSync(dataDir, { recursive: true, force: true })
    },
  }
  let shared: Promise<{ id: string; key: string }> | undefined
  const sharedKey = () => (shared ??= service.newKey())
  return service
}

function must(reply: Reply, status: number) {
  if (reply.status !== status) throw new Error(`expected ${status}, got ${reply.status}: ${reply.text.slice(0, 500)}`)
  return reply.body.data
}

function parse(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function recordingLog(lines: Record<string, unknown>[]): Log {
  const at = (level: string) => (details: object, message: string) => {
    lines.push({ level, ...details, message })
  }
  return { request: (line) => at('info')(line, 'request'), info: at('info'), warn: at('warn'), error: at('error') }
}

// Ports below those that the system hands out, in a range of this process's own: a service binds its port seconds after the test chose it,
// and no other process may take it until then, nor one of another run of the tests. Listening on the first port of a range holds it.
const [FIRST_PORT, RANGES, PORTS_PER_RANGE] = [20_000, 60, 200]
let held: Promise<number> | undefined
let nextPort = 0

async function holdRange(): Promise<number> {
  const first = Math.floor(Math.random() * RANGES)
  for (let i = 0; i < RANGES; i++) {
    const port = FIRST_PORT + ((first + i) % RANGES) * PORTS_PER_RANGE
    const server = await listenOn(port)
    if (!server) continue
    server.unref()
    return port
  }
  throw new Error(`${RANGES} processes run tests on this machine: no range of ports is left.`)
}

export async function freePort(): Promise<number> {
  held ??= holdRange()
  const first = await held
  for (;;) {
    const port = first + 1 + (nextPort++ % (PORTS_PER_RANGE - 1))
    const server = await listenOn(port)
    if (server) return new Promise((resolve) => server.close(() => resolve(port)))
  }
}

function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

/** Creates a database on the test server, empty or a copy of another, and returns its URL and how to drop it. */
export async function createDatabase(
  url: string,
  template = 'template1',
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `catalog_test_${process.pid}_${++serial}_${Date.now()}`
  const run = async (statement: string) => {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  await run(`create database ${name} template ${template} strategy file_copy`)
  const own = new URL(url)
  own.pathname = `/${name}`
  return { url: own.href, drop: () => run(`drop database if exists ${name} with (force)`) }
}

// Test files run in parallel; each uses one of Redis's numbered databases for itself.
async function cleanRedis(url: string): Promise<string> {
  const own = new URL(url)
  own.pathname = `/${Number(process.env.VITEST_POOL_ID ?? 1) % 16}`
  const redis = new Redis(own.href)
  await redis.flushdb()
  redis.disconnect()
  return own.href
}
