// Checks that the database is reachable, new enough, migrated and fast, that its clock is right, and that the pepper belongs to its keys.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { openEmbedded } from '../../platform/database/embedded.ts'
import { migrationState } from '../../platform/database/migrations.ts'
import { openPostgres, type RunSql } from '../../platform/database/postgres.ts'
import { DATABASE_FOLDER, PEPPER_FILE } from '../../platform/folder/data-folder.ts'
import { FolderInUse, FolderUnusable } from '../../platform/folder/folder-lock.ts'
import { silentLog } from '../../platform/log.ts'
import { isRightPepper, readPepper } from '../pepper.ts'
import { examineRows, examineRunningRows } from './broken-rows.ts'
import { type DoctorFinding, examineClock, findingsAbout, reasonOf } from './finding.ts'
import { originOf } from './network.ts'
import { examineOpenCustomers } from './payments.ts'

const about = findingsAbout('Database')
const aboutMigrations = findingsAbout('Migrations')
// A write needs a few statements; above this latency, users notice the delay.
const SLOW_MS = 25
// Each process has a pool of ten connections and one connection that listens for changes.
const CONNECTIONS_EACH = 11

export async function examineDatabase(config: Config, isRunning: boolean): Promise<DoctorFinding[]> {
  return config.DATABASE_URL ? examinePostgres(config, config.DATABASE_URL) : examineEmbedded(config, isRunning)
}

async function examineEmbedded(config: Config, isRunning: boolean): Promise<DoctorFinding[]> {
  const folder = join(config.DATA_DIR, DATABASE_FOLDER)
  if (!existsSync(folder)) return [about.ok('The embedded database will be made at the first start.')]
  try {
    const store = await openEmbedded(config.DATA_DIR, silentLog)
    try {
      return await examineContent(config, store.query, 'The embedded database')
    } finally {
      await store.close()
    }
  } catch (error) {
    if (error instanceof FolderInUse)
      return [inUseFinding(error, isRunning), ...(isRunning ? await examineRunningRows(originOf(config)) : [])]
    return [
      about.problem(
        `The embedded database in ${folder} cannot be opened: ${reasonOf(error instanceof FolderUnusable ? error.cause : error)}.`,
        'Where there is room on the disk (see Storage), restore the last backup into a new DATA_DIR: catalog restore FILE',
      ),
    ]
  }
}

const inUseFinding = (error: FolderInUse, isRunning: boolean): DoctorFinding =>
  isRunning
    ? about.ok('The embedded database is in use by the running service, which checked it when it started.')
    : about.warning(
        `${error.message.split('. ')[0]}, which does not answer at HOST and PORT.`,
        'Look at its log. To look into the database, stop it and run this again.',
      )

async function examinePostgres(config: Config, url: string): Promise<DoctorFinding[]> {
  const options = { connectionString: url, connectionTimeoutMillis: 3_000, query_timeout: 5_000, max: 2 }
  const store = openPostgres(options, silentLog)
  try {
    await store.query('select 1')
    return [
      ...(await examineServer(config, store.query, url)),
      ...(await examineContent(config, store.query, 'PostgreSQL')),
    ]
  } catch (error) {
    const { hostname, port, pathname } = new URL(url)
    return [
      about.problem(
        `PostgreSQL at ${hostname}${port ? `:${port}` : ''}${pathname} cannot be used: ${reasonOf(error)}.`,
        'Check DATABASE_URL, that the server runs, and that it lets this user in from this machine.',
      ),
    ]
  } finally {
    await store.close().catch(() => {})
  }
}

interface Server {
  /** As PostgreSQL counts: 150004 is version 15.4. */
  version: number
  versionText: string
  encoding: string
  isReadOnly: boolean
  /** Whether the user may create schemas and tables. */
  mayCreate: boolean
  freeConnections: number
  /** null when PostgreSQL does not say. */
  isEncrypted: boolean | null
}

// Hosts to which the connection needs no encryption.
const NEAR_HOSTS: readonly RegExp[] = [
  // A Unix socket, and this machine.
  /^$|^localhost$|^127\.|^\[::1\]$/,
  // Private IPv4 networks.
  /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./,
  // A name without a dot, as in a network of containers.
  /^[^.]+$/,
]

