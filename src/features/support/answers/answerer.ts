// The interface of the two answerers: the built-in search for the right passage, and a language model.

import type { Knowledge, Passage } from '../knowledge/retrieval.rules.ts'
import type { MessageRow } from '../queries.ts'

export interface AnswererInput {
  question: string
  /** The messages before the question, oldest first. */
  thread: readonly Pick<MessageRow, 'role' | 'content'>[]
  knowledge: Knowledge
}

export interface FoundAnswer {
  content: string
  /** The passages that the answer was made from. */
  passages: readonly Passage[]
}

/** An administrator has to answer the question and sees this reason. */
export interface NoAnswer {
  reason: string
}

export type Answerer = (question: AnswererInput) => Promise<FoundAnswer | NoAnswer>

declare module '../../../kernel/context.ts' {
  interface Context {
    answerer: Answerer
  }
}

/** Without a language model: the passage that answers the question, or no answer at all. */
export const builtInAnswerer: Answerer = async ({ question, knowledge }) => {
  const passage = knowledge.answer(question)
  return passage ? { content: passage.text, passages: [passage] } : { reason: 'No article answers the question.' }
}
