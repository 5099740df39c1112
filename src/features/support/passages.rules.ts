// An article's passages: pieces short enough to be an answer.

export interface Passage {
  articleId: string
  title: string
  text: string
}

// A heading or half a line says too little alone; more than this is no longer a passage.
const SHORT = 60
const LONG = 700

/** Paragraphs: short ones go with the next, long ones are split between sentences. */
export function passagesOf(body: string): string[] {
  const passages: string[] = []
  let held = ''
  for (const paragraph of body.replace(/\r\n?/g, '\n').split(/\n\s*\n/)) {
    const text = held === '' ? paragraph.trim() : `${held}\n${paragraph.trim()}`
    if (text.length < SHORT) held = text
    else {
      passages.push(...pieces(text))
      held = ''
    }
  }
  return held.trim() === '' ? passages : [...passages, held.trim()]
}

function pieces(text: string): string[] {
  if (text.length <= LONG) return [text]
  const found: string[] = []
  let piece = ''
  for (const sentence of text.split(/(?<=[.!?])\s+|\n/).flatMap(cut)) {
    if (piece !== '' && piece.length + sentence.length > LONG) {
      found.push(piece)
      piece = ''
    }
    piece = piece === '' ? sentence : `${piece} ${sentence}`
  }
  return piece.trim() === '' ? found : [...found, piece]
}

/** A text without a full stop has an end all the same: between words, or inside one that has none. */
const cut = (sentence: string): string[] => (sentence.length <= LONG ? [sentence] : (sentence.match(CUT) ?? []))
const CUT = new RegExp(`\\S.{0,${LONG - 1}}(?=\\s|$)|\\S.{0,${LONG - 1}}`, 'gsu')
