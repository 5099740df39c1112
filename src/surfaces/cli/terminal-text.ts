// Text for a terminal: nothing from outside may steer it, and columns must line up whatever the script.

// Control characters (an escape sequence can retitle a window or hide text) and the marks that turn the reading direction around.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const STEERING = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const SHORT: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** One line, control characters spelled out as `\n` or `\u001b`. Inside a JSON string it means the same as before. */
export const escaped = (text: string): string =>
  text.replace(STEERING, (character) => SHORT[character] ?? code(character))

/** The same for text whose line breaks are meant. */
export const escapedLines = (text: string): string => text.split('\n').map(escaped).join('\n')

const code = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const graphemes = new Intl.Segmenter()
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u
const INVISIBLE = /^[\p{Mark}\p{Cf}]+$/u
const PLAIN = /^[\x20-\x7e]*$/

const graphemeWidth = (grapheme: string): number => (WIDE.test(grapheme) ? 2 : INVISIBLE.test(grapheme) ? 0 : 1)

/** Columns that the text takes on a terminal. */
export function width(text: string): number {
  if (PLAIN.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemes.segment(text)) columns += graphemeWidth(segment)
  return columns
}

/** At most so many columns, with … where something is missing. */
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
