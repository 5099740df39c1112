// Text for a terminal: text from outside must not control the terminal, and columns must line up in every language.

// Control characters (an escape sequence can retitle a window or hide text) and marks that change the reading direction.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must find them
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const SHORT_ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** The text as one line: control characters are written as `\n` or `\u001b`, which mean the same inside a JSON string. */
export const escaped = (text: string): string =>
  text.replace(CONTROL, (character) => SHORT_ESCAPES[character] ?? unicodeEscape(character))

/** Like `escaped`, but line breaks are kept. */
export const escapedLines = (text: string): string => text.split('\n').map(escaped).join('\n')

const unicodeEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const graphemes = new Intl.Segmenter()
// Emoji, and East Asian characters of double width.
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
// Combining marks and format characters, which take no column of their own.
const INVISIBLE = /^[\p{Mark}\p{Cf}]+$/u
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/

function graphemeWidth(grapheme: string): number {
  if (WIDE.test(grapheme)) return 2
  return INVISIBLE.test(grapheme) ? 0 : 1
}

/** How many columns the text takes on a terminal. */
export function width(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemes.segment(text)) columns += graphemeWidth(segment)
  return columns
}

/** Shortens the text to at most `columns` columns, including the … that marks a cut. */
export function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text
  let kept = ''
  let used = 1
  for (const { segment } of graphemes.segment(text)) {
    used += graphemeWidth(segment)
    if (used > columns) break
    kept += segment
  }
  return `${kept}…`
}

export const padded = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - width(text)))
