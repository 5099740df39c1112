// Counts charged calls by caller, day and surface. The counts are written every few seconds, because a write for each call would be too
// slow. While the database is down, they stay in memory.
import type { Caller } from '../../../kernel/caller.ts'
import { createDayClock } from '../../../kernel/values/days.ts'
import { createRowWriter, type RegularWriter, type WriterParts } from '../../../kernel/work/regular-writer.ts'
import type { Surface } from '../rules.ts'
import { type CallRecorder, createCallRecorder } from './calls.ts'
import { type UsageRow, upsertUsage } from './queries.ts'

interface UsageCounter extends RegularWriter {
  /** Called for every charged call, whether it succeeds or fails. */
  count(caller: Caller, surface: Surface): void
}

const FLUSH_MS = 3_000

/** `kind`: which callers are counted. `upsert` stores the counts; `keyId` is the id of the caller. */
export function createUsageCounter(
  { db, log, now = Date.now }: WriterParts,
  kind: Caller['kind'] = 'key',
  upsert = upsertUsage,
): UsageCounter {
  const today = createDayClock(now)
  const { add, ...writer } = createRowWriter<UsageRow>({
    keyOf: ({ keyId, day, surface }) => `${day} ${surface} ${keyId}`,
    sum(into, { calls, lastUsedAt }) {
      into.calls += calls
      into.lastUsedAt = lastUsedAt
    },
    store: (rows) => upsert(db, rows),
    everyMs: FLUSH_MS,
    log,
    lost: 'the last calls could not be counted',
  })
  return {
    count(caller, surface) {
      if (caller.kind !== kind) return
      const time = now()
      add({ keyId: caller.id, day: today(time), surface, calls: 1, lastUsedAt: new Date(time) })
    },
    ...writer,
  }
}

/** Counts and records the calls of keys. Features can add counters for other kinds of callers. */
export interface Usage extends UsageCounter, CallRecorder {
  /** Counts another kind of caller too. `upsert` stores its counts. Must be called before `start`. */
  addKind(kind: Caller['kind'], upsert: typeof upsertUsage): void
}

declare module '../../../kernel/context.ts' {
  interface Context {
    usage: Usage
  }
}

export function createUsage(parts: WriterParts): Usage {
  const counters = [createUsageCounter(parts)]
  const recorder = createCallRecorder(parts)
  const writers: (UsageCounter | CallRecorder)[] = [...counters, recorder]
  return {
    addKind(kind, upsert) {
      const counter = createUsageCounter(parts, kind, upsert)
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
