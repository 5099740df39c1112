// PostgreSQL, or anything that speaks its protocol: the embedded database is reached through this file too.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import type { Caller } from '../../kernel/caller.ts'
import type { Change, Context, Database, Log, Transaction, TransactionContext } from '../../kernel/context.ts'
import { isOutage } from '../../kernel/errors.ts'
import { extend } from '../../kernel/extend.ts'
import type { Queue } from '../../kernel/job.ts'
import { createTurns } from '../turns.ts'
import { CHANNEL, type ChangeListener, createChangeListener, FORGET_CHANGES, readChange } from './change-listener.ts'
import { createOneConnection } from './one-connection.ts'
import { openPool } from './pool-with-deadline.ts'

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
  /** `committed` runs after the commit, on the connection that committed and before anything else does; it must not throw. */
  transaction: <T>(work: (db: Transaction) => Promise<T>, committed?: (db: Database) => Promise<void>) => Promise<T>
  /** Copies the database as it is at one moment into a folder; null where its files are not ours. */
  copy: ((folder: string) => Promise<void>) | null
  announce(db: Transaction, change: Change): Promise<void>
  /** Calls back for every change, own ones included; with `null` after a gap in which changes may have been missed. */
  listen(heard: (change: Change | null) => void): Promise<void>
  /** Deletes announcements that are too old for anybody to have missed. */
  forgetChanges(): Promise<void>
  close(): Promise<void>
}

// NOTIFY takes 8,000 bytes; a longer list of ids is announced as "anything".
const MAX_PAYLOAD = 7_500
const MAX_CONNECTIONS = 10
// A transaction whose process says nothing for so long. Ours pause for as long as a busy process needs to go on.
const ABANDONED_MS = 10_000
// Longer than it takes to notice that the database hangs, which tells more.
const CONNECT_MS = 1_700
const START_LOCK = 7_203_111

/** Nobody may keep what a process locked that vanished in the middle. In words: a pooler in between may refuse it as a parameter. */
const onConnect = (client: pg.ClientBase) => client.query(`set idle_in_transaction_session_timeout = ${ABANDONED_MS}`)

export function openPostgres(options: pg.PoolConfig & { connectionString?: string }, log: Log): Store {
  const isEmbedded = options.max === 1
  const one = createOneConnection()
  const { pool, isHanging } = openPool(
    {
      // A database that is away must become a 503 soon, not a request that hangs.
      connectionTimeoutMillis: CONNECT_MS,
      max: MAX_CONNECTIONS,
      // A database that hangs must become a 503 too. The embedded one is never away, but an import may hold it for longer.
      ...(isEmbedded ? {} : { query_timeout: 15_000, keepAlive: true, keepAliveInitialDelayMillis: 5_000, onConnect }),
      ...options,
    },
    one.refusal,
  )
  // Without these listeners a database restart would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'database connection lost'))
  pool.on('connect', (client) => void client.on('error', () => {}))
  const listener = isEmbedded ? createOwnListener(pool) : createChangeListener(options, log, isHanging)

  const session = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect()
    try {
      const result = await one.hold(() => work(client))
      client.release()
      return result
    } catch (error) {
      const isLost = !isEmbedded && isOutage(error)
      // The embedded database keeps its one session, so what is left open must be ended in words.
      if (!isLost) await client.query('rollback').catch(() => {})
      client.release(isLost)
      throw error
    }
  }
  const db = drizzle(pool) as Database
  // The library's own way keeps the connection for good when it breaks before the first statement.
  db.transaction = (work, config) => session((client) => drizzle(client).transaction(work as never, config))
  // Transactions that wait for each other's locks must not look like a database that is away: they queue here, where waiting has
  // no limit, and leave a few connections to single statements.
  const takeTurn = createTurns(Math.max(1, (options.max ?? MAX_CONNECTIONS) - 3))

  return {
    db,
    query: async (text, values) => lastOf(await pool.query(text, values)),
    session: (work) => session((client) => work(async (text, values) => lastOf(await client.query(text, values)))),
    copy: null,
    // The embedded database has no second process, and no second connection to hold a lock with.
    async alone(work) {
      if (isEmbedded) return work()
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
    async migrate(folder) {
      if (isEmbedded) return migrate(drizzle(pool), { migrationsFolder: folder })
      // Its statements take as long as they take.
      const own = new pg.Pool({ connectionTimeoutMillis: CONNECT_MS, keepAlive: true, ...options, max: 1 })
      own.on('error', () => {})
      await migrate(drizzle(own), { migrationsFolder: folder }).finally(() => own.end())
    },
    async transaction(work, committed) {
      // Here too: it would wait for a turn before it asks for a connection.
      const refusal = one.refusal()
      if (refusal) throw refusal
      return takeTurn(() =>
        session(async (client) => {
          const own = drizzle(client)
          const result = await own.transaction((tx) => work(tx as Database as Transaction))
          await committed?.(own as Database)
          return result
        }),
      )
    },
    announce: async (inside, change) => {
      const payload = JSON.stringify(change)
      const short = payload.length <= MAX_PAYLOAD ? payload : JSON.stringify({ topic: change.topic, id: change.id })
      // Noted in the same transaction, for whoever cannot listen just now.
      if (!isEmbedded)
        await inside.execute(
          sql`insert into changes (topic, ids) values (${change.topic}, ${change.ids === undefined ? null : sql.param(change.ids)}::text[])`,
        )
      await inside.execute(sql`select pg_notify(${CHANNEL}, ${short})`)
    },
    listen: (heard) => listener.start(heard),
    forgetChanges: async () => {
      await pool.query(FORGET_CHANGES)
    },
    async close() {
      listener.stop()
      await pool.end()
    },
  }
}

