// Who answers a question from the knowledge there is: the built-in search for the right passage, or a language model.
import type { Passage } from './passages.rules.ts'
import type { MessageRow } from './queries.ts'
import type { Knowledge } from './retrieval.rules.ts'

export interface Question {
  question: string
  /** What was said before, oldest first. */
  thread: readonly Pick<MessageRow, 'role' | 'content'>[]
  knowledge: Knowledge
}

export interface FoundAnswer {
  content: string
  /** What it was made from. */
  passages: readonly Passage[]
}

/** null: it cannot tell, and a person has to answer. */
export type Answerer = (question: Question) => Promise<FoundAnswer | null>

declare module '../../kernel/context.ts' {
  interface Context {
    answerer: Answerer
  }
}
