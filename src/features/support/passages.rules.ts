// Splits an article into passages that are short enough to be an answer.

export interface Passage {
  articleId: string
  title: string
  text: string
}

// A shorter text, such as a heading, says too little alone; a longer one is too long for an answer.
const MIN_LENGTH = 60
const MAX_LENGTH = 700

/** One passage for each paragraph: short paragraphs are joined with the next, long ones are split between sentences. */
export function passagesOf(body: string): string[] {
  const passages: string[] = []
  let unfinished = ''
  for (const paragraph of body.replace(/\r\n?/g, '\n').split(/\n\s*\n/)) {
    const text = unfinished === '' ? paragraph.trim() : `${unfinished}\n${paragraph.trim()}`
    if (text.length < MIN_LENGTH) unfinished = text
    else {
      passages.push(...splitLong(text))
      unfinished = ''
    }
  }
  return unfinished.trim() === '' ? passages : [...passages, unfinished.trim()]
}

function splitLong(text: string): string[] {
  if (text.length <= MAX_LENGTH) return [text]
  const found: string[] = []
  let piece = ''
  for (const sentence of text.split(/(?<=[.!?])\s+|\n/).flatMap(cutSentence)) {
    if (piece !== '' && piece.length + sentence.length > MAX_LENGTH) {
      found.push(piece)
      piece = ''
    }
    piece = piece === '' ? sentence : `${piece} ${sentence}`
  }
  return piece.trim() === '' ? found : [...found, piece]
}

/** A sentence that is too long is split between words, and a word that is too long is split too. */
const cutSentence = (sentence: string): string[] =>
  sentence.length <= MAX_LENGTH ? [sentence] : (sentence.match(CUT) ?? [])
const CUT = new RegExp(`\\S.{0,${MAX_LENGTH - 1}}(?=\\s|$)|\\S.{0,${MAX_LENGTH - 1}}`, 'gsu')
