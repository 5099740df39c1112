// The answerer that needs nothing but the articles: it replies with the passage that answers, or not at all.
import type { Answerer } from './answerer.ts'

export const builtInAnswerer: Answerer = async ({ question, knowledge }) => {
  const passage = knowledge.answer(question)
  return passage && { content: passage.text, passages: [passage] }
}
