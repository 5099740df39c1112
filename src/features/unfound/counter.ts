// Counts questions that found nothing, or only partial matches. Until several different callers have asked a question on one day, it is
// only in the memory of this process. Then its counts, and nothing about the callers, are written every few seconds.

import type { Caller } from '../../kernel/caller.ts'
import type { UnfoundAnswer } from '../../kernel/output.ts'
import { createDayClock } from '../../kernel/values/days.ts'
import { createRowWriter, noWriter, type RegularWriter, type WriterParts } from '../../kernel/work/regular-writer.ts'
import { createCallerCounts } from './caller-counts.ts'
import { addUnfound, type UnfoundRow } from './queries.ts'
import type { SearchedCatalog } from './schema.ts'

export interface UnfoundCounter extends RegularWriter {
  /** Counts an answer that found nothing, or only partial matches. */
  note(answer: UnfoundAnswer, caller: Caller): void
}

declare module '../../kernel/context.ts' {
  interface Context {
    unfound: UnfoundCounter
  }
}

const FLUSH_MS = 5_000
/** At most this many rows wait while the database is unavailable. */
const MAX_WAITING = 5_000

export function createUnfoundCounter({ db, log, now = Date.now }: WriterParts): UnfoundCounter {
  const callerCounts = createCallerCounts()
  const today = createDayClock(now, callerCounts.clear)
  const { add, ...writer } = createRowWriter<UnfoundRow>({
    // The day is not part of the key: the table has one row for a question, and one INSERT must not write the same row twice.
    keyOf: ({ searched, words }) => `${searched} ${words}`,
    sum(into, { nothing, partial, lastDay }) {
      into.nothing += nothing
      into.partial += partial
      if (lastDay > into.lastDay) into.lastDay = lastDay
    },
    most: MAX_WAITING,
    store: (rows) => addUnfound(db, rows),
    everyMs: FLUSH_MS,
    log,
    lost: 'the last unfound questions could not be counted',
  })
  return {
    note({ searched, words, outcome }, caller) {
      // Operators try questions out, and test keys belong to programs that are being built.
      if (caller.kind === 'operator' || caller.isTest) return
      const lastDay = today()
      const counts = callerCounts.add(`${searched} ${words}`, outcome, caller)
      if (counts) add({ words, searched: searched as SearchedCatalog, ...counts, lastDay })
    },
    ...writer,
  }
}

/** Counts nothing; used with SEARCH_LEARNING=off. */
export const noUnfoundCounter: UnfoundCounter = { note() {}, ...noWriter }
