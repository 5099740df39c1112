// Today's questions (searches that found nothing or only partial matches) and their callers, in memory only. A caller is a hash with a salt
// that changes daily and is never written, so nothing can be traced to a caller later. All maps are bounded: callers may send random texts.
import { hash, randomBytes } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'
import type { UnfoundAnswer } from '../../kernel/output.ts'
import { LEAST_CALLERS } from './rules.ts'

export interface QuestionCounts {
  nothing: number
  partial: number
}

interface Question extends QuestionCounts {
  callers: Set<string>
}

export interface AskedToday {
  /** Returns the counts to store now: none until enough different callers have asked, then those of all of them. */
  add(answer: UnfoundAnswer, caller: Pick<Caller, 'id' | 'owner'>): QuestionCounts | undefined
  /** Starts a new day: the hashes of two days cannot be compared, so every question is counted from 0. */
  clear(): void
}

const HASH_LENGTH = 12
/** A caller counts for this many questions a day. */
const MAX_QUESTIONS_OF_CALLER = 100
const MAX_CALLERS = 20_000
/** Hashes of callers over all questions; each takes about a hundred bytes. */
const MAX_HASHES = 50_000

export function createAskedToday(): AskedToday {
  let salt = newSalt()
  const questions = new Map<string, Question>()
  const questionsByCaller = new Map<string, number>()
  let hashes = 0

  /** A caller counts once for a question, and for a limited number of questions. */
  function mayAdd(question: Question | undefined, caller: string): boolean {
    const count = questionsByCaller.get(caller)
    if (question?.callers.has(caller) || (count ?? 0) >= MAX_QUESTIONS_OF_CALLER) return false
    return count !== undefined || questionsByCaller.size < MAX_CALLERS
  }

  /** Forgets the questions that were first asked longest ago. */
  function makeRoom(): void {
    for (const [key, { callers }] of questions) {
      if (hashes < MAX_HASHES) return
      hashes -= callers.size
      questions.delete(key)
    }
  }

  return {
    add({ searched, words, outcome }, { id, owner = id }) {
      // All keys of one owner are one caller.
      const caller = hash('sha256', `${salt}\n${owner}`, 'base64url').slice(0, HASH_LENGTH)
      const key = `${searched} ${words}`
      const known = questions.get(key)
      if (!mayAdd(known, caller)) return undefined
      questionsByCaller.set(caller, (questionsByCaller.get(caller) ?? 0) + 1)
      makeRoom()
      const question = questions.get(key) ?? { callers: new Set<string>(), nothing: 0, partial: 0 }
      questions.set(key, question)
      question.callers.add(caller)
      hashes++
      question[outcome]++
      if (question.callers.size < LEAST_CALLERS) return undefined
      const { nothing, partial } = question
      question.nothing = 0
      question.partial = 0
      return { nothing, partial }
    },
    clear() {
      salt = newSalt()
      questions.clear()
      questionsByCaller.clear()
      hashes = 0
    },
  }
}

const newSalt = (): string => randomBytes(32).toString('base64url')
