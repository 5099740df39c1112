// Removes characters that people do not see but programs read: they can hide words from people, or show them in another order.
// Characters of this kind that a script or an emoji needs stay.
import { MAX_DEPTH } from '../input.ts'

// Everything that Unicode says may be shown as nothing (zero-width, bidi controls and isolates, soft hyphens, fillers, variation
// selectors, tags), and the anchors of annotations.
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u
// The invisible characters that some text needs: joiners, the selectors of Mongolian letters and of emoji, and the tags of flags.
const SOMETIMES_NEEDED = '\\u200c\\u200d\\u180b-\\u180f\\ufe0e\\ufe0f\\u{e0020}-\\u{e007f}'

// Scripts in which a joiner or non-joiner changes how letters look: those that connect letters, and those that build clusters.
const JOINING_SCRIPTS =
  'Arabic Syriac Mandaic Mongolian Nko Phags_Pa Manichaean Hanifi_Rohingya Sogdian Adlam Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan Balinese Javanese Sundanese Tai_Tham Chakma Newa Tirhuta'
const LETTER = `[[${JOINING_SCRIPTS.split(' ')
  .map((script) => `\\p{scx=${script}}`)
  .join('')}]&&[\\p{L}\\p{M}]]`
const EMOJI = '\\p{Extended_Pictographic}'
const TAG = '[\\u{e0020}-\\u{e007f}]'
// The flags of England, Scotland and Wales, the only ones that emoji fonts have, after their first tag. Other tags are hidden text.
const FLAG_ENDS = ['beng', 'bsct', 'bwls'].map(
  (letters) => `${[...letters].map((letter) => `\\u{e00${letter.charCodeAt(0).toString(16)}}`).join('')}\\u{e007f}`,
)

// What is removed, in this order. Each pattern begins with the character itself and looks back from there, because a pattern that begins
// by looking back is tried at every place of the text.
const UNNEEDED = [
  // Characters that no text needs.
  `[[\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]--[${SOMETIMES_NEEDED}]]+`,
  // Selectors of Mongolian letters that do not follow such a letter.
  '[\\u180b-\\u180f](?<![\\p{scx=Mongolian}&&\\p{L}].)',
  // Selectors of emoji that neither follow an emoji nor stand within a keycap.
  `[\\ufe0e\\ufe0f](?<!${EMOJI}.)(?!(?<=[0-9#*]\\ufe0f)\\u20e3)`,
  // Joiners that neither follow a letter of a joining script nor stand between two emoji.
  `[\\u200c\\u200d](?<!${LETTER}.)(?!(?<=(?:${EMOJI}\\ufe0f?|\\p{Emoji_Modifier})\\u200d)${EMOJI})`,
  // Tags that do not make a flag.
  `${TAG}(?<!${TAG}.)(?!(?<=\\u{1f3f4}\\u{e0067})(?:${FLAG_ENDS.join('|')})(?!${TAG}))${TAG}*`,
].map((pattern) => new RegExp(pattern, 'gv'))

export const withoutInvisible = (text: string): string =>
  INVISIBLE.test(text) ? UNNEEDED.reduce((rest, pattern) => rest.replace(pattern, ''), text) : text

/**
 * A body without invisible characters in its texts and in the names inside its fields; the same object when there are none, as in nearly
 * all bodies. The names of its fields stay: one with such a character is a field that does not exist.
 */
export const withoutInvisibleTexts = (value: unknown): unknown => (hasInvisible(value, 0) ? cleaned(value, 0) : value)

// `Object.entries` is called only once for each object, because it takes 10 ms for one with 20,000 names.
function hasInvisible(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return INVISIBLE.test(value)
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false
  if (Array.isArray(value)) return value.some((item) => hasInvisible(item, depth + 1))
  return Object.entries(value).some(
    ([name, item]) => (depth > 0 && INVISIBLE.test(name)) || hasInvisible(item, depth + 1),
  )
}

function cleaned(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return withoutInvisible(value)
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((item) => cleaned(item, depth + 1))
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([name, item]) => [depth === 0 ? name : withoutInvisible(name), cleaned(item, depth + 1)]),
  )
}