async function examineServer(config: Config, query: RunSql, url: string): Promise<DoctorFinding[]> {
  const server = (
    await query(
      `select current_setting('server_version_num')::int as version, current_setting('server_version') as "versionText",
         current_setting('server_encoding') as encoding, pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as "isReadOnly",
         has_database_privilege(current_database(), 'CREATE') and has_schema_privilege('public', 'CREATE') as "mayCreate",
         current_setting('max_connections')::int - (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as "freeConnections",
         (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as "isEncrypted"`,
    )
  ).rows[0] as Server
  const found: DoctorFinding[] = []
  if (server.version < 150_000)
    found.push(about.problem(`PostgreSQL is ${server.versionText}.`, 'Use PostgreSQL 15 or newer.'))
  if (server.encoding !== 'UTF8')
    found.push(about.problem(`Its encoding is ${server.encoding}.`, "Make a database with ENCODING 'UTF8'."))
  if (server.isReadOnly)
    found.push(about.problem('The database is read-only.', 'Set DATABASE_URL to the primary server, not a standby.'))
  if (!server.mayCreate)
    found.push(
      about.problem(
        'The user may not make tables, which the next migration needs.',
        'As its owner: GRANT CREATE ON DATABASE … TO …; GRANT CREATE ON SCHEMA public TO …;',
      ),
    )
  // While servers are replaced one by one, one more of them runs.
  const processes = config.WEB_CONCURRENCY > 1 ? config.WEB_CONCURRENCY + 1 : 1
  if (server.freeConnections <= processes * CONNECTIONS_EACH)
    found.push(
      about.warning(
        `It has room for ${server.freeConnections} more connections; each of our ${processes === 1 ? 'processes' : `up to ${processes} servers`} takes up to ${CONNECTIONS_EACH}.`,
        "Raise max_connections in the server's configuration.",
      ),
    )
  const { hostname } = new URL(url)
  if (server.isEncrypted === false && !NEAR_HOSTS.some((pattern) => pattern.test(hostname)))
    found.push(
      about.warning(`The connection to ${hostname} is not encrypted.`, 'Add ?sslmode=verify-full to DATABASE_URL.'),
    )
  return found
}

async function examineContent(config: Config, query: RunSql, name: string): Promise<DoctorFinding[]> {
  const { version } = (await query(`select current_setting('server_version') as version`)).rows[0] as {
    version: string
  }
  const { latencyMs, aheadMs } = await measureLatency(query)
  const found = [about.ok(`${name} (${version}) answers in ${latencyMs.toFixed(1)} ms.`)]
  if (latencyMs > SLOW_MS)
    found[0] = about.warning(
      `${name} (${version}) takes ${latencyMs.toFixed(1)} ms to answer.`,
      'Run the service nearer to it, or see what else keeps it busy.',
    )
  const state = await migrationState(query)
  if (state.unknown > 0)
    found.push(
      aboutMigrations.problem(
        `The database has ${state.unknown} that are not known here: a newer version was at work.`,
        'Install that version or a newer one.',
      ),
    )
  else if (state.pending.length > 0)
    found.push(
      state.applied === 0
        ? aboutMigrations.ok('The database is empty; the first start makes its tables.')
        : aboutMigrations.warning(
            `Missing migrations: ${state.pending.join(', ')}.`,
            'Back up, then start the service: it applies them.',
          ),
    )
  else
    found.push(
      aboutMigrations.ok(`All ${state.applied} are applied.`),
      await examineRows(query),
      ...(await examineOpenCustomers(config, query)),
    )
  found.push(await examinePepper(config, query))
  if (config.DATABASE_URL) found.push(examineClock('the database', aheadMs))
  return found
}

async function examinePepper(config: Config, query: RunSql): Promise<DoctorFinding> {
  const aboutPepper = findingsAbout('Key pepper')
  const path = join(config.DATA_DIR, PEPPER_FILE)
  const pepper = readPepper(config)
  const from = config.KEY_PEPPER ? 'KEY_PEPPER' : path
  const right = await isRightPepper(query, pepper)
  if (right === null) return aboutPepper.ok('The database has no keys yet.')
  if (right) return aboutPepper.ok(`${from} is the one that the stored keys were made with.`)
  return aboutPepper.problem(
    pepper === null
      ? `${path} is missing, and no stored key works without it.`
      : `${from} is not the one that the stored keys were made with.`,
    'Set KEY_PEPPER to that one; it is in key-pepper of the DATA_DIR where they were made, and in its backups.',
  )
}

/**
 * How long the fastest of five statements takes, because the first one also opens the connection, and how far the clock of the database is
 * ahead of ours.
 */
async function measureLatency(query: RunSql): Promise<{ latencyMs: number; aheadMs: number }> {
  let best = { latencyMs: Number.POSITIVE_INFINITY, aheadMs: 0 }
  for (let i = 0; i < 5; i++) {
    const begun = performance.now()
    const { rows } = await query('select extract(epoch from clock_timestamp())::float8 * 1000 as now')
    const latencyMs = performance.now() - begun
    const { now } = rows[0] as { now: number }
    if (latencyMs < best.latencyMs) best = { latencyMs, aheadMs: now - (Date.now() - latencyMs / 2) }
  }
  return best
}