/** Several statements give several results; whoever sends them wants the last. */
const lastOf = (result: pg.QueryResult | pg.QueryResult[]): pg.QueryResult =>
  Array.isArray(result) ? result.at(-1)! : result

/** The embedded database has one connection, which listens as well; there is no other process to hear, and no gap. */
function createOwnListener(pool: pg.Pool): ChangeListener {
  let told: (change: Change | null) => void = () => {}
  const hear = (client: pg.PoolClient) => {
    if (client.listenerCount('notification') > 0) return
    client.on('notification', ({ channel, payload }) => {
      if (channel === CHANNEL && payload) told(readChange(payload))
    })
  }
  // A statement that fails outside of a transaction costs the pool its connection. The session behind it goes on listening, but the next
  // connection is another one here.
  pool.on('connect', hear)
  return {
    async start(heard) {
      told = heard
      const shared = await pool.connect()
      hear(shared)
      await shared.query(`LISTEN ${CHANNEL}`)
      shared.release()
      heard(null)
    },
    stop() {},
  }
}

type Shared = Omit<Context, 'db' | 'transaction' | 'caller' | 'isBehind'>

/** Brings what a transaction announced to the readers of this process, so that a writer finds what it wrote. */
export interface Readers {
  /** Takes in what can be read over the connection that committed; answers what is left. Never throws. */
  take(db: Database, changes: readonly Change[]): Promise<readonly Change[]>
  /** Takes in what is left; resolves when readers see it. */
  follow(changes: readonly Change[]): Promise<void>
}

// A writer is told that readers do not see it yet rather than kept waiting for longer. docs/api-design.md promises it.
const LONGEST_WAIT_MS = 5_000

/**
 * Makes contexts. What all of them share is their prototype: one is made for every request. `checkStarted` throws until the
 * database may be used.
 */
export function createContexts(
  store: Store,
  shared: Shared,
  queue: Queue,
  readers: Readers,
  checkStarted: () => void,
): (caller: Caller) => Context {
  const inside = (outer: Context, db: Transaction, changes: Change[]): TransactionContext =>
    extend(outer, {
      db,
      transaction<T>(this: TransactionContext, work: (ctx: TransactionContext) => Promise<T>) {
        return work(this)
      },
      announce: async (change: Change) => {
        const named = { ...change, id: randomUUID() }
        await store.announce(db, named)
        changes.push(named)
      },
      enqueue: (job: string, data: object, owner: string) => queue.send(db, job, data, owner),
    })
  const base = extend(shared, {
    isBehind: false,
    get db() {
      checkStarted()
      return store.db
    },
    async transaction<T>(this: Context, work: (ctx: TransactionContext) => Promise<T>) {
      checkStarted()
      const changes: Change[] = []
      let result!: T
      const committed = Promise.withResolvers<void>()
      const seen = (async () => {
        let left: readonly Change[] = changes
        await store.transaction(
          async (tx) => {
            result = await work(inside(this, tx, changes))
          },
          async (db) => {
            if (changes.length > 0) committed.resolve()
            left = await readers.take(db, changes)
          },
        )
        await readers.follow(left)
        return true
      })()
      const bound = new AbortController()
      const late = committed.promise.then(() =>
        sleep(LONGEST_WAIT_MS, false, { signal: bound.signal, ref: false }).catch(() => false),
      )
      try {
        // Counted from the commit: reading over that connection may take long as well. It goes on when the answer has been given.
        if (!(await Promise.race([seen, late]))) this.isBehind = true
      } finally {
        bound.abort()
      }
      return result
    },
  })
  return (caller) => extend(base, { caller })
}
