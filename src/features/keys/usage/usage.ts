// Records the latest calls of each key and the number of calls by day and status, and counts charged calls by caller, day and surface. All
// are gathered in memory, because no request may wait for the database, and written every few seconds.

import type { Caller } from '../../../kernel/caller.ts'
import { createDayClock, DAY_MS, dayOf, endOfDay } from '../../../kernel/values/days.ts'
import {
  createRegularWriter,
  createRowWriter,
  type RegularWriter,
  type WriterParts,
} from '../../../kernel/work/regular-writer.ts'
import type { Surface } from '../rules.ts'
import { LATEST_CALLS } from '../schema.ts'
import * as queries from './queries.ts'

export interface CallRecorder extends RegularWriter {
  /** Called after every response. `operation` is the name of a declared operation, or empty for an unknown address. */
  record(caller: Caller, surface: Surface, operation: string, status: number, ms: number, requestId: string): void
}

const FLUSH_MS = 3_000

export function createCallRecorder({ db, log, now = Date.now }: WriterParts): CallRecorder {
  const gathered = createGatheredCalls(now)
  /** How many calls of each key were stored since its old ones were last deleted. */
  const newCalls = new Map<string, number>()

  async function write(): Promise<void> {
    const { calls, outcomes } = gathered.take()
    try {
      if (outcomes.length > 0) await queries.upsertOutcomes(db, outcomes)
    } catch (error) {
      gathered.putBack({ calls, outcomes })
      throw error
    }
    try {
      if (calls.length > 0) await queries.insertCalls(db, calls)
    } catch (error) {
      gathered.putBack({ calls, outcomes: [] })
      throw error
    }
    await deleteOldCalls(calls)
  }

  /** Deletes old calls of every key that got more than `LATEST_CALLS` new ones since its last deletion. */
  async function deleteOldCalls(calls: readonly queries.CallRow[]): Promise<void> {
    if (newCalls.size > MOST_KEYS) newCalls.clear()
    for (const { keyId } of calls) newCalls.set(keyId, (newCalls.get(keyId) ?? 0) + 1)
    const keyIds = [...newCalls].flatMap(([keyId, count]) => (count > LATEST_CALLS ? [keyId] : []))
    if (keyIds.length === 0) return
    await queries.deleteCallsBeyond(db, keyIds, LATEST_CALLS)
    for (const keyId of keyIds) newCalls.delete(keyId)
  }

  return {
    record(caller, surface, operation, status, ms, requestId) {
      if (caller.kind !== 'key') return
      gathered.add({ keyId: caller.id, at: now(), surface, operation, status, ms, requestId })
    },
    ...createRegularWriter(write, FLUSH_MS, log, 'the last calls could not be recorded'),
  }
}

/** Calls are kept for a day. */
export const callsSince = (now: Date): Date => new Date(now.getTime() - DAY_MS)

// Gathers the calls of keys in memory until they are written: the latest calls of each key, and the number of calls by day, operation and
// status. Both are bounded, per key and in total.

interface GatheredCalls {
  add(call: queries.CallRow): void
  /** Removes and returns what one write stores. Keys whose calls do not fit into it stay, and come first next time. */
  take(): Taken
  /** Puts back what could not be written. */
  putBack(taken: Taken): void
}

interface Taken {
  calls: readonly queries.CallRow[]
  outcomes: readonly queries.OutcomeRow[]
}

interface KeyRecord {
  /** A ring buffer of at most `LATEST_CALLS`; the call at `next` is replaced next. */
  calls: queries.CallRow[]
  next: number
  /** Numbers of calls by operation (marked with `MCP_MARK` if over MCP), then by status. */
  outcomes: Map<string, Map<number, number>>
}

/** Between two writes, calls of at most this many keys are gathered; calls of further keys are not recorded. */
const MOST_KEYS = 5_000
const MOST_CALLS_PER_WRITE = 2_000
const MOST_WAITING_OUTCOMES = 100_000

