// PostgreSQL. The embedded database speaks the same protocol and is opened through this file too.
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import type { Change, Database, Log, Transaction } from '../../kernel/context.ts'
import { CHANNEL } from '../../kernel/database/queries.ts'
import { isOutage } from '../../kernel/errors.ts'
import { createConcurrencyLimit } from '../../kernel/work/turns.ts'
import { type ChangeListener, createChangeListener, FORGET_CHANGES, readChange } from './change-listener.ts'
import { createConnectionGuard, openPool } from './pool.ts'

export type RunSql = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>

export interface Store {
  db: Database
  /** Whether no other process can use this database, as with the embedded one. */
  isAlone: boolean
  /** Runs one statement, or several without values, and returns the last result. */
  query: RunSql
  /** Runs the work on one connection, for cursors and for transactions outside of features. */
  session<T>(work: (query: RunSql) => Promise<T>): Promise<T>
  /** Runs the work while no other process on this database is inside `alone`. */
  alone<T>(work: () => Promise<T>): Promise<T>
  migrate(folder: string): Promise<void>
  /** `committed` runs right after the commit and on the same connection; it must not throw. */
  transaction: <T>(work: (db: Transaction) => Promise<T>, committed?: (db: Database) => Promise<void>) => Promise<T>
  /** Copies the database, as it is at one moment, into a folder; null for PostgreSQL, whose files belong to its server. */
  copy: ((folder: string) => Promise<void>) | null
  announce(db: Transaction, changes: readonly Change[]): Promise<void>
  /** Calls back for every change, also those of this process; with `null` after a gap in which changes may have been missed. */
  listen(onChange: (change: Change | null) => void): Promise<void>
  /** Deletes announcements that are so old that no process still needs them. */
  forgetChanges(): Promise<void>
  close(): Promise<void>
}

const MAX_CONNECTIONS = 10
// PostgreSQL ends a transaction whose process is silent for this long. A busy process of ours may pause for seconds.
const ABANDONED_MS = 10_000
// Longer than the change listener needs to notice that the database hangs, because its error says more than a time-out.
const CONNECT_MS = 1_700
/** A query that takes longer is given up, so that requests do not wait for a database that hangs. */
const QUERY_MS = 15_000
/** The advisory lock of `alone`: processes that start at the same time take turns. */
const START_LOCK = 7_203_111

/**
 * Releases the locks of a process that vanished during a transaction, and turns off the compiler for statements: all of ours are short, and
 * compiling one takes up to seconds. Uses `set` statements, because connection poolers may refuse these as connection parameters.
 */
const onConnect = (client: pg.ClientBase) =>
  client.query(`set idle_in_transaction_session_timeout = ${ABANDONED_MS}; set jit = off`)

interface PostgresOptions extends pg.PoolConfig {
  /** The embedded database: one connection, no other process, and no network that could fail. */
  isEmbedded?: boolean
}

