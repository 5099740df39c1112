// Detects whether a file is a table, and its encoding.
import type { TableEncoding } from './table.schema.ts'

/** How many of the first bytes of a file are examined. */
export const HEAD = 64 * 1024

const TABLE_NAME = /\.(csv|tsv|tab)$/i
const TEXT_NAME = /\.txt$/i

/**
 * Whether a file is a table and not lines of JSON. A file is a table by its name, or because it begins with `[`, as no line of JSON does. A
 * `.txt` file is a table unless it begins with `{`.
 */
export function isTableFile(name: string, head: Uint8Array): boolean {
  if (TABLE_NAME.test(name)) return true
  // The decoder removes the byte order mark.
  const firstCharacter = new TextDecoder(encodingOf(head)).decode(head, { stream: true }).trimStart().charAt(0)
  return firstCharacter === '[' || (TEXT_NAME.test(name) && firstCharacter !== '' && firstCharacter !== '{')
}

/** Guesses the encoding: by a byte order mark; otherwise UTF-8 if the bytes are valid UTF-8, and Windows-1252 if not. */
export function encodingOf(head: Uint8Array): TableEncoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  try {
    // `stream`, because the last character may be incomplete.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}
