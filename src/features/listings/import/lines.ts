// Splits the lines of an import into pieces of whole lines. Each piece is checked separately.

export type Line = { number: number; text: string } | { number: number; problem: string }

/** A part of an import: the bytes of whole lines, or lines made from the rows of a table. All pieces but the last are full. */
export type Piece = ({ bytes: Uint8Array } | { lines: Line[] }) & { isFull: boolean }

// Small enough that a piece is checked in a few hundredths of a second.
const PIECE_BYTES = 256 * 1024
/** An import may have any size, but a line or a row of a table has at most this many bytes or characters. */
export const MAX_LINE = 1024 * 1024
export const MAX_LINE_TEXT = `${MAX_LINE / 1024 / 1024} MiB`
const NEWLINE = 10
const decoder = new TextDecoder('utf-8', { fatal: true })

/** The pieces of an import that is received as bytes. */
export async function* readPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let parts: Uint8Array[] = []
  let size = 0
  // Length of the line that has not ended yet. Only the beginning of a line that is too long is kept.
  let lineLength = 0
  const append = (bytes: Uint8Array) => {
    parts.push(bytes)
    size += bytes.length
  }
  for await (const chunk of source)
    for (let offset = 0; offset < chunk.length; offset += PIECE_BYTES) {
      const bytes = chunk.subarray(offset, offset + PIECE_BYTES)
      const end = bytes.lastIndexOf(NEWLINE) + 1
      if (end > 0) {
        append(bytes.subarray(0, end))
        lineLength = 0
        if (size >= PIECE_BYTES) {
          yield { bytes: Buffer.concat(parts), isFull: true }
          parts = []
          size = 0
        }
      }
      if (lineLength <= MAX_LINE) append(bytes.subarray(end))
      lineLength += bytes.length - end
    }
  if (size > 0) yield { bytes: Buffer.concat(parts), isFull: false }
}

/** The pieces of an import of a table. */
export async function* piecesOf(lines: AsyncIterable<Line>): AsyncGenerator<Piece> {
  let piece: Line[] = []
  let size = 0
  for await (const line of lines) {
    piece.push(line)
    size += 'text' in line ? line.text.length : line.problem.length
    if (size < PIECE_BYTES) continue
    yield { lines: piece, isFull: true }
    piece = []
    size = 0
  }
  if (piece.length > 0) yield { lines: piece, isFull: false }
}

/** All lines, numbered from 1. A blank line has an empty text. */
export function* linesIn(bytes: Uint8Array): Generator<Line> {
  let number = 0
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start)
    const end = found === -1 ? bytes.length : found
    yield { number: ++number, ...textOf(bytes.subarray(start, end)) }
    start = end + 1
  }
}

function textOf(bytes: Uint8Array): { text: string } | { problem: string } {
  if (bytes.length > MAX_LINE) return { problem: `Longer than ${MAX_LINE_TEXT}.` }
  try {
    const text = decoder.decode(bytes)
    return { text: text.trim() === '' ? '' : text }
  } catch {
    return { problem: 'Not valid UTF-8.' }
  }
}
