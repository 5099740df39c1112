// Splits a question into words for `find-facts.ts`, which finds facts in them (facts.rules.ts), and joins the words that are no facts again.
import { words } from '../../../search/index.ts'

/** A word of a question. */
export interface QuestionToken {
  word: string
  /** The number of the part that it comes from. A part is the text between two separators: "follow-up" is one part with two words. */
  part: number
  /** Whether the word is the first of its part. A fact consists of whole parts, so that "follow-up" does not contain "follow". */
  isFirst: boolean
  /** Only of the first word of a part with several words: the part as one word, so that "do-follow" fits the spelling "dofollow". */
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
/** What is replaced before the question is split. Signs become words only beside a number, because markup and names have them, too. */
const REWRITES: readonly (readonly [RegExp, string])[] = [
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
  const plain = REWRITES.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), q)
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
  const partsWithTaken = new Set(tokens.flatMap(({ part }, at) => (taken.has(at) ? part : [])))
  return parts
    .map((text, part) =>
      partsWithTaken.has(part)
        ? tokens.flatMap((token, at) => (token.part === part && !taken.has(at) ? token.word : [])).join(' ')
        : text,
    )
    .filter(Boolean)
    .join(' ')
}

/** The text of a part in lower case, without the signs around it. */
export const plainPart = (text: string): string => text.toLowerCase().replace(SIGNS_AROUND, '')

const SIGNS_AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu

/** The question as people type it: words that REWRITES made become signs again, and words such as "and" at its end are removed. */
export const asTyped = (q: string): string =>
  q
    .replace(/\bdollars (?=\d)/g, '$')
    .replace(/(?<=\d) plus\b/g, '+')
    .replace(/(?: (?:and|or|but|with|for|from|of|on|in|to|a|an|the))+$/i, '')
