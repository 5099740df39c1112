// Calls are counted in memory, because that is cheap, and written every few seconds. While the database is down, the counts stay in
// memory.
import type { Caller } from '../../kernel/caller.ts'
import type { Database, Log } from '../../kernel/context.ts'
import { dayOf, endOfDay } from '../../kernel/days.ts'
import { createRegularWriter, type RegularWriter } from '../../kernel/regular-writer.ts'
import { type CallRecorder, createCallRecorder } from './calls.ts'
import type { Surface } from './rules.ts'
import { type UsageRow, upsertUsage } from './usage.queries.ts'

export interface UsageCounter extends RegularWriter {
  /** Called for every charged call, whatever the answer. */
  count(caller: Caller, surface: Surface): void
}

interface Counts {
  rest: number
  mcp: number
  lastUsed: number
}

type Calls = Map<string, Counts>

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
  /** The callers that are counted. */
  kind?: Caller['kind']
  /** Stores the counts; `keyId` is the id of the caller. */
  upsert?: (db: Database, rows: readonly UsageRow[]) => Promise<unknown>
}): UsageCounter {
  let counted: Calls = new Map()
  let day = dayOf(now())
  let dayEndsAt = endOfDay(now())
  /** Counts that are not written yet, by day. */
  const waiting = new Map<string, Calls>()

  function turn(time: number): void {
    putAside(waiting, day, counted)
    counted = new Map()
    day = dayOf(time)
    dayEndsAt = endOfDay(time)
  }

  async function write(): Promise<void> {
    turn(now())
    const days = [...waiting]
    waiting.clear()
    const rows = days.flatMap(([day, calls]) => rowsOf(day, calls))
    if (rows.length === 0) return
    try {
      await upsert(db, rows)
    } catch (error) {
      for (const [day, calls] of days) putAside(waiting, day, calls)
      throw error
    }
  }

  return {
    count(caller, surface) {
      if (caller.kind !== kind) return
      const time = now()
      if (time >= dayEndsAt) turn(time)
      let counts = counted.get(caller.id)
      if (!counts) counted.set(caller.id, (counts = { rest: 0, mcp: 0, lastUsed: time }))
      counts[surface]++
      counts.lastUsed = time
    },
    ...createRegularWriter(write, FLUSH_MS, log, 'the last calls could not be counted'),
  }
}

/** Everything that is gathered about the calls of keys and grants. */
export interface Usage extends UsageCounter, CallRecorder {
  /** Counts another kind of caller, apart from keys. `upsert` stores the counts. */
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
function putAside(waiting: Map<string, Calls>, day: string, calls: Calls): void {
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

const rowsOf = (day: string, calls: Calls) =>
  [...calls].flatMap(([keyId, { rest, mcp, lastUsed }]) => {
    const row = { keyId, day, lastUsedAt: new Date(lastUsed) }
    return [
      ...(rest > 0 ? [{ ...row, surface: 'rest' as const, calls: rest }] : []),
      ...(mcp > 0 ? [{ ...row, surface: 'mcp' as const, calls: mcp }] : []),
    ]
  })
