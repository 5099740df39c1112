// What a process has in memory about the calls of keys until it is written: the latest calls of each key, and how many calls ended how on
// which day. Both are bounded for each key and in all.
import { dayOf, endOfDay } from '../../kernel/days.ts'
import { LATEST_CALLS } from './account.schema.ts'
import type { CallRow, OutcomeRow } from './calls.queries.ts'

export interface GatheredCalls {
  add(call: CallRow): void
  /** Takes what one write stores. Calls of the keys that do not fit stay, and come first next time. */
  take(): Taken
  /** Puts back what could not be written. */
  putBack(taken: Taken): void
}

interface Taken {
  calls: readonly CallRow[]
  outcomes: readonly OutcomeRow[]
}

interface KeyRecord {
  /** At most `LATEST_CALLS`; the oldest one is replaced. */
  calls: CallRow[]
  next: number
  /** Calls by surface and operation, then by status. */
  outcomes: Map<string, Map<number, number>>
}

/** How many keys are gathered between two writes; the calls of further keys are not. */
export const MOST_KEYS = 5_000
const MOST_CALLS = 2_000
const MOST_OUTCOMES = 100_000

export function createGatheredCalls(now: () => number): GatheredCalls {
  let records = new Map<string, KeyRecord>()
  /** Outcomes of earlier days, and those that could not be written. */
  let waiting = new Map<string, OutcomeRow>()
  let day = dayOf(now())
  let dayEndsAt = endOfDay(now())

  function turn(time: number): void {
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
      if (call.at >= dayEndsAt) turn(call.at)
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
      turn(now())
      const outcomes = [...waiting.values()]
      waiting = new Map()
      const calls: CallRow[] = []
      const left = new Map<string, KeyRecord>()
      for (const [keyId, record] of records) {
        if (calls.length + record.calls.length > MOST_CALLS) left.set(keyId, record)
        else calls.push(...inOrder(record))
      }
      records = left
      return { calls, outcomes }
    },
    putBack({ calls, outcomes }) {
      for (const outcome of outcomes) addOutcome(waiting, outcome)
      for (const [keyId, before] of Map.groupBy(calls, (call) => call.keyId)) {
        const record = recordOf(keyId)
        if (!record) continue
        record.calls = [...before, ...inOrder(record)].slice(-LATEST_CALLS)
        record.next = record.calls.length % LATEST_CALLS
      }
    },
  }
}

// No operation begins with it.
const MCP_MARK = '>'

/** Oldest first. */
const inOrder = ({ calls, next }: KeyRecord): CallRow[] =>
  calls.length < LATEST_CALLS ? calls : [...calls.slice(next), ...calls.slice(0, next)]

const outcomesOf = (keyId: string, day: string, { outcomes }: KeyRecord): OutcomeRow[] =>
  [...outcomes].flatMap(([name, statuses]) => {
    const isMcp = name.startsWith(MCP_MARK)
    const row = { keyId, day, surface: isMcp ? ('mcp' as const) : ('rest' as const) }
    const operation = isMcp ? name.slice(MCP_MARK.length) : name
    return [...statuses].map(([status, calls]) => ({ ...row, operation, status, calls }))
  })

function addOutcome(waiting: Map<string, OutcomeRow>, outcome: OutcomeRow): void {
  const { keyId, day, surface, operation, status, calls } = outcome
  const name = [keyId, day, surface, operation, status].join(' ')
  const before = waiting.get(name)
  if (before) before.calls += calls
  else if (waiting.size < MOST_OUTCOMES) waiting.set(name, { ...outcome })
}
