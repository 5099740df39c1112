// Whether passages bear out an answer that somebody, or something, says it took from them. It cannot tell a wrong sentence made of the
// right words; it does tell invented figures and addresses, and answers about something else.
import { withoutTrailing } from '../../kernel/text.ts'
import type { Passage } from './passages.rules.ts'
import { tellingWords } from './question-words.rules.ts'

// An answer repeats most of what it says from the passages; the rest is the grammar of courtesy. What only the question says counts for
// nothing, or whoever asks could have any figure, address or promise repeated in our name.
const LEAST_SHARE = 0.5

export function isBorneOut(answer: string, passages: readonly Passage[]): boolean {
  const source = passages.map(({ title, text }) => `${title}\n${text}`).join('\n')
  const known = new Set(claims(source))
  return claims(answer).every((claim) => known.has(claim)) && share(answer, source) >= LEAST_SHARE
}

// With a scheme or without; the lengths keep a long text from being tried again and again.
const ADDRESS =
  /\bhttps?:\/\/[^\s<>"')]+|(?<![^\s<>"'(])[^\s@<>"'(]{1,64}@[^\s@<>"')]{1,255}|(?<![\w.-])(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?![\w-])(?:\/[^\s<>"')]*)?/gi
const NUMBER = /\d+(?:[.,]\d+)*/g

/** What must not be made up: figures, web and e-mail addresses. */
function claims(text: string): string[] {
  const addresses = (text.match(ADDRESS) ?? []).map((address) => withoutTrailing(address.toLowerCase(), '.,;:!?/'))
  const numbers = (text.replace(ADDRESS, ' ').match(NUMBER) ?? []).map((number) =>
    number.replace(/[.,](?=\d{3}\b)/g, ''),
  )
  return [...addresses, ...numbers]
}

function share(answer: string, source: string): number {
  const telling = [...new Set(tellingWords(answer))]
  // A bare yes or no, or a language of which we know no word: nothing says that it is so.
  if (telling.length === 0) return 0
  const known = new Set(tellingWords(source))
  return telling.filter((word) => known.has(word)).length / telling.length
}
