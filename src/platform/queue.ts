// Durable jobs, which pg-boss stores in the database over the same connections as everything else. This file decides which job is next:
// owners take turns, so that one owner's jobs cannot delay another's. How often a failed job is tried again, and when, its declaration says
// (`Job` of kernel/job.ts).
import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { type Job as FetchedJob, fromDrizzle, PgBoss } from 'pg-boss'
import type { Change, Log } from '../kernel/context.ts'
import { announceDue, onlyRow } from '../kernel/database/queries.ts'
import { type Job, type Queue, TimeUp } from '../kernel/job.ts'
import { untilAborted } from '../kernel/work/deadline.ts'
import { type BackgroundWorker, createDueWork, longestWait } from '../kernel/work/due-work.ts'
import { lookInShares } from '../kernel/work/turns.ts'
import type { Store } from './database/postgres.ts'

export interface RunningQueue extends Queue {
  /** Creates the tables; jobs can only be sent afterwards. */
  start(): Promise<void>
  /** Starts to run jobs in this process. */
  work(): void
  /** `null`: changes may have been missed. */
  onChange(change: Change | null): void
  close(): Promise<void>
}

export const SLOTS = 8
export const SLOTS_OF_OWNER = 2
const SHARES = { atOnce: SLOTS, ofOwner: SLOTS_OF_OWNER, keptFree: 3 }

const NO_JOB = '00000000-0000-0000-0000-000000000000'
// How often a worker looks again for due jobs that it could not take: their owner has no free slot, or another process was faster.
const LOOK_MS = 500
// How often pg-boss deletes old jobs.
const MAINTENANCE_SECONDS = 3_600
// How long a job may take to store that its time is over before its slot is given to another job.
const GRACE_MS = 2_000
// A job that stays active this much longer than its time limit was lost with its process, and is tried again.
const LOST_SECONDS = 60
// When the service stops, jobs have this long to finish; the rest are aborted and get the same time again to end.
const STOP_MS = 1_750

const topicOf = (name: string) => `jobs.${name}`

export function createQueue(store: Store, jobs: readonly Job<never>[], log: Log): RunningQueue {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => store.query(text, values) as Promise<{ rows: never[] }> },
    schema: 'jobs',
    schedule: false,
    // pg-boss's own timers would ask the database every few seconds. Instead `nextDue` finds lost jobs, and `maintenance` deletes old ones.
    supervise: false,
    monitorIntervalSeconds: 1,
    queueCacheIntervalSeconds: MAINTENANCE_SECONDS,
    bamIntervalSeconds: MAINTENANCE_SECONDS,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'a background job could not be looked after'))
  let started: Promise<void> | null = null
  const workers: Pick<BackgroundWorker, 'onChange' | 'stop'>[] = []
  const maintenance = createDueWork({
    look: async () => boss.supervise().then(() => null),
    topics: [],
    log,
    away: 'old background jobs cannot be deleted at the moment',
    shortestMs: MAINTENANCE_SECONDS * 1000,
    longestMs: MAINTENANCE_SECONDS * 1000,
    stopMs: STOP_MS,
  })

  async function begin() {
    await boss.start()
    for (const { name, retries, retryDelaySeconds, longestRetryDelaySeconds, timeoutSeconds, key } of jobs) {
      await boss.createQueue(name, {
        policy: key ? 'short' : 'standard',
        retryLimit: retries,
        retryDelay: retryDelaySeconds,
        retryBackoff: true,
        ...(longestRetryDelaySeconds === undefined ? {} : { retryDelayMax: longestRetryDelaySeconds }),
        expireInSeconds: timeoutSeconds + LOST_SECONDS,
        deleteAfterSeconds: 7 * 24 * 3600,
      })
      // pg-boss looks a queue up at its first use and caches it. The first use is here, because the next one may be a send inside a
      // transaction, where a second connection is refused.
      await boss.findJobs(name, { id: NO_JOB })
      // Jobs from versions without owners get a common owner; without one they would be subject to no limit.
      await store.query(`update jobs.job set group_id = '' where name = $1 and group_id is null and state < 'active'`, [
        name,
      ])
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
    work() {
      for (const job of jobs) workers.push(startWorker(store, boss, job, log))
      maintenance.start()
    },
    onChange(change) {
      for (const worker of workers) worker.onChange(change)
    },
    async send(db, name, data, owner, afterSeconds = 0) {
      const key = jobs.find((job) => job.name === name)?.key?.(data as never)
      const id = await boss.send(name, data, {
        db: fromDrizzle(db as never, sql),
        group: { id: owner },
        startAfter: afterSeconds,
        // The key is hashed because an index holds it, and an index takes no long texts.
        ...(key === undefined ? {} : { singletonKey: createHash('sha256').update(key).digest('base64url') }),
      })
      if (id !== null) await announceDue(db, topicOf(name))
    },
    async close() {
      if (!started) return
      await started.catch(() => {})
      await Promise.all([maintenance.stop(), ...workers.map((worker) => worker.stop())])
      await boss.stop({ graceful: true, timeout: STOP_MS })
    },
  }
}

