// Finds the parts of a text that look like instructions to a language model. They are shown to administrators, who decide; nothing is
// refused or rewritten because of them.
import { RULES, SIGNS } from './instructions.rules.ts'

interface InstructionSpan {
  /** What it looks like, in words for administrators. */
  reason: string
  /** The part of the text, with some words around it. */
  excerpt: string
}

// Letters of other alphabets that look like Latin ones.
const LOOKS_LIKE = new Map(
  [...'аеорсухіѕјһԁԛԝкмтнвοαειρτυκχνƖıɡ'].map((letter, i) => [
    letter,
    [...'aeopcyxisjhdqwkmthboaeiptukxvlig'][i] ?? letter,
  ]),
)
/** One UTF-16 unit that patterns read instead of the character: lower case, without accent, and the Latin letter that it looks like. */
function foldCharacter(character: string): string {
  const lower = character.toLowerCase()
  const [base = ' '] = lower.normalize('NFKD')
  return LOOKS_LIKE.get(lower) ?? (base <= '\u007f' ? base.toLowerCase() : lower.charAt(0))
}

// Results of `foldUnit` that are kept, because a text may have very many characters. 0: not computed yet.
const foldedUnits = new Uint16Array(0x10000)

// Accents that are separate characters after their letter. They are dropped, so that patterns read the letter alone.
const isCombiningMark = (unit: number): boolean =>
  unit >= 0x300 &&
  (unit <= 0x36f ||
    (unit >= 0x1ab0 && unit <= 0x1aff) ||
    (unit >= 0x1dc0 && unit <= 0x1dff) ||
    (unit >= 0x20d0 && unit <= 0x20ff) ||
    (unit >= 0xfe20 && unit <= 0xfe2f))
/** What `foldUnit` returns for a character that is to be left out. */
const DROPPED = 0xffff

function foldUnit(unit: number): number {
  const known = foldedUnits[unit]
  if (known) return known
  const folded = isCombiningMark(unit) ? DROPPED : foldCharacter(String.fromCharCode(unit)).charCodeAt(0)
  return (foldedUnits[unit] = folded)
}

// The range with mathematical and enclosed letters that look like Latin ones. Most other characters of two UTF-16 units are emoji.
const [FIRST_STYLED, LAST_STYLED] = [0x1d400, 0x1f18f]
const foldedStyled = new Uint16Array(LAST_STYLED - FIRST_STYLED + 1)

function foldStyled(codePoint: number): number {
  const known = foldedStyled[codePoint - FIRST_STYLED]
  if (known) return known
  return (foldedStyled[codePoint - FIRST_STYLED] = foldCharacter(String.fromCodePoint(codePoint)).charCodeAt(0))
}

const ASCII = /^[\0-\x7f]*$/
// A word with a digit in place of a letter: 1gnore, instruct10ns, pr3vious.
const DIGIT_IN_WORD = /[a-z][013457]|[013457][a-z]/
const LETTER_LIKE: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't' }
const LONGEST_WORD = 40

const lettersIn = (word: string): number => {
  let letters = 0
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) > 0x60) letters++
  return letters
}

/** Short words and words with few letters stay as they are, because their digits are probably meant. */
const withLetters = (word: string): string =>
  word.length >= 6 && word.length <= LONGEST_WORD && lettersIn(word) >= 4
    ? word.replace(/[013457]/g, (digit) => LETTER_LIKE[digit] ?? digit)
    : word

const digitsToLetters = (text: string): string =>
  DIGIT_IN_WORD.test(text) ? text.replace(/[a-z0-9]+/g, withLetters) : text

/** The text as patterns read it. `places`: where each of its characters is in the given text; null: at the same place. */
function fold(text: string): { text: string; places: Uint32Array | null } {
  const spaced = text.replaceAll('_', ' ')
  if (ASCII.test(spaced)) return { text: digitsToLetters(spaced.toLowerCase()), places: null }
  const units = new Uint16Array(spaced.length)
  const places = new Uint32Array(spaced.length + 1)
  let length = 0
  for (let at = 0; at < spaced.length; at++) {
    const unit = spaced.charCodeAt(at)
    const folded = foldUnit(unit)
    if (folded === DROPPED) continue
    places[length] = at
    // Only units from 0xd835 to 0xd83c begin a character of the styled range.
    const codePoint = unit < 0xd835 || unit > 0xd83c ? unit : (spaced.codePointAt(at) ?? unit)
    const isStyled = codePoint >= FIRST_STYLED && codePoint <= LAST_STYLED
    units[length++] = isStyled ? foldStyled(codePoint) : folded
    if (isStyled) at++
  }
  places[length] = text.length
  return { text: digitsToLetters(Buffer.from(units.buffer, 0, length * 2).toString('utf16le')), places }
}

