// Records the latest calls of each key, and the number of calls by day and status. They are gathered in memory, because no request may wait
// for the database, and written every few seconds.
import type { Caller } from '../../kernel/caller.ts'
import { DAY_MS } from '../../kernel/days.ts'
import { createRegularWriter, type RegularWriter, type WriterParts } from '../../kernel/regular-writer.ts'
import { LATEST_CALLS } from './account.schema.ts'
import * as queries from './calls.queries.ts'
import { createGatheredCalls, MOST_KEYS } from './gathered-calls.ts'
import type { Surface } from './rules.ts'

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
