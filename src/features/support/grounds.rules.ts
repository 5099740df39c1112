// Whether passages bear out an answer that somebody, or something, says it took from them. It cannot tell a wrong sentence made of the
// right words; it does tell invented figures and addresses, and answers about something else.
import { words } from '../../search/words.ts'
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

const ADDRESS = /\b(?:https?:\/\/|www\.)[^\s<>"')]+|[^\s@<>"'(]+@[^\s@<>"')]+\.[a-z]{2,}/gi
const NUMBER = /\d+(?:[.,]\d+)*/g

/** What must not be made up: figures, web and e-mail addresses. */
function claims(text: string): string[] {
  const addresses = (text.match(ADDRESS) ?? []).map((address) => address.toLowerCase().replace(/[.,;:!?/]+$/, ''))
  const numbers = (text.replace(ADDRESS, ' ').match(NUMBER) ?? []).map((number) =>
    number.replace(/[.,](?=\d{3}\b)/g, ''),
  )
  return [...addresses, ...numbers]
}

function share(answer: string, source: string): number {
  const telling = [...new Set(tellingWords(answer))]
  // In a script or language of which we know no word, there is nothing to compare.
  if (telling.length === 0) return words(answer).length > 0 ? 1 : 0
  const known = new Set(tellingWords(source))
  return telling.filter((word) => known.has(word)).length / telling.length
}
