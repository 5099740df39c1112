// Starts the service in this process: reads the settings, listens, loads the data and prints the welcome text of the first start.
import { type App, createApp, type ProcessRole, StartError } from '../app.ts'
import { type Config, ConfigError, loadConfig } from '../config.ts'
import { makeFirstLink } from '../features/accounts/sign-in.ts'
import { isOutage } from '../kernel/errors.ts'
import { FolderInUse, FolderUnusable } from '../platform/folder-lock.ts'
import { createLog } from '../platform/log.ts'
import { operator } from '../surfaces/http/callers.ts'
import { checkPort, isFirstServer, isPrimaryProcess, portOptions, sayReady, startServers } from './multi-process.ts'
import { seedDemo } from './seed.ts'
import { invitation, welcome } from './welcome.ts'

export type { ProcessRole } from '../app.ts'

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
    return startServers(count, log)
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
    log.info({ role, ms: Math.round(performance.now() - start) }, 'stopped')
    log.flush()
  }
  const listen = async () => {
    if (role === 'worker' || closing) return
    try {
      await app.server.listen({ host: config.HOST, port: config.PORT, ...portOptions() })
    } catch (error) {
      // Without a line in the log: the error is printed, and it is all that the operator needs.
      await app.close()
      throw error
    }
  }
  // Of several servers the first listens at once, to answer that it is not ready yet. The others listen when they can answer requests.
  const listensLater = !isFirstServer()
  // The service is loaded and answers requests. Seeding and the first link, which failed, are done at the next start.
  const continueAfterOutage = (error: unknown) => {
    if (!isOutage(error)) throw error
    log.warn({ err: error }, 'the database went away at the end of the start')
    sayReady()
  }
  if (!listensLater) await listen()
  app
    .start()
    .then(() => (listensLater ? listen() : undefined))
    .then(() => (closing ? undefined : reportReady(app, config, log, role).catch(continueAfterOutage)))
    .catch(async (error) => {
      if (closing) return
      log.flush()
      console.error(error instanceof StartError ? error.message : error)
      await close()
      process.exit(1)
    })
  return { close }
}

function warnOfSettings(config: Config, log: ReturnType<typeof createLog>): void {
  if (config.RATE_LIMIT_SCALE !== 1)
    log.warn({ scale: config.RATE_LIMIT_SCALE }, 'RATE_LIMIT_SCALE is not 1: every rate limit is multiplied')
  if (config.OUTBOUND_ALLOW_CIDRS.length > 0)
    log.warn(
      { networks: config.OUTBOUND_ALLOW_CIDRS },
      'OUTBOUND_ALLOW_CIDRS lets outbound requests reach private networks',
    )
}

async function reportReady(app: App, config: Config, log: ReturnType<typeof createLog>, role: ProcessRole) {
  if (role === 'worker') return log.info({}, 'working')
  if (!isFirstServer()) {
    sayReady()
    return log.info({ url: app.context(operator).publicUrl }, 'ready')
  }
  const seed = config.SEED ?? (config.DATABASE_URL ? 'none' : 'demo')
  const keys = seed === 'demo' ? await seedDemo(app.context(operator)) : null
  const adminLink = await makeFirstLink(app.context(operator))
  if (keys) await app.settled()
  if (keys) process.stdout.write(welcome(app.context(operator).publicUrl, keys, app.adminTokenFile, adminLink))
  else if (adminLink) process.stdout.write(invitation(adminLink))
  const { tools, directories } = app.context(operator).catalog.snapshot()
  log.info(
    {
      url: app.context(operator).publicUrl,
      database: config.DATABASE_URL ? 'PostgreSQL' : 'embedded',
      tools: tools.index.size,
      directories: directories.index.size,
    },
    'ready',
  )
  sayReady()
}

const isListenError = (error: unknown): boolean =>
  ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )

/** Pictures and secrets are in DATA_DIR also when PostgreSQL is used. */
const isFileError = (error: unknown): error is Error => typeof (error as NodeJS.ErrnoException).path === 'string'
