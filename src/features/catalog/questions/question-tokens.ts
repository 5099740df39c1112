// Splits a question into words that remember where they come from, and puts the words that are left together again.
import { words } from '../../../search/index.ts'

/** A word of a question. */
export interface QuestionToken {
  word: string
  /** The number of the part that it comes from. A part is the text between two separators: "follow-up" is one part with two words. */
  part: number
  /** Whether the word is the first of its part. Only there may a fact begin or end, so that "follow-up" does not say "follow". */
  isFirst: boolean
  /** Only of the first word of a part with several words: the part written as one word. */
  joined?: string
  /** How many words the part has. */
  count: number
}

/** A question in words and in parts. */
export interface QuestionTokens {
  tokens: readonly QuestionToken[]
  parts: readonly string[]
}

const SEPARATORS = /[\s,;/|()&"<>]+/
/** The signs that are read as words, and only beside a number: markup, arrows and names have such signs, too. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/(?:>=|≥|>)(?=\s?[$€£]?\s?\d)/g, ' over '],
  [/(?:<=|≤)(?=\s?[$€£]?\s?\d)/g, ' at most '],
  [/<(?=\s?[$€£]?\s?\d)/g, ' under '],
  [/[$€£](?=\s?\d)|(?<=\d\s?)[$€£]/g, ' dollars '],
  [/(?<=\d)\s?\+/g, ' plus '],
  [/(?<=\bdr)(?=\d)/gi, ' '],
  [/(?<=\d),(?=\d{3}(?!\d))/g, ''],
  [/(?<=\d)\s[-–]\s(?=\d)/g, '-'],
]

export function tokensOf(q: string): QuestionTokens {
  const plain = SIGNS.reduce((text, [sign, word]) => text.replace(sign, word), q)
  const parts = plain.split(SEPARATORS).filter(Boolean)
  const tokens = parts.flatMap((text, part) => {
    const partWords = words(text)
    return partWords.map((word, at): QuestionToken => {
      const isFirst = at === 0
      return {
        word,
        part,
        isFirst,
        count: partWords.length,
        ...(isFirst && partWords.length > 1 && { joined: partWords.join('') }),
      }
    })
  })
  return { tokens, parts }
}

/** The question as it was typed, without the words at the places in `taken`. */
export function questionWithoutWords({ tokens, parts }: QuestionTokens, taken: ReadonlySet<number>): string {
  const isTouched = new Set(tokens.flatMap(({ part }, at) => (taken.has(at) ? part : [])))
  return parts
    .map((text, part) =>
      isTouched.has(part)
        ? tokens.flatMap((token, at) => (token.part === part && !taken.has(at) ? token.word : [])).join(' ')
        : text,
    )
    .filter(Boolean)
    .join(' ')
}

/** The text of a part in lower case, without the signs around it. */
export const plainPart = (text: string): string => text.toLowerCase().replace(SIGNS_AROUND, '')

const SIGNS_AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu

/** The question as people type it: the words that SIGNS has made are signs again, and no joining word is left at the end. */
export const asTyped = (q: string): string =>
  q
    .replace(/\bdollars (?=\d)/g, '$')
    .replace(/(?<=\d) plus\b/g, '+')
    .replace(/(?: (?:and|or|but|with|for|from|of|on|in|to|a|an|the))+$/i, '')
