// What the first bytes of a file say about it.
import type { TableEncoding } from './table.schema.ts'

/** What a file is, is decided by so many of its first bytes. */
export const HEAD = 64 * 1024

const TABLE_NAME = /\.(csv|tsv|tab)$/i
const TEXT_NAME = /\.txt$/i

/**
 * Whether a file is a table and not lines of JSON, by its name and its first bytes. An array is never a line, and an object that begins a
 * file is one unless the name says otherwise; any other text is a table where the name allows it.
 */
export function isTableFile(name: string, head: Uint8Array): boolean {
  if (TABLE_NAME.test(name)) return true
  // The mark of the encoding is taken away by the decoder.
  const [first] = new TextDecoder(encodingOf(head)).decode(head, { stream: true }).trimStart()
  return first === '[' || (TEXT_NAME.test(name) && first !== undefined && first !== '{')
}

export function encodingOf(head: Uint8Array): TableEncoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  try {
    // The last character may be cut.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}
