// Counts questions that found nothing, or only partial matches. Until several different callers have asked a question on one day, it is
// only in the memory of this process. Then its counts, and nothing about the callers, are written every few seconds.

import { hash, randomBytes } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'
import { createDayClock } from '../../kernel/days.ts'
import type { UnfoundAnswer } from '../../kernel/output.ts'
import { createRowWriter, noWriter, type RegularWriter, type WriterParts } from '../../kernel/regular-writer.ts'
import { insertUnfound, type UnfoundRow } from './queries.ts'
import { LEAST_CALLERS } from './rules.ts'
import type { SearchedCatalog } from './schema.ts'

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

export function createUnfoundCounter({ db, log, now = Date.now }: WriterParts): UnfoundCounter {
  const askedToday = createCallerCounts(OUTCOMES)
  const today = createDayClock(now, askedToday.clear)
  const { add, ...writer } = createRowWriter<UnfoundRow>({
    // Without the day, because a statement may not write one row twice.
    keyOf: ({ searched, words }) => `${searched} ${words}`,
    sum(into, { nothing, partial, lastDay }) {
      into.nothing += nothing
      into.partial += partial
      if (lastDay > into.lastDay) into.lastDay = lastDay
    },
    most: MAX_WAITING,
    store: (rows) => insertUnfound(db, rows),
    everyMs: FLUSH_MS,
    log,
    lost: 'the last unfound questions could not be counted',
  })
  return {
    note({ searched, words, outcome }, caller) {
      // Operators try questions out, and test keys belong to programs that are being built.
      if (caller.kind === 'operator' || caller.isTest) return
      const lastDay = today()
      const counts = askedToday.add(`${searched} ${words}`, outcome, caller)
      if (counts) add({ words, searched: searched as SearchedCatalog, ...counts, lastDay })
    },
    ...writer,
  }
}

/** Counts nothing; used with SEARCH_LEARNING=off. */
export const noUnfoundCounter: UnfoundCounter = { note() {}, ...noWriter }

// Counts what different callers did, in memory only. A caller is a hash with a salt that changes with every period and is never written, so
// nothing can be traced to a caller later. All maps are bounded: callers may send random texts.

type Counts<Outcome extends string> = Record<Outcome, number>

interface CallerCounts<Outcome extends string> {
  /** Returns the counts to store now: none until enough different callers did it, then those of all of them. */
  add(subject: string, outcome: Outcome, caller: Pick<Caller, 'id' | 'owner'>): Counts<Outcome> | undefined
  /** Starts a new period: the hashes of two periods cannot be compared, so everything is counted from 0. */
  clear(): void
}

const HASH_LENGTH = 12
/** A caller counts for this many subjects in a period. */
const MAX_SUBJECTS_OF_CALLER = 100
const MAX_CALLERS = 20_000
/** Hashes of callers over all subjects; each takes about a hundred bytes. */
const MAX_HASHES = 50_000

export function createCallerCounts<Outcome extends string>(outcomes: readonly Outcome[]): CallerCounts<Outcome> {
  let salt = newSalt()
  const counted = new Map<string, { callers: Set<string>; counts: Counts<Outcome> }>()
  const subjectsByCaller = new Map<string, number>()
  let hashes = 0

  const none = () => Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Counts<Outcome>

  /** A caller counts once for a subject, and for a limited number of subjects. */
  function mayAdd(callers: ReadonlySet<string> | undefined, caller: string): boolean {
    const count = subjectsByCaller.get(caller)
    if (callers?.has(caller) || (count ?? 0) >= MAX_SUBJECTS_OF_CALLER) return false
    return count !== undefined || subjectsByCaller.size < MAX_CALLERS
  }

  /** Forgets the subjects that were first counted longest ago. */
  function makeRoom(): void {
    for (const [subject, { callers }] of counted) {
      if (hashes < MAX_HASHES) return
      hashes -= callers.size
      counted.delete(subject)
    }
  }

  return {
    add(subject, outcome, { id, owner = id }) {
      // All keys of one owner are one caller.
      const caller = hash('sha256', `${salt}\n${owner}`, 'base64url').slice(0, HASH_LENGTH)
      if (!mayAdd(counted.get(subject)?.callers, caller)) return undefined
      subjectsByCaller.set(caller, (subjectsByCaller.get(caller) ?? 0) + 1)
      makeRoom()
      const entry = counted.get(subject) ?? { callers: new Set<string>(), counts: none() }
      counted.set(subject, entry)
      entry.callers.add(caller)
      hashes++
      entry.counts[outcome]++
      if (entry.callers.size < LEAST_CALLERS) return undefined
      const { counts } = entry
      entry.counts = none()
      return counts
    },
    clear() {
      salt = newSalt()
      counted.clear()
      subjectsByCaller.clear()
      hashes = 0
    },
  }
}

const newSalt = (): string => randomBytes(32).toString('base64url')
