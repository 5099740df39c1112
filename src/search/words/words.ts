// Splits texts into words.

/**
 * Splits a text into words that compare equal whatever their case, accents or width: compatibility decomposition (NFKD),
 * marks dropped, lower case, a few letters that do not decompose spelled out. A word is a maximal run of letters and
 * digits; apostrophes vanish ("what's" is "whats"); a Chinese or Japanese character is a word by itself, because those
 * scripts put no spaces between words. Numbers keep their dots ("3.5"), and the names of programming languages their
 * symbols ("c++", "c#", ".net"). Everything else, NUL and lone surrogates included, separates.
 */
export function words(text: string): string[] {
  // Most texts are plain ASCII, for which this gives the same words several times faster.
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase().replaceAll("'", '').match(ASCII_WORD) ?? []
  return plainText(text).match(WORD) ?? []
}

/**
 * The words of a text, and the words that its parts would be if they were written as one: "text-to-speech" is also
 * "texttospeech", "node.js" is also "nodejs". With `joinPairs`, for names, so are all neighbours: "Eleven Labs" is also "elevenlabs".
 */
export function indexedWords(text: string, joinPairs = false): string[] {
  const list = words(text)
  if (joinPairs) {
    const count = Math.min(list.length, MOST_JOINED)
    for (let at = 1; at < count; at++) list.push(list[at - 1]! + list[at]!)
  }
  if (!JOINT.test(text)) return list
  for (const compound of text.match(BEYOND_ASCII.test(text) ? COMPOUND : ASCII_COMPOUND) ?? []) {
    if (compound.length > LONGEST_JOINED || !HAS_LETTER.test(compound)) continue
    const joined = words(compound.replace(COMPOUND_SIGN, ''))
    if (joined.length === 1 && joined[0] !== list.at(-1)) list.push(joined[0]!)
  }
  return list
}

/** The words of one or two letters that hyphens join to others: "follow-up" has "up". */
export function shortParts(text: string): ReadonlySet<string> {
  const compounds = JOINT.test(text) ? (text.match(BEYOND_ASCII.test(text) ? COMPOUND : ASCII_COMPOUND) ?? []) : []
  return new Set(compounds.flatMap(words).filter((word) => SHORT.test(word)))
}

function plainText(text: string): string {
  // Marks are dropped before as well, because the decomposition sorts them, which takes the square of their number.
  const decomposed = text.replace(MARKS, '').normalize('NFKD').replace(MARKS, '')
  const plain = decomposed.slice(0, ALWAYS_READ + MOST_SPELLED * text.length)
  return plain.toLowerCase().replace(UNDECOMPOSED, spellOut).replace(APOSTROPHES, '')
}

// The neighbours of a long name are a sentence, not the parts of one word.
const MOST_JOINED = 6
export const LONGEST_JOINED = 40

// Most characters become at most three letters, "ﷺ" eighteen. Of a long text of such characters only the beginning is read, so that no text
// takes much longer than others of its length.
const MOST_SPELLED = 4
const ALWAYS_READ = 2_000

const BEYOND_ASCII = /[^ -~\s]/
const MARKS = /\p{M}+/gu
const APOSTROPHES = /['’‘ʼ]/g
const LETTER = String.raw`[[\p{L}\p{N}]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]]`
/** A character that is a word by itself. */
export const CHINESE_OR_JAPANESE = String.raw`[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]]`
/** A run of letters is read once, with what may follow it, so that a long run takes no more than its length. */
const word = (letter: string) =>
  String.raw`${letter}+(?:\+\+|(?<=[0-9])(?:\.[0-9]+)+${letter}*|(?<=(?<!${letter})[a-z])#)?|(?<!${letter})\.net(?!${letter})`
const ASCII_WORD = new RegExp(word('[a-z0-9]'), 'g')
const WORD = new RegExp(`${CHINESE_OR_JAPANESE}|${word(LETTER)}`, 'gv')
const JOINT = /[-_‐‑.]\S/
// A compound begins where a run of letters begins: tried from every letter, a long run would take the square of its length.
const ASCII_COMPOUND = /(?<![a-z0-9])[a-z0-9]+(?:[-_.][a-z0-9]+)+/gi
const HAS_LETTER = /\p{L}/u
const SHORT = /^\p{L}{1,2}$/u
const COMPOUND = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[-_‐‑.][\p{L}\p{N}]+)+/gu
const COMPOUND_SIGN = /[-_‐‑]|(?<=\p{L})\.(?=\p{L})/gu

// Sigma is here because lower-casing writes it differently at the end of a word, and both forms must compare equal.
const SPELLED = new Map(Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h' }))
  .set('ŧ', 't')
  .set('ı', 'i')
  .set('ς', 'σ')
const UNDECOMPOSED = new RegExp(`[${[...SPELLED.keys()].join('')}]`, 'gu')
const spellOut = (letter: string) => SPELLED.get(letter) ?? letter
