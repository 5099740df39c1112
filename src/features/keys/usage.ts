// Counts charged calls by caller, day and surface. The counts are written every few seconds, because a write for each call would be too
// slow. While the database is down, they stay in memory.
import type { Caller } from '../../kernel/caller.ts'
import type { Database, Log } from '../../kernel/context.ts'
import { dayOf, endOfDay } from '../../kernel/days.ts'
import { createRegularWriter, type RegularWriter } from '../../kernel/regular-writer.ts'
import { type CallRecorder, createCallRecorder } from './calls.ts'
import type { Surface } from './rules.ts'
import { type UsageRow, upsertUsage } from './usage.queries.ts'

export interface UsageCounter extends RegularWriter {
  /** Called for every charged call, whether it succeeds or fails. */
  count(caller: Caller, surface: Surface): void
}

interface Counts {
  rest: number
  mcp: number
  lastUsed: number
}

type CountsByCaller = Map<string, Counts>

const FLUSH_MS = 3_000

export function createUsageCounter({
  db,
  log,
  now = Date.now,
  kind = 'key',
  upsert = upsertUsage,
}: {
  db: Database
  log: Log
  now?: () => number
  /** Which kind of callers is counted. */
  kind?: Caller['kind']
  /** Stores the counts; `keyId` is the id of the caller. */
  upsert?: (db: Database, rows: readonly UsageRow[]) => Promise<unknown>
}): UsageCounter {
  let counted: CountsByCaller = new Map()
  let day = dayOf(now())
  let dayEndsAt = endOfDay(now())
  /** Counts of earlier days, and counts that could not be written, by day. */
  const waiting = new Map<string, CountsByCaller>()

  /** Moves the counts to `waiting` and continues with the day of `time`. */
  function moveToWaiting(time: number): void {
    addToWaiting(waiting, day, counted)
    counted = new Map()
    day = dayOf(time)
    dayEndsAt = endOfDay(time)
  }

  async function write(): Promise<void> {
    moveToWaiting(now())
    const days = [...waiting]
    waiting.clear()
    const rows = days.flatMap(([day, calls]) => rowsOf(day, calls))
    if (rows.length === 0) return
    try {
      await upsert(db, rows)
    } catch (error) {
      for (const [day, calls] of days) addToWaiting(waiting, day, calls)
      throw error
    }
  }

  return {
    count(caller, surface) {
      if (caller.kind !== kind) return
      const time = now()
      if (time >= dayEndsAt) moveToWaiting(time)
      let counts = counted.get(caller.id)
      if (!counts) counted.set(caller.id, (counts = { rest: 0, mcp: 0, lastUsed: time }))
      counts[surface]++
      counts.lastUsed = time
    },
    ...createRegularWriter(write, FLUSH_MS, log, 'the last calls could not be counted'),
  }
}

/** Counts and records the calls of keys. Features can add counters for other kinds of callers. */
export interface Usage extends UsageCounter, CallRecorder {
  /** Counts another kind of caller too. `upsert` stores its counts. */
  addKind(kind: Caller['kind'], upsert: typeof upsertUsage): void
}

declare module '../../kernel/context.ts' {
  interface Context {
    usage: Usage
  }
}

export function createUsage({ db, log }: { db: Database; log: Log }): Usage {
  const counters = [createUsageCounter({ db, log })]
  const recorder = createCallRecorder({ db, log })
  const writers: (UsageCounter | CallRecorder)[] = [...counters, recorder]
  return {
    addKind(kind, upsert) {
      const counter = createUsageCounter({ db, log, kind, upsert })
      counters.push(counter)
      writers.push(counter)
    },
    count(caller, surface) {
      for (const counter of counters) counter.count(caller, surface)
    },
    record: recorder.record,
    async flush() {
      for (const writer of writers) await writer.flush()
    },
    start() {
      for (const writer of writers) writer.start()
    },
    async close() {
      for (const writer of writers) await writer.close()
    },
  }
}

/** Adds the counts to those of the same day, so that memory holds one entry for each key and day however long the database is down. */
function addToWaiting(waiting: Map<string, CountsByCaller>, day: string, calls: CountsByCaller): void {
  const before = waiting.get(day)
  if (!before) {
    if (calls.size > 0) waiting.set(day, calls)
    return
  }
  for (const [keyId, counts] of calls) {
    const sum = before.get(keyId)
    if (!sum) before.set(keyId, counts)
    else {
      sum.rest += counts.rest
      sum.mcp += counts.mcp
      sum.lastUsed = Math.max(sum.lastUsed, counts.lastUsed)
    }
  }
}

const rowsOf = (day: string, calls: CountsByCaller) =>
  [...calls].flatMap(([keyId, { rest, mcp, lastUsed }]) => {
    const row = { keyId, day, lastUsedAt: new Date(lastUsed) }
    return [
      ...(rest > 0 ? [{ ...row, surface: 'rest' as const, calls: rest }] : []),
      ...(mcp > 0 ? [{ ...row, surface: 'mcp' as const, calls: mcp }] : []),
    ]
  })
