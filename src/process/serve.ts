// Starts the service in this process: configuration, listening, loading, first-start block.
import { type App, createApp, type Role, StartError } from '../app.ts'
import { type Config, ConfigError, loadConfig } from '../config.ts'
import { makeFirstLink } from '../features/accounts/sign-in.ts'
import { isOutage } from '../kernel/errors.ts'
import { FolderInUse, FolderUnusable } from '../platform/folder-lock.ts'
import { createLog } from '../platform/log.ts'
import { operator } from '../surfaces/http/callers.ts'
import { checkPort, isFirstProcess, portOptions, sayReady, speaksForAll, startSeveral } from './multi-process.ts'
import { seedDemo } from './seed.ts'
import { invitation, welcome } from './welcome.ts'

export type { Role } from '../app.ts'

export async function serve(role: Role = 'both'): Promise<{ close(): Promise<void>; takesHangUp?: boolean }> {
  try {
    return await begin(loadConfig(), role)
  } catch (error) {
    // What the operator can mend is one line; anything else is a bug and keeps its trace.
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

async function begin(config: Config, role: Role) {
  const log = createLog(config.LOG_LEVEL, config.LOG_FORMAT)
  const count = role === 'worker' ? 1 : config.WEB_CONCURRENCY
  if ((count > 1 || role !== 'both') && !config.DATABASE_URL)
    throw new StartError(
      'Several processes need a PostgreSQL that they share. Set DATABASE_URL, or start one process with: catalog serve',
    )
  if (isFirstProcess()) warn(config, log)
  if (count > 1 && isFirstProcess()) {
    await checkPort(config.HOST, config.PORT)
    return startSeveral(count, log)
  }
  const app = await createApp(config, log, role).catch((error) => {
    throw isFileError(error) ? new FolderUnusable(config.DATA_DIR, error) : error
  })
  let closing = false
  const close = async () => {
    closing = true
    await app.close()
    log.flush()
  }
  const listen = async () => {
    if (role === 'worker' || closing) return
    try {
      await app.server.listen({ host: config.HOST, port: config.PORT, ...portOptions() })
    } catch (error) {
      await close()
      throw error
    }
  }
  // Among several, one says from the start that it is not ready yet; the others get requests when they can answer them.
  const listensLater = !speaksForAll()
  // It is loaded and answers; what else there was to say can wait for the next start.
  const goOn = (error: unknown) => {
    if (!isOutage(error)) throw error
    log.warn({ err: error }, 'the database went away at the end of the start')
    sayReady()
  }
  if (!listensLater) await listen()
  app
    .start()
    .then(() => (listensLater ? listen() : undefined))
    .then(() => (closing ? undefined : ready(app, config, log, role).catch(goOn)))
    .catch(async (error) => {
      if (closing) return
      log.flush()
      console.error(error instanceof StartError ? error.message : error)
      await close()
      process.exit(1)
    })
  return { close }
}

function warn(config: Config, log: ReturnType<typeof createLog>): void {
  if (config.RATE_LIMIT_SCALE !== 1)
    log.warn({ scale: config.RATE_LIMIT_SCALE }, 'RATE_LIMIT_SCALE is not 1: every rate limit is multiplied')
  if (config.OUTBOUND_ALLOW_CIDRS.length > 0)
    log.warn(
      { networks: config.OUTBOUND_ALLOW_CIDRS },
      'OUTBOUND_ALLOW_CIDRS lets outbound requests reach private networks',
    )
}

async function ready(app: App, config: Config, log: ReturnType<typeof createLog>, role: Role) {
  if (role === 'worker') return log.info({}, 'working')
  if (!speaksForAll()) {
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

/** Pictures and secrets lie in the data folder, with PostgreSQL too. */
const isFileError = (error: unknown): error is Error => typeof (error as NodeJS.ErrnoException).path === 'string'
