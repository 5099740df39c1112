// Durable jobs in the database, kept by pg-boss, on the same connections as everything else.
import { sql } from 'drizzle-orm'
import { fromDrizzle, PgBoss } from 'pg-boss'
import type { Log } from '../kernel/context.ts'
import type { Job, Queue } from '../kernel/job.ts'
import type { Store } from './database-postgres.ts'

export interface RunningQueue extends Queue {
  /** Makes the tables, and starts working where that is wanted. */
  start(): Promise<void>
  close(): Promise<void>
}

// A job may hold a slow site for this long before it counts as lost and is tried again.
const EXPIRE_SECONDS = 120

/** `works`: whether this process does the jobs, or only hands them in. */
export function createQueue(store: Store, jobs: readonly Job<never>[], log: Log, works: boolean): RunningQueue {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => store.query(text, values) as Promise<{ rows: never[] }> },
    schema: 'jobs',
    schedule: false,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'a background job could not be looked after'))
  let started: Promise<void> | null = null

  async function begin() {
    await boss.start()
    for (const { name, retries, retryDelaySeconds, run } of jobs) {
      await boss.createQueue(name, {
        retryLimit: retries,
        retryDelay: retryDelaySeconds,
        retryBackoff: true,
        expireInSeconds: EXPIRE_SECONDS,
        deleteAfterSeconds: 7 * 24 * 3600,
      })
      // The first send looks the queue up through its own handle, which inside a transaction on one connection would wait for ever.
      await boss.getQueue(name)
      if (!works) continue
      await boss.work(name, { pollingIntervalSeconds: 0.5, batchSize: 1, localConcurrency: 2 }, async ([job]) => {
        await run(job!.data as never)
      })
    }
  }

  return {
    start: () => {
      started ??= begin()
      started.catch(() => {
        started = null
      })
      return started
    },
    async send(db, name, data) {
      await boss.send(name, data, { db: fromDrizzle(db as never, sql) })
    },
    async close() {
      if (!started) return
      await started.catch(() => {})
      await boss.stop({ graceful: true, timeout: 3_000 })
    },
  }
}
