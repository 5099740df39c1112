// PostgreSQL, or anything that speaks its protocol: the embedded database is reached through this file too.
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import type { Caller } from '../kernel/caller.ts'
import type { Change, Context, Database, Log } from '../kernel/context.ts'
import type { Queue } from '../kernel/job.ts'
import { createTurns } from './turns.ts'

export type Query = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>

export interface Store {
  db: Database
  /** One statement, or several without values, as they are. */
  query: Query
  /** One connection for the whole of the work: for cursors, and for transactions that are not the features'. */
  session<T>(work: (query: Query) => Promise<T>): Promise<T>
  /** Runs while no other process on this database runs anything here. */
  alone(work: () => Promise<void>): Promise<void>
  /** Applies what is missing of `migrations/`. */
  migrate(folder: string): Promise<void>
  transaction: <T>(work: (db: Database) => Promise<T>) => Promise<T>
  /** Copies the database as it is at one moment into a folder; null where its files are not ours. */
  copy: ((folder: string) => Promise<void>) | null
  announce(db: Database, change: Change): Promise<void>
  /** Calls back for every change, own ones included; with `null` after a gap in which changes may have been missed. */
  listen(heard: (change: Change | null) => void): Promise<void>
  close(): Promise<void>
}

const CHANNEL = 'catalog'
// NOTIFY takes 8,000 bytes; a longer list of ids is announced as "anything".
const MAX_PAYLOAD = 7_500
const MAX_CONNECTIONS = 10
const START_LOCK = 7_203_111

export function openPostgres(options: pg.PoolConfig & { connectionString?: string }, log: Log): Store {
  const pool = new pg.Pool({
    // A database that is away must become a 503 soon, not a request that hangs.
    connectionTimeoutMillis: 1_500,
    max: MAX_CONNECTIONS,
    // A database that hangs must become a 503 too. The embedded one is never away, but an import may hold it for longer.
    ...(options.max === 1 ? {} : { query_timeout: 15_000, keepAlive: true, keepAliveInitialDelayMillis: 5_000 }),
    ...options,
  })
  // Without these listeners a database restart would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'database connection lost'))
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = drizzle(pool) as unknown as Database
  const listener = createListener(options, pool, log)
  // Transactions that wait for each other's locks must not look like a database that is away: they queue here, where waiting has
  // no limit, and leave a few connections to single statements.
  const takeTurn = createTurns(Math.max(1, (options.max ?? MAX_CONNECTIONS) - 3))

  return {
    db,
    query: async (text, values) => lastOf(await pool.query(text, values)),
    async session(work) {
      const client = await pool.connect()
      try {
        const result = await work(async (text, values) => lastOf(await client.query(text, values)))
        client.release()
        return result
      } catch (error) {
        // The embedded database keeps its one session, so what is left open must be ended in words.
        await client.query('rollback').catch(() => {})
        client.release(true)
        throw error
      }
    },
    copy: null,
    // The embedded database has no second process, and no second connection to hold a lock with.
    async alone(work) {
      if (options.max === 1) return work()
      const client = await pool.connect()
      try {
        await client.query('select pg_advisory_lock($1)', [START_LOCK])
        await work()
        await client.query('select pg_advisory_unlock($1)', [START_LOCK])
        client.release()
      } catch (error) {
        // With the connection goes its lock.
        client.release(true)
        throw error
      }
    },
    migrate: (folder) => migrate(drizzle(pool), { migrationsFolder: folder }),
    transaction: (work) => takeTurn(() => db.transaction((tx) => work(tx as unknown as Database))),
    announce: async (inside, change) => {
      const payload = JSON.stringify(change)
      const short = payload.length <= MAX_PAYLOAD ? payload : JSON.stringify({ topic: change.topic })
      await inside.execute(`select pg_notify('${CHANNEL}', '${short.replaceAll("'", "''")}')`)
    },
    listen: (heard) => listener.start(heard),
    async close() {
      listener.stop()
      await pool.end()
    },
  }
}

/** Several statements give several results; whoever sends them wants the last. */
const lastOf = (result: pg.QueryResult | pg.QueryResult[]): pg.QueryResult =>
  Array.isArray(result) ? result.at(-1)! : result

// One connection of its own that is opened again whenever it breaks. With a pool of one (the embedded database) the pool's
// only connection listens as well: there is no second one to be had, and no other process to hear.
function createListener(options: pg.PoolConfig, pool: pg.Pool, log: Log) {
  let heard: (change: Change | null) => void = () => {}
  let client: pg.Client | null = null
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  const onNotification = (message: pg.Notification) => {
    if (message.channel === CHANNEL && message.payload) heard(JSON.parse(message.payload) as Change)
  }

  async function connect(): Promise<void> {
    if (stopped) return
    const next = new pg.Client({ connectionTimeoutMillis: 1_500, query_timeout: 5_000, keepAlive: true, ...options })
    const lost = () => {
      if (client !== next && client !== null) return
      client = null
      if (!stopped) timer = setTimeout(connect, 300)
    }
    next.on('error', () => {})
    next.on('notification', onNotification)
    try {
      await next.connect()
      next.once('end', lost)
      await next.query(`LISTEN ${CHANNEL}`)
      client = next
      // A connection that was dropped without a word would never be missed: revoked keys would go on working here.
      const pulse = setInterval(() => next.query('select 1').catch(() => next.end().catch(() => {})), 2_000)
      pulse.unref()
      next.once('end', () => clearInterval(pulse))
      heard(null)
    } catch (error) {
      log.warn({ err: error }, 'cannot listen for changes yet')
      next.end().catch(() => {})
      if (!stopped && !timer?.hasRef()) timer = setTimeout(connect, 300)
    }
  }

  return {
    async start(callback: typeof heard) {
      heard = callback
      if (options.max !== 1) return connect()
      const shared = await pool.connect()
      shared.on('notification', onNotification)
      await shared.query(`LISTEN ${CHANNEL}`)
      shared.release()
      heard(null)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      client?.end().catch(() => {})
    },
  }
}

type Shared = Omit<Context, 'db' | 'transaction' | 'announce' | 'enqueue' | 'caller'>

/** Makes contexts. What all of them share is their prototype: one is made for every request. */
export function createContexts(store: Store, shared: Shared, queue: Queue): (caller: Caller) => Context {
  const over = (rest: object, db: Database): Context =>
    ({
      __proto__: rest,
      db,
      transaction<T>(this: Context, work: (ctx: Context) => Promise<T>) {
        return db === store.db ? store.transaction((tx) => work(over(this, tx))) : work(over(this, db))
      },
      announce: (change: Change) => store.announce(db, change),
      enqueue: (job: string, data: object) => queue.send(db, job, data),
    }) as unknown as Context
  const base = over(shared, store.db)
  return (caller) => ({ __proto__: base, caller }) as unknown as Context
}
