// Counts questions that found nothing, or only partial matches. Until several different callers have asked a question on one day, it is
// only in the memory of this process. Then its counts, and nothing about the callers, are written every few seconds.
import { hash, randomBytes } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'
import type { UnfoundAnswer } from '../../kernel/output.ts'
import { createDayClock } from '../../kernel/values/days.ts'
import { createRowWriter, noWriter, type RegularWriter, type WriterParts } from '../../kernel/work/regular-writer.ts'
import { addUnfound, type UnfoundRow } from './queries.ts'
import { LEAST_CALLERS } from './rules.ts'
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

type Outcome = UnfoundAnswer['outcome']
type Counts = Record<Outcome, number>

interface CallerCounts {
  /**
   * Counts that a caller asked about the subject. Returns the counts to store now: undefined until `LEAST_CALLERS` different callers have
   * asked, then those of all of them, and afterwards those since the last call.
   */
  add(subject: string, outcome: Outcome, caller: Pick<Caller, 'id' | 'owner'>): Counts | undefined
  /** Starts a new period: the hashes of two periods cannot be compared, so everything is counted from 0. */
  clear(): void
}

const HASH_LENGTH = 12
/** A caller is counted for at most this many subjects in a period. */
const MAX_SUBJECTS_OF_CALLER = 100
const MAX_CALLERS = 20_000
/** At most this many hashes of callers are kept, over all subjects. Each takes about a hundred bytes. */
const MAX_HASHES = 50_000

/**
 * Counts which questions different callers asked, in memory only. A caller is kept as a hash with a salt that changes with every period and
 * is never stored, so nothing can be traced to a caller later. All maps are bounded, because callers may send random texts.
 */
export function createCallerCounts(): CallerCounts {
  let salt = newSalt()
  const counted = new Map<string, { callers: Set<string>; counts: Counts }>()
  const subjectsByCaller = new Map<string, number>()
  let hashes = 0

  const none = (): Counts => ({ nothing: 0, partial: 0 })

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