function startWorker(store: Store, boss: PgBoss, job: Job<never>, log: Log) {
  const runningByOwner = new Map<string, number>()
  const stopping = new AbortController()
  let servedThisRound = new Set<string>()
  const due = createDueWork({
    look: () => lookInShares(due, SHARES, { claim: fetchNext, run: runJob, next: nextDue }),
    topics: [topicOf(job.name)],
    log,
    away: `background jobs of the kind ${job.name} cannot be looked for at the moment`,
    shortestMs: LOOK_MS,
    longestMs: longestWait(store.isAlone),
    stopMs: STOP_MS,
  })
  due.start()

  /** Milliseconds until a job is due. A job that runs far too long was lost with its process: pg-boss lets it wait again. */
  async function nextDue(): Promise<number | null> {
    const { rows } = await store.query(
      `select (extract(epoch from (select min(start_after) from jobs.job where name = $1 and state < 'active') - now()) * 1000)::float8 as waiting,
        (extract(epoch from (select min(started_on + expire_seconds * interval '1 second') from jobs.job
          where name = $1 and state = 'active' and group_id is not null) - now()) * 1000)::float8 as running`,
      [job.name],
    )
    const { waiting, running } = onlyRow(rows as { waiting: number | null; running: number | null }[])
    if (running !== null && running <= 0) await boss.supervise(job.name)
    const times = [waiting, running].filter((ms) => ms !== null)
    return times.length === 0 ? null : Math.min(...times)
  }

  /** The oldest job of an owner that had no turn in this round and may use another slot. If there is none, a new round begins. */
  async function fetchNext(mostOfOwner: number): Promise<FetchedJob | undefined> {
    // Owners that may use no further slot.
    const full = [...runningByOwner].flatMap(([owner, count]) => (count >= mostOfOwner ? [owner] : []))
    const fetch = async (without: string[]) =>
      (await boss.fetch(job.name, { batchSize: 1, ignoreGroups: without }))[0] as FetchedJob | undefined
    const found = await fetch([...full, ...servedThisRound])
    if (found || servedThisRound.size === 0) return found
    const next = await fetch(full)
    // A new round begins with this job. Only a job of an owner that had no turn yet, sent between the two calls, belongs to this round.
    if (next && servedThisRound.has(next.groupId ?? '')) servedThisRound = new Set()
    // Nothing waits, so a new round begins, in which the owners of running jobs had their turn.
    if (!next && full.length === 0) servedThisRound = new Set(runningByOwner.keys())
    return next
  }

  async function runJob(fetched: FetchedJob): Promise<void> {
    const owner = fetched.groupId ?? ''
    servedThisRound.add(owner)
    runningByOwner.set(owner, (runningByOwner.get(owner) ?? 0) + 1)
    try {
      await settle(fetched, await attempt(fetched, owner))
    } finally {
      const left = (runningByOwner.get(owner) ?? 0) - 1
      if (left > 0) runningByOwner.set(owner, left)
      else runningByOwner.delete(owner)
    }
  }

  /** Runs the job and returns why it failed, or null. Stops waiting for it after its time limit and a grace period. */
  async function attempt({ data }: FetchedJob, owner: string): Promise<Error | null> {
    const ended = new AbortController()
    const abandoned = new AbortController()
    const timeoutMs = job.timeoutSeconds * 1000
    const end = (reason: Error) => {
      ended.abort(reason)
      setTimeout(() => abandoned.abort(reason), GRACE_MS).unref()
    }
    const late = setTimeout(() => end(new TimeUp(`It took longer than ${job.timeoutSeconds} seconds.`)), timeoutMs)
    late.unref()
    const stop = () => end(new Error('The service was stopped meanwhile.'))
    stopping.signal.addEventListener('abort', stop)
    try {
      const run = job.run(data as never, { signal: ended.signal, endsAt: Date.now() + timeoutMs, owner })
      await untilAborted(run, abandoned.signal)
      return null
    } catch (error) {
      return error as Error
    } finally {
      clearTimeout(late)
      stopping.signal.removeEventListener('abort', stop)
    }
  }

  /** A result that cannot be stored now makes the job count as lost, and it is tried again later. */
  async function settle(fetched: FetchedJob, failure: Error | null): Promise<void> {
    try {
      if (failure) await boss.fail(job.name, fetched, { message: failure.message })
      else await boss.complete(job.name, fetched)
    } catch (error) {
      log.warn({ err: error, job: job.name }, 'the end of a background job could not be noted')
    }
  }

  return {
    onChange: due.onChange,
    /** Takes no more jobs, waits a moment for the running ones, then aborts the rest and waits for them too. */
    async stop() {
      await due.stop()
      stopping.abort()
      await due.stop()
    },
  }
}
