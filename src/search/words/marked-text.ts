import { CHINESE_OR_JAPANESE, indexedWords, words } from './words.ts'

/** A piece of a text, and whether it is one of the words that were found. */
export interface TextPiece {
  text: string
  isMarked: boolean
}

/**
 * A run of letters and digits with the signs that may join them (hyphen, dot, apostrophe …), or one Chinese or Japanese character;
 * `indexedWords` says which terms it has.
 */
const PIECE = new RegExp(
  `${CHINESE_OR_JAPANESE}|[[\\p{L}\\p{N}.]--${CHINESE_OR_JAPANESE}][[\\p{L}\\p{N}\\p{M}'’‘ʼ_.+#‐‑\\-]--${CHINESE_OR_JAPANESE}]*`,
  'gv',
)
// Signs that join the parts of a word and belong to no word at its end; + and # may (C++, C#).
const JOINING = "'’‘_.‐‑-"

function withoutLastSigns(piece: string): string {
  let end = piece.length
  while (end > 0 && JOINING.includes(piece.charAt(end - 1))) end--
  return piece.slice(0, end)
}

/**
 * Splits the text into pieces. A piece is marked when one of its words is among the terms, so that a document with this text is found by
 * it. Two neighbours that are one term together ("Eleven Labs", "elevenlabs") are marked, too.
 */
export function markTerms(text: string, terms: ReadonlySet<string>): TextPiece[] {
  if (terms.size === 0) return [{ text, isMarked: false }]
  const found = [...text.matchAll(PIECE)].map(({ 0: piece, index }) => {
    return {
      from: index,
      end: index + withoutLastSigns(piece).length,
      isMarked: indexedWords(piece).some((word) => terms.has(word)),
    }
  })
  const joinsNext = found.map(({ from, isMarked }, at) => {
    const next = found[at + 1]
    return !isMarked && next?.isMarked === false && terms.has(words(text.slice(from, next.end)).join(''))
  })
  const pieces: TextPiece[] = []
  let done = 0
  for (const [at, { from, end, isMarked }] of found.entries()) {
    if (!isMarked && !joinsNext[at] && !joinsNext[at - 1]) continue
    pieces.push({ text: text.slice(done, from), isMarked: false }, { text: text.slice(from, end), isMarked: true })
    done = end
  }
  return [...pieces, { text: text.slice(done), isMarked: false }].filter((piece) => piece.text !== '')
}
