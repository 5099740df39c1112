// Checks whether passages support an answer that a language model made from them. It finds invented numbers and addresses, and answers
// about another topic; it cannot find a wrong sentence made of the right words.
import { withoutTrailing } from '../../../kernel/values/text.ts'
import { contentWords } from '../knowledge/question-words.rules.ts'
import type { Passage } from '../knowledge/retrieval.rules.ts'

// At least this share of the answer's words must be in the passages; the rest are polite phrases. Words that only the question has do not
// count, because otherwise a customer could make the model repeat any number, address or promise.
const MIN_SHARE = 0.5

export function isSupportedBy(answer: string, passages: readonly Passage[]): boolean {
  const source = passages.map(({ title, text }) => `${title}\n${text}`).join('\n')
  const known = new Set(checkedClaims(source))
  return checkedClaims(answer).every((claim) => known.has(claim)) && shareFoundIn(answer, source) >= MIN_SHARE
}

// Matches addresses with and without a scheme. The lengths are limited, because the pattern would be slow on long texts.
const ADDRESS =
  /\bhttps?:\/\/[^\s<>"')]+|(?<![^\s<>"'(])[^\s@<>"'(]{1,64}@[^\s@<>"')]{1,255}|(?<![\w.-])(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])(?:\/[^\s<>"')]*)?/gi
const NUMBER = /\d+(?:[.,]\d+)*/g

/** The parts of a text that must not be invented: numbers, web addresses and e-mail addresses. */
function checkedClaims(text: string): string[] {
  const addresses = (text.match(ADDRESS) ?? []).map((address) => withoutTrailing(address.toLowerCase(), '.,;:!?/'))
  const numbers = (text.replace(ADDRESS, ' ').match(NUMBER) ?? []).map((number) =>
    number.replace(/[.,](?=\d{3}\b)/g, ''),
  )
  return [...addresses, ...numbers]
}

function shareFoundIn(answer: string, source: string): number {
  const answerWords = [...new Set(contentWords(answer))]
  // A bare yes or no, or an answer in an unknown language, has no words that can be compared, so nothing supports it.
  if (answerWords.length === 0) return 0
  const known = new Set(contentWords(source))
  return answerWords.filter((word) => known.has(word)).length / answerWords.length
}
