// Counts which listing visitors open after which question. Until several different networks have done so in one month, it is only in the
// memory of this process. Then the sum, and nothing about the callers, is written every minute.
import type { Caller } from '../../kernel/caller.ts'
import type { Log } from '../../kernel/context.ts'
import { dayOf } from '../../kernel/days.ts'
import { createRegularWriter, type RegularWriter } from '../../kernel/regular-writer.ts'
import { createCallerCounts } from '../unfound/caller-counts.ts'
import { contentWordsOf } from '../unfound/rules.ts'
import type { NewOpening } from './queries.ts'
import { monthOf, networkOf, weightAt } from './rules.ts'

export interface OpeningCounter extends RegularWriter {
  note(q: string, listingId: string, caller: Pick<Caller, 'kind' | 'id'>): void
}

declare module '../../kernel/context.ts' {
  interface Context {
    openings: OpeningCounter
  }
}

const FLUSH_MS = 60_000
/** Rows that wait while the database is unavailable. */
const MAX_WAITING = 5_000

interface CounterOptions {
  store(rows: readonly NewOpening[]): Promise<unknown>
  log: Log
  now?: () => number
}

export function createOpeningCounter({ store, log, now = Date.now }: CounterOptions): OpeningCounter {
  const callers = createCallerCounts(['opened'])
  let month = monthOf(now())
  let waiting = new Map<string, NewOpening>()

  function addWaiting(added: NewOpening): void {
    const key = `${added.listingId} ${added.words}`
    const weight = (waiting.get(key)?.weight ?? 0) + added.weight
    if (waiting.has(key) || waiting.size < MAX_WAITING) waiting.set(key, { ...added, weight })
  }

  async function write(): Promise<void> {
    const rows = [...waiting.values()]
    waiting = new Map()
    if (rows.length === 0) return
    try {
      await store(rows)
    } catch (error) {
      rows.forEach(addWaiting)
      throw error
    }
  }

  return {
    note(q, listingId, { kind, id }) {
      const words = contentWordsOf(q)
      if (words === '' || kind !== 'visitor') return
      const time = now()
      if (monthOf(time) !== month) {
        month = monthOf(time)
        callers.clear()
      }
      const counts = callers.add(`${listingId} ${words}`, 'opened', { id: networkOf(id) })
      if (counts) addWaiting({ words, listingId, weight: counts.opened * weightAt(time), lastDay: dayOf(time) })
    },
    ...createRegularWriter(write, FLUSH_MS, log, 'the last openings could not be counted'),
  }
}

/** Counts nothing; used unless SEARCH_LEARNING=on. */
export const noOpeningCounter: OpeningCounter = {
  note() {},
  async flush() {},
  start() {},
  async close() {},
}