export function createGatheredCalls(now: () => number): GatheredCalls {
  let records = new Map<string, KeyRecord>()
  /** Outcomes of earlier days, and those that could not be written. */
  let waiting = new Map<string, queries.OutcomeRow>()
  let day = dayOf(now())
  let dayEndsAt = endOfDay(now())

  /** Moves the counts to `waiting` and continues with the day of `time`. */
  function moveToWaiting(time: number): void {
    for (const [keyId, record] of records) {
      for (const outcome of outcomesOf(keyId, day, record)) addOutcome(waiting, outcome)
      record.outcomes.clear()
    }
    day = dayOf(time)
    dayEndsAt = endOfDay(time)
  }

  function recordOf(keyId: string): KeyRecord | undefined {
    const found = records.get(keyId)
    if (found || records.size >= MOST_KEYS) return found
    const made: KeyRecord = { calls: [], next: 0, outcomes: new Map() }
    records.set(keyId, made)
    return made
  }

  return {
    add(call) {
      if (call.at >= dayEndsAt) moveToWaiting(call.at)
      const record = recordOf(call.keyId)
      if (!record) return
      const name = call.surface === 'rest' ? call.operation : MCP_MARK + call.operation
      let statuses = record.outcomes.get(name)
      if (!statuses) record.outcomes.set(name, (statuses = new Map()))
      statuses.set(call.status, (statuses.get(call.status) ?? 0) + 1)
      record.calls[record.next] = call
      record.next = (record.next + 1) % LATEST_CALLS
    },
    take() {
      moveToWaiting(now())
      const outcomes = [...waiting.values()]
      waiting = new Map()
      const calls: queries.CallRow[] = []
      const remaining = new Map<string, KeyRecord>()
      for (const [keyId, record] of records) {
        if (calls.length + record.calls.length > MOST_CALLS_PER_WRITE) remaining.set(keyId, record)
        else calls.push(...oldestFirst(record))
      }
      records = remaining
      return { calls, outcomes }
    },
    putBack({ calls, outcomes }) {
      for (const outcome of outcomes) addOutcome(waiting, outcome)
      for (const [keyId, before] of Map.groupBy(calls, (call) => call.keyId)) {
        const record = recordOf(keyId)
        if (!record) continue
        record.calls = [...before, ...oldestFirst(record)].slice(-LATEST_CALLS)
        record.next = record.calls.length % LATEST_CALLS
      }
    },
  }
}

// Begins the names of operations that were called over MCP. No operation's own name begins with it.
const MCP_MARK = '>'

const oldestFirst = ({ calls, next }: KeyRecord): queries.CallRow[] =>
  calls.length < LATEST_CALLS ? calls : [...calls.slice(next), ...calls.slice(0, next)]

const outcomesOf = (keyId: string, day: string, { outcomes }: KeyRecord): queries.OutcomeRow[] =>
  [...outcomes].flatMap(([name, statuses]) => {
    const isMcp = name.startsWith(MCP_MARK)
    const row = { keyId, day, surface: isMcp ? ('mcp' as const) : ('rest' as const) }
    const operation = isMcp ? name.slice(MCP_MARK.length) : name
    return [...statuses].map(([status, calls]) => ({ ...row, operation, status, calls }))
  })

function addOutcome(waiting: Map<string, queries.OutcomeRow>, outcome: queries.OutcomeRow): void {
  const { keyId, day, surface, operation, status, calls } = outcome
  const name = [keyId, day, surface, operation, status].join(' ')
  const before = waiting.get(name)
  if (before) before.calls += calls
  else if (waiting.size < MOST_WAITING_OUTCOMES) waiting.set(name, { ...outcome })
}

interface UsageCounter extends RegularWriter {
  /** Called for every charged call, whether it succeeds or fails. */
  count(caller: Caller, surface: Surface): void
}

/** `kind`: which callers are counted. `upsert` stores the counts; `keyId` is the id of the caller. */
export function createUsageCounter(
  { db, log, now = Date.now }: WriterParts,
  kind: Caller['kind'] = 'key',
  upsert = queries.upsertUsage,
): UsageCounter {
  const today = createDayClock(now)
  const { add, ...writer } = createRowWriter<queries.UsageRow>({
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
  addKind(kind: Caller['kind'], upsert: typeof queries.upsertUsage): void
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
