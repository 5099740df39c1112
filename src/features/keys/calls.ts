// Records the latest calls of each key, and how calls ended by day. They are gathered in memory, because no call may wait for the
// database, and written every few seconds.
import type { Caller } from '../../kernel/caller.ts'
import type { Database, Log } from '../../kernel/context.ts'
import { DAY_MS } from '../../kernel/days.ts'
import { createRegularWriter, type RegularWriter } from '../../kernel/regular-writer.ts'
import { LATEST_CALLS } from './account.schema.ts'
import * as queries from './calls.queries.ts'
import { createGatheredCalls, MOST_KEYS } from './gathered-calls.ts'
import type { Surface } from './rules.ts'

export interface CallRecorder extends RegularWriter {
  /** Called after every answer to a key. `operation` is one of the declared ones, or empty for an unknown address. */
  record(caller: Caller, surface: Surface, operation: string, status: number, ms: number, requestId: string): void
}

const FLUSH_MS = 3_000

export function createCallRecorder({
  db,
  log,
  now = Date.now,
}: {
  db: Database
  log: Log
  now?: () => number
}): CallRecorder {
  const gathered = createGatheredCalls(now)
  /** How many calls of each key were stored since its oldest ones were deleted. */
  const stored = new Map<string, number>()

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
    await forgetOldest(calls)
  }

  /** Deletes the oldest calls of the keys that have more of them than are shown. */
  async function forgetOldest(calls: readonly queries.CallRow[]): Promise<void> {
    if (stored.size > MOST_KEYS) stored.clear()
    for (const { keyId } of calls) stored.set(keyId, (stored.get(keyId) ?? 0) + 1)
    const full = [...stored].flatMap(([keyId, count]) => (count > LATEST_CALLS ? [keyId] : []))
    if (full.length === 0) return
    await queries.deleteCallsBeyond(db, full, LATEST_CALLS)
    for (const keyId of full) stored.delete(keyId)
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
