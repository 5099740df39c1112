// The answerer without a language model: it replies with the passage that answers the question, or not at all.
import type { Answerer } from './answerer.ts'

export const builtInAnswerer: Answerer = async ({ question, knowledge }) => {
  const passage = knowledge.answer(question)
  return passage ? { content: passage.text, passages: [passage] } : { reason: 'No article answers the question.' }
}
