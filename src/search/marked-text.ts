import { indexedWords, SINGLE, words } from './words.ts'

/** A piece of a text, and whether it is one of the words that were found. */
export interface TextPiece {
  text: string
  isMarked: boolean
}

/** What may be one word, with the signs that join its parts; `indexedWords` says which terms it has. */
const PIECE = new RegExp(`${SINGLE}|[[\\p{L}\\p{N}.]--${SINGLE}][[\\p{L}\\p{N}\\p{M}'’‘ʼ_.+#‐‑\\-]--${SINGLE}]*`, 'gv')
const LAST_SIGNS = /[^\p{L}\p{N}\p{M}+#]{1,9}$/u

/**
 * The text in pieces, of which those are marked whose words are among the terms: a document with this text is found by them. Two
 * neighbours that are one term together ("Eleven Labs", "elevenlabs") are marked, too.
 */
export function markTerms(text: string, terms: ReadonlySet<string>): TextPiece[] {
  if (terms.size === 0) return [{ text, isMarked: false }]
  const found = [...text.matchAll(PIECE)].map(({ 0: piece, index }) => {
    const end = index + piece.length - (LAST_SIGNS.exec(piece)?.[0].length ?? 0)
    return { from: index, end, isMarked: indexedWords(piece).some((word) => terms.has(word)) }
  })
  const joined = found.map(({ from, isMarked }, at) => {
    const next = found[at + 1]
    return !isMarked && next?.isMarked === false && terms.has(words(text.slice(from, next.end)).join(''))
  })
  const pieces: TextPiece[] = []
  let done = 0
  for (const [at, { from, end, isMarked }] of found.entries()) {
    if (!isMarked && !joined[at] && !joined[at - 1]) continue
    pieces.push({ text: text.slice(done, from), isMarked: false }, { text: text.slice(from, end), isMarked: true })
    done = end
  }
  return [...pieces, { text: text.slice(done), isMarked: false }].filter((piece) => piece.text !== '')
}