export function openPostgres({ isEmbedded = false, ...options }: PostgresOptions, log: Log): Store {
  const connectionUse = createConnectionGuard()
  const { pool, setHanging } = openPool(
    {
      // When the database is not reachable, a request must soon get a 503 instead of hanging.
      connectionTimeoutMillis: CONNECT_MS,
      max: MAX_CONNECTIONS,
      // The same holds for a database that hangs. The embedded database never hangs, but an import may keep it busy for longer.
      ...(isEmbedded
        ? {}
        : { query_timeout: QUERY_MS, keepAlive: true, keepAliveInitialDelayMillis: 5_000, onConnect }),
      ...options,
    },
    connectionUse.refusal,
  )
  // Without these listeners a database restart would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'database connection lost'))
  pool.on('connect', (client) => void client.on('error', () => {}))
  const listener = isEmbedded ? createEmbeddedListener(pool) : createChangeListener(options, log, setHanging)

  const session = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect()
    try {
      const result = await connectionUse.hold(() => work(client))
      client.release()
      return result
    } catch (error) {
      const mayAnswer = isEmbedded || !isOutage(error)
      const isUsable =
        mayAnswer &&
        (await client.query('rollback').then(
          () => true,
          () => false,
        ))
      // The embedded database keeps its one session.
      client.release(!isEmbedded && !isUsable)
      throw error
    }
  }
  const db = drizzle(pool) as Database
  // Drizzle's own `transaction` never releases a connection that breaks before the first statement.
  db.transaction = (work, config) => session((client) => drizzle(client).transaction(work as never, config))
  // Transactions that wait for each other's locks must not run into the connection time-out, which looks like an outage. They queue
  // here without a limit, and a few connections stay free for single statements.
  const takeTurn = createConcurrencyLimit(Math.max(1, (options.max ?? MAX_CONNECTIONS) - 3))

  return {
    db,
    isAlone: isEmbedded,
    query: async (text, values) => lastOf(await pool.query(text, values)),
    session: (work) => session((client) => work(async (text, values) => lastOf(await client.query(text, values)))),
    copy: null,
    // The embedded database is used by one process only, and has no second connection for a lock.
    async alone(work) {
      if (isEmbedded) return work()
      const client = await pool.connect()
      try {
        await client.query('select pg_advisory_lock($1)', [START_LOCK])
        const result = await work()
        await client.query('select pg_advisory_unlock($1)', [START_LOCK])
        client.release()
        return result
      } catch (error) {
        // Closing the connection releases its lock.
        client.release(true)
        throw error
      }
    },
    async migrate(folder) {
      if (isEmbedded) return migrate(drizzle(pool), { migrationsFolder: folder })
      // Migrations run on a pool of their own, because their statements have no time limit.
      const migrationPool = new pg.Pool({ connectionTimeoutMillis: CONNECT_MS, keepAlive: true, ...options, max: 1 })
      migrationPool.on('error', () => {})
      await migrate(drizzle(migrationPool), { migrationsFolder: folder }).finally(() => migrationPool.end())
    },
    async transaction(work, committed) {
      // Checked before the wait for a turn, and not only by the pool: a nested transaction would wait for the turn of the outer one.
      const refusal = connectionUse.refusal()
      if (refusal) throw refusal
      return takeTurn(() =>
        session(async (client) => {
          const connection = drizzle(client) as Database
          connection.transaction = () => Promise.reject(new Error('A transaction cannot have another one inside.'))
          await client.query('begin')
          const result = await work(connection as Transaction)
          await client.query('commit')
          await committed?.(connection)
          return result
        }),
      )
    },
    announce: async (tx, changes) => {
      const announced = changes.map(({ topic, ids, id }) => ({ topic, ids, id }))
      // The rows are for processes that are not listening at the moment: they read them when they listen again.
      const storing = isEmbedded
        ? sql``
        : sql`with stored as (insert into changes (topic, ids)
            select topic, case when ids is not null then array(select json_array_elements_text(ids)) end
            from json_to_recordset(${JSON.stringify(announced)}::json) as announced (topic text, ids json))`
      const payloads = sql.param(announced.map((change) => JSON.stringify(change)))
      await tx.execute(
        sql`${storing} select pg_notify(${CHANNEL}, payload) from unnest(${payloads}::text[]) as payload`,
      )
    },
    listen: (onChange) => listener.start(onChange),
    forgetChanges: async () => {
      await pool.query(FORGET_CHANGES)
    },
    async close() {
      listener.stop()
      await pool.end()
    },
  }
}

/** Several statements in one query give several results; callers need the last. */
function lastOf(result: pg.QueryResult | pg.QueryResult[]): pg.QueryResult {
  const lastResult = Array.isArray(result) ? result.at(-1) : result
  if (!lastResult) throw new Error('The query has no statement and therefore no result.')
  return lastResult
}

/** The embedded database has one connection, which also listens. No other process announces changes, and no change is missed. */
function createEmbeddedListener(pool: pg.Pool): ChangeListener {
  let onChange: (change: Change | null) => void = () => {}
  const addListener = (client: pg.PoolClient) => {
    if (client.listenerCount('notification') > 0) return
    client.on('notification', ({ channel, payload }) => {
      if (channel === CHANNEL && payload) onChange(readChange(payload))
    })
  }
  // After a statement that fails outside of a transaction the pool creates a new client. The session in the thread still listens, but the
  // new client needs its own listener.
  pool.on('connect', addListener)
  return {
    async start(callback) {
      onChange = callback
      const shared = await pool.connect()
      addListener(shared)
      await shared.query(`LISTEN ${CHANNEL}`)
      shared.release()
      onChange(null)
    },
    stop() {},
  }
}
