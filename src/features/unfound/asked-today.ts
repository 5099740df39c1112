// Which questions were asked today, and by how many callers. It is only in memory. A caller is a hash with a salt of this process and day
// that is never written, so nothing here can be traced to a caller later. Everything is bounded, because any caller can ask at random.
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
  /** Returns what is to be stored now: nothing until enough different callers have asked, then the counts of all of them. */
  add(answer: UnfoundAnswer, caller: Pick<Caller, 'id' | 'owner'>): QuestionCounts | undefined
  /** Starts a new day: the hashes of two days cannot be compared, so every question starts anew. */
  clear(): void
}

const HASH_LENGTH = 12
/** One caller adds to so many questions a day. */
const MOST_OF_CALLER = 100
const MOST_CALLERS = 20_000
/** Over all questions; each takes about a hundred bytes. */
const MOST_HASHES = 50_000

export function createAskedToday(): AskedToday {
  let salt = newSalt()
  const questions = new Map<string, Question>()
  const questionsOf = new Map<string, number>()
  let hashes = 0

  /** A caller counts once for a question, and for a limited number of questions. */
  function mayAdd(question: Question | undefined, caller: string): boolean {
    const count = questionsOf.get(caller)
    if (question?.callers.has(caller) || (count ?? 0) >= MOST_OF_CALLER) return false
    return count !== undefined || questionsOf.size < MOST_CALLERS
  }

  /** The questions that were first asked the longest ago make room. */
  function makeRoom(): void {
    for (const [key, { callers }] of questions) {
      if (hashes < MOST_HASHES) return
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
      questionsOf.set(caller, (questionsOf.get(caller) ?? 0) + 1)
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
      questionsOf.clear()
      hashes = 0
    },
  }
}

const newSalt = (): string => randomBytes(32).toString('base64url')
