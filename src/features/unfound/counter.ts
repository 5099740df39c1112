// Counts questions that found nothing, or only partial matches. Until several different callers have asked a question on one day, it is
// only in the memory of this process (`caller-counts.ts`). Then its counts, and nothing about the callers, are written every few seconds.
import type { Caller } from '../../kernel/caller.ts'
import type { Database, Log } from '../../kernel/context.ts'
import { dayOf, endOfDay } from '../../kernel/days.ts'
import type { UnfoundAnswer } from '../../kernel/output.ts'
import { createRegularWriter, type RegularWriter } from '../../kernel/regular-writer.ts'
import { createCallerCounts } from './caller-counts.ts'
import { insertUnfound, type UnfoundRow } from './queries.ts'
import type { Searched } from './schema.ts'

export interface UnfoundCounter extends RegularWriter {
  note(answer: UnfoundAnswer, caller: Caller): void
}

declare module '../../kernel/context.ts' {
  interface Context {
    unfound: UnfoundCounter
  }
}

const OUTCOMES = ['nothing', 'partial'] as const
const FLUSH_MS = 5_000
/** Rows that wait while the database is unavailable. */
const MAX_WAITING = 5_000

interface CounterOptions {
  db: Database
  log: Log
  now?: () => number
}

export function createUnfoundCounter({ db, log, now = Date.now }: CounterOptions): UnfoundCounter {
  const askedToday = createCallerCounts(OUTCOMES)
  let day = dayOf(now())
  let dayEndsAt = endOfDay(now())
  let waiting = new Map<string, UnfoundRow>()

  function addWaiting(
    { searched, words }: UnfoundAnswer,
    { nothing, partial }: Pick<UnfoundRow, (typeof OUTCOMES)[number]>,
  ): void {
    const key = `${day} ${searched} ${words}`
    const row = waiting.get(key)
    if (row) {
      row.nothing += nothing
      row.partial += partial
    } else if (waiting.size < MAX_WAITING)
      waiting.set(key, { words, searched: searched as Searched, nothing, partial, lastDay: day })
  }

  function note(answer: UnfoundAnswer, caller: Caller): void {
    // Operators try questions out, and test keys belong to programs that are being built.
    if (caller.kind === 'operator' || caller.isTest) return
    const time = now()
    if (time >= dayEndsAt) {
      day = dayOf(time)
      dayEndsAt = endOfDay(time)
      askedToday.clear()
    }
    const counts = askedToday.add(`${answer.searched} ${answer.words}`, answer.outcome, caller)
    if (counts) addWaiting(answer, counts)
  }

  async function write(): Promise<void> {
    const rows = waiting
    waiting = new Map()
    if (rows.size === 0) return
    try {
      await insertUnfound(db, summed(rows.values()))
    } catch (error) {
      for (const [key, row] of waiting) {
        const before = rows.get(key)
        if (before)
          rows.set(key, { ...row, nothing: row.nothing + before.nothing, partial: row.partial + before.partial })
        else if (rows.size < MAX_WAITING) rows.set(key, row)
      }
      waiting = rows
      throw error
    }
  }

  return {
    note,
    ...createRegularWriter(write, FLUSH_MS, log, 'the last unfound questions could not be counted'),
  }
}

/** Counts nothing; used with SEARCH_LEARNING=off. */
export const noUnfoundCounter: UnfoundCounter = {
  note() {},
  async flush() {},
  start() {},
  async close() {},
}

/** One row for each question, because a statement may not write one row twice; after midnight there may be two days of it. */
function summed(rows: Iterable<UnfoundRow>): UnfoundRow[] {
  const sums = new Map<string, UnfoundRow>()
  for (const row of rows) {
    const key = `${row.searched} ${row.words}`
    const sum = sums.get(key)
    if (!sum) sums.set(key, { ...row })
    else {
      sum.nothing += row.nothing
      sum.partial += row.partial
      if (row.lastDay > sum.lastDay) sum.lastDay = row.lastDay
    }
  }
  return [...sums.values()]
}
