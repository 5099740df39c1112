// Starts the service in this process: reads the settings, listens, loads the data and prints the welcome text of the first start.
import { flushCompileCache } from 'node:module'
import { type App, createApp } from '../app.ts'
import { type Config, ConfigError, loadConfig } from '../config.ts'
import { makeFirstLink } from '../features/accounts/sign-in.ts'
import { isOutage } from '../kernel/errors.ts'
import { FolderInUse, FolderUnusable } from '../platform/folder/folder-lock.ts'
import { createLog } from '../platform/log.ts'
import { StartError } from '../starting/platform.ts'
import type { ProcessRole } from '../starting/running-features.ts'
import { operator } from '../surfaces/http/requests/callers.ts'
import { type DemoKeys, invitation, seedDemo, welcome } from './first-start.ts'
import { checkPort, isFirstServer, isPrimaryProcess, portOptions, sayReady, startServers } from './multi-process.ts'

export type { ProcessRole } from '../starting/running-features.ts'

export async function serve(role: ProcessRole = 'both'): Promise<{ close(): Promise<void>; handlesHangUp?: boolean }> {
  try {
    return await startProcess(loadConfig(), role)
  } catch (error) {
    // An error that the operator can fix is printed as one line; any other is a bug and keeps its stack trace.
    if (
      !(
        error instanceof ConfigError ||
        error instanceof StartError ||
        error instanceof FolderInUse ||
        error instanceof FolderUnusable ||
        isListenError(error)
      )
    )
      throw error
    const message = error instanceof Error ? error.message : String(error)
    console.error(isListenError(error) ? `HOST and PORT cannot be listened on: ${message}.` : message)
    process.exit(1)
  }
}

async function startProcess(config: Config, role: ProcessRole) {
  const log = createLog(config.LOG_LEVEL, config.LOG_FORMAT)
  const count = role === 'worker' ? 1 : config.WEB_CONCURRENCY
  if ((count > 1 || role !== 'both') && !config.DATABASE_URL)
    throw new StartError(
      'Several processes need a PostgreSQL that they share. Set DATABASE_URL, or start one process with: catalog serve',
    )
  if (isPrimaryProcess()) warnOfSettings(config, log)
  if (count > 1 && isPrimaryProcess()) {
    await checkPort(config.HOST, config.PORT)
    const servers = startServers(count, log)
    keepCompiledCode()
    return servers
  }
  const app = await createApp(config, log, role).catch((error) => {
    throw isFileError(error) ? new FolderUnusable(config.DATA_DIR, error) : error
  })
  let closing = false
  const close = async () => {
    closing = true
    const start = performance.now()
    log.info({ role }, 'stopping')
    await app.close()
    keepCompiledCode()
    log.info({ role, ms: Math.round(performance.now() - start) }, 'stopped')
    log.flush()
  }
  const listen = async () => {
    if (role === 'worker' || closing) return
    try {
      await app.server.listen({ host: config.HOST, port: config.PORT, ...portOptions() })
    } catch (error) {
      // Nothing is logged: the error is printed, and it is all that the operator needs.
      await app.close()
      throw error
    }
  }
  // The first of several servers listens at once and answers that it is not ready yet. The others listen when they can answer requests.
  const listensLater = !isFirstServer()
  let first: FirstStart = { keys: null, adminLink: null }
  const prepare = async () => {
    if (role !== 'worker' && isFirstServer()) first = await prepareFirstStart(app, config, log)
    keepCompiledCode()
  }
  if (!listensLater) await listen()
  app
    .start(prepare)
    .then(() => (listensLater ? listen() : undefined))
    .then(() => (closing ? undefined : reportReady(app, config, log, role, first)))
    .catch(async (error) => {
      if (closing) return
      log.flush()
      console.error(error instanceof StartError ? error.message : error)
      await close()
      process.exit(1)
    })
  return { close }
}

type Log = ReturnType<typeof createLog>

function warnOfSettings(config: Config, log: Log): void {
  if (config.RATE_LIMIT_SCALE !== 1)
    log.warn({ scale: config.RATE_LIMIT_SCALE }, 'RATE_LIMIT_SCALE is not 1: every rate limit is multiplied')
  if (config.OUTBOUND_ALLOW_CIDRS.length > 0)
    log.warn(
      { networks: config.OUTBOUND_ALLOW_CIDRS },
      'OUTBOUND_ALLOW_CIDRS lets outbound requests reach private networks',
    )
}

/**
 * Called early, because Node would write its compiled code only when the process ends: at the first start thousands of files, which would
 * delay the end by many seconds on a busy machine.
 */
const keepCompiledCode = flushCompileCache

interface FirstStart {
  keys: DemoKeys | null
  adminLink: string | null
}

/** Fills an empty catalog and makes the link for the first administrator. If the database goes away meanwhile, the next start does it. */
async function prepareFirstStart(app: App, config: Config, log: Log): Promise<FirstStart> {
  const ctx = app.context(operator)
  const first: FirstStart = { keys: null, adminLink: null }
  try {
    if ((config.SEED ?? (config.DATABASE_URL ? 'none' : 'demo')) === 'demo') first.keys = await seedDemo(ctx)
    first.adminLink = await makeFirstLink(ctx)
    if (first.keys) await app.settled()
  } catch (error) {
    if (!isOutage(error)) throw error
    log.warn({ err: error }, 'the database went away at the end of the start')
  }
  return first
}

function reportReady(app: App, config: Config, log: Log, role: ProcessRole, { keys, adminLink }: FirstStart): void {
  if (role === 'worker') return void log.info({}, 'working')
  const { publicUrl: url, catalog } = app.context(operator)
  sayReady()
  if (!isFirstServer()) return void log.info({ url }, 'ready')
  if (keys) process.stdout.write(welcome(url, keys, app.adminTokenFile, adminLink))
  else if (adminLink) process.stdout.write(invitation(adminLink))
  const { tools, directories } = catalog.snapshot()
  const database = config.DATABASE_URL ? 'PostgreSQL' : 'embedded'
  log.info({ url, database, tools: tools.index.size, directories: directories.index.size }, 'ready')
}

const isListenError = (error: unknown): boolean =>
  ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )

/** An error of a file or folder in DATA_DIR, which has pictures and secrets also when PostgreSQL is used. */
const isFileError = (error: unknown): error is Error => typeof (error as NodeJS.ErrnoException).path === 'string'
