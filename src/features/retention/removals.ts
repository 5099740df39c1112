// The worker that deletes old rows, as each feature declares in `removals`. It works in batches, so that no statement locks many rows and
// no kind of row keeps the others waiting. Every process that does background work runs it; none waits for rows that another one deletes.
import { setTimeout as sleep } from 'node:timers/promises'
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Database, Log } from '../../kernel/context.ts'
import { BULK_TOPIC, type RemoveBatch } from '../../kernel/database/queries.ts'
import { isOutage } from '../../kernel/errors.ts'
import type { FeatureParts, Removals, RemovalTimes } from '../../kernel/feature.ts'
import { DAY_MS, dayOf } from '../../kernel/values/days.ts'
import { type BackgroundWorker, createDueWork } from '../../kernel/work/due-work.ts'
import { type DaysKept, oldestKept, type RetentionKind } from './rules.ts'
import { reclaimSpace, refreshStatistics } from './space.queries.ts'

const BATCH = 1_000
/** At most this many batches of one kind are deleted in one run. The other rows wait for the next run. */
const MAX_BATCHES = 200
/** The pause between two full batches, so that the database can answer requests meanwhile. */
const PAUSE_MS = 20
/** The first run begins this long after the start of the process. */
const FIRST_DELAY_MS = 60_000
const INTERVAL_MS = 60 * 60_000
const STOP_MS = 3_000

interface RemovalRun {
  removals: Removals
  db: Database
  log: Log
  kept: DaysKept
  now: Date
  isStopped?: () => boolean
}

/** Returns how many rows of each kind were deleted. A kind that fails does not stop the others. */
export async function removeOld({ removals, db, log, kept, now, isStopped = () => false }: RemovalRun) {
  const since = (kind: RetentionKind) => oldestKept(kept[kind], now)
  const times: RemovalTimes = {
    now,
    yesterday: new Date(now.getTime() - DAY_MS),
    since,
    sinceDay: (kind) => dayOf(since(kind).getTime()),
  }
  const removed: Record<string, number> = {}
  for (const [kind, batchOf] of Object.entries(removals)) {
    try {
      const count = await removeAll(db, batchOf(times), isStopped)
      if (count > 0) removed[kind] = count
    } catch (error) {
      if (isOutage(error)) throw error
      log.error({ err: error, kind }, 'what is old could not be deleted')
    }
  }
  return removed
}

async function removeAll(db: Database, batch: RemoveBatch, isStopped: () => boolean): Promise<number> {
  let removed = 0
  for (let batches = 0; batches < MAX_BATCHES && !isStopped(); batches++) {
    const count = await batch(db, BATCH)
    removed += count
    if (count < BATCH) break
    await sleep(PAUSE_MS)
  }
  return removed
}

const remover = backgroundCaller('retention')

export function createRemovalWorker({ contextOf, removals, log, isAlone }: FeatureParts): BackgroundWorker {
  const due = createDueWork({
    async look() {
      const { db, kept, now } = contextOf(remover)
      const removed = await removeOld({ removals, db, log, kept, now: now(), isStopped: due.isStopped })
      if (Object.keys(removed).length > 0) log.info({ removed }, 'what was old is deleted')
      if (isAlone) await reclaimSpace(db)
      return null
    },
    topics: [],
    log,
    away: 'what is old cannot be deleted at the moment',
    shortestMs: INTERVAL_MS,
    longestMs: INTERVAL_MS,
    stopMs: STOP_MS,
  })
  let first: NodeJS.Timeout | undefined
  return {
    start() {
      first = setTimeout(due.start, FIRST_DELAY_MS).unref()
    },
    onChange() {},
    async stop() {
      clearTimeout(first)
      await due.stop()
    },
  }
}

/** Counts the tables of the embedded database, which has no autovacuum: at the start, hourly, and after each import. */
export const createTableStatisticsWorker = ({ contextOf, log }: FeatureParts): BackgroundWorker =>
  createDueWork({
    look: () => refreshStatistics(contextOf(remover).db).then(() => null),
    topics: [BULK_TOPIC],
    log,
    away: 'the sizes of tables cannot be counted at the moment',
    shortestMs: INTERVAL_MS,
    longestMs: INTERVAL_MS,
    stopMs: STOP_MS,
  })