/** The text in lower-case Latin letters, as far as its letters look like those. */
export const foldedText = (text: string): string => fold(text).text

const foldPattern = (pattern: string): string => pattern.replace(/[^\0-\x7f]/gu, foldCharacter)

/** The rules of `RULES` by each of their first words. */
const rulesByWord = new Map<string, { reason: string; rest: RegExp }[]>()
for (const [reason, rules] of RULES)
  for (const { words, rest } of rules) {
    const rule = { reason, rest: new RegExp(rest, 'y') }
    for (const word of new Set(words.split(' ').map(withLetters)))
      rulesByWord.set(word, [...(rulesByWord.get(word) ?? []), rule])
  }

/** For each reason of `SIGNS`: its simple patterns as one expression, and each pattern that has a rest. */
const signs = SIGNS.flatMap(([reason, patterns]) => [
  {
    reason,
    beginning: new RegExp(
      patterns
        .filter((one) => typeof one === 'string')
        .map(foldPattern)
        .join('|'),
      'g',
    ),
    rest: null,
  },
  ...patterns
    .filter((one) => typeof one !== 'string')
    .map(([beginning, rest]) => ({
      reason,
      beginning: new RegExp(foldPattern(beginning), 'g'),
      rest: new RegExp(foldPattern(rest), 'y'),
    })),
])

const MOST_SPANS = 20
// A text that contains first words of rules more often than this repeats them, and trying all would take too long.
const MOST_ATTEMPTS = 10_000
const EXCERPT_MARGIN = 60

/** The parts of the text that look like instructions to a model, at most `MOST_SPANS`. */
export function findInstructions(text: string): InstructionSpan[] {
  const { text: folded, places } = fold(text)
  const spans: InstructionSpan[] = []
  for (const { reason, start, end } of placesOfInstructions(folded)) {
    spans.push({ reason, excerpt: excerptOf(text, places?.[start] ?? start, places?.[end] ?? end) })
    if (spans.length >= MOST_SPANS) break
  }
  return spans
}

function* placesOfInstructions(text: string): Generator<{ reason: string; start: number; end: number }> {
  let attempts = 0
  const tooManyAttempts = (start: number, end: number) => ({
    reason: 'repeats the words of instructions many times',
    start,
    end,
  })
  const word = /[a-z0-9']+/g
  // Not `matchAll`, which would copy the pattern.
  for (let match = word.exec(text); match; match = word.exec(text))
    for (const { reason, rest } of rulesByWord.get(match[0]) ?? []) {
      if (++attempts > MOST_ATTEMPTS) return yield tooManyAttempts(match.index, word.lastIndex)
      rest.lastIndex = word.lastIndex
      if (!rest.test(text)) continue
      // One reason per place is enough, so the search continues after the match.
      word.lastIndex = rest.lastIndex
      yield { reason, start: match.index, end: rest.lastIndex }
      break
    }
  for (const { reason, beginning, rest } of signs) {
    beginning.lastIndex = 0
    for (let match = beginning.exec(text); match; match = beginning.exec(text)) {
      if (rest) {
        if (++attempts > MOST_ATTEMPTS) return yield tooManyAttempts(match.index, beginning.lastIndex)
        rest.lastIndex = beginning.lastIndex
        if (!rest.test(text)) continue
        beginning.lastIndex = rest.lastIndex
      }
      yield { reason, start: match.index, end: beginning.lastIndex }
    }
  }
}

function excerptOf(text: string, start: number, end: number): string {
  const from = Math.max(0, start - EXCERPT_MARGIN)
  const to = Math.min(text.length, Math.min(end, start + 300) + EXCERPT_MARGIN)
  const part = text.slice(from, to).toWellFormed().replaceAll('\ufffd', '')
  return `${from > 0 ? '…' : ''}${part}${to < text.length ? '…' : ''}`
}

interface FlaggedText extends InstructionSpan {
  field: string
}

/** The parts that look like instructions in all texts of a listing, by field. */
export const flaggedTexts = (fields: Readonly<Record<string, unknown>>): FlaggedText[] =>
  Object.entries(fields).flatMap(([field, value]) =>
    textsIn(value).flatMap((text) => findInstructions(text).map((span) => ({ field, ...span }))),
  )

/** The names of the fields that contain such a part. */
export const flaggedFields = (fields: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(fields).flatMap(([field, value]) =>
    textsIn(value).some((text) => findInstructions(text).length > 0) ? [field] : [],
  )

/** All texts in the value of a field, including the names in a map. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return Object.entries(value).flatMap(([name, item]) => [name, ...textsIn(item)])
}
